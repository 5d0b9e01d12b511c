// tune space: the size of a search space, in whatever form it is written.
#include <fmt/format.h>

#include <chrono>

#include "cli/machines.h"
#include "cli/options.h"
#include "cli/study.h"
#include "core/value.h"
#include "kernel/catalogue.h"
#include "os/paths.h"
#include "space/community_space.h"
#include "space/t1_space.h"
#include "store/recording.h"

namespace rooftune {
namespace {

using Clock = std::chrono::steady_clock;

/// A space, what it was read from, and how long its construction took.
struct CountedSpace {
  std::optional<SearchSpace> space;
  std::string form;
  std::vector<std::string> deviations;
  double construction_seconds = 0;
};

template <typename Construct>
void timed(CountedSpace& counted, Construct construct) {
  const auto begin = Clock::now();
  counted.space = construct();
  counted.construction_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Problem parameters of the kernel that the space names, as far as its kernel can be found; those
/// of --problem in any case.
Facts problem_facts(const Json& json, const SpaceOptions& options) {
  Facts facts;
  const std::map<std::string, std::string> words = problem_words(options.problem);
  try {
    const Kernel kernel = find_kernel(json.value("kernel", ""), home());
    facts = problem_parameters(kernel, words);
  } catch (const Error&) {
    // The space of a kernel that is elsewhere: its facts come from the command line.
  }
  for (const auto& [name, text] : words) facts[name] = parse_value(text);
  return facts;
}

/// What the kernel of the space says of its problem, when asked.
Facts asked_facts(const Json& json, const SpaceOptions& options) {
  StudyOptions study;
  study.kernel = json.value("kernel", "");
  study.backend = json.value("backend", "openmp");
  study.machine = options.machine;
  study.problem = options.problem;
  return ready_study(study, true).facts;
}

CountedSpace own_space(const Json& json, const SpaceOptions& options) {
  CountedSpace counted;
  counted.form = "rooftune-space-1";
  const Machine machine = load_machine(options.machine);
  Facts facts = problem_facts(json, options);
  facts.merge(machine_facts(machine, machine.cores));
  try {
    timed(counted, [&] { return space_from_json(json, options.file, facts); });
  } catch (const EmptySpace&) {
    throw;
  } catch (const Error&) {
    // Facts that only the kernel's problem knows: it is built and asked.
    facts.merge(asked_facts(json, options));
    timed(counted, [&] { return space_from_json(json, options.file, facts); });
  }
  return counted;
}

CountedSpace read(const SpaceOptions& options) {
  const RecordingFile file(options.file);
  CountedSpace counted;
  const Json& json = file.head();
  if (json.is_object() && json.contains("knobs")) return own_space(json, options);
  if (is_t1(json)) {
    counted.form = "T1";
    timed(counted, [&] {
      T1Specification t1 = t1_from_json(json, options.file);
      counted.deviations = std::move(t1.deviations);
      return t1.space;
    });
    return counted;
  }
  if (json.is_object() && json.contains("parameters")) {
    counted.form = "plain space";
    timed(counted, [&] { return community_space_from_json(json, options.file); });
    return counted;
  }
  const Recording recording = file.read();
  counted.form = recording.format;
  counted.deviations = recording.deviations;
  timed(counted, [&] { return recording.space(); });
  return counted;
}

Json counted_json(const CountedSpace& counted, const std::string& file) {
  const SearchSpace& space = *counted.space;
  Json knobs = Json::array();
  std::vector<std::vector<std::uint64_t>> counts;
  if (space.counted()) counts = space.value_counts();
  for (std::size_t k = 0; k < space.knobs().size(); ++k) {
    Json values = Json::array();
    for (std::size_t v = 0; v < space.knobs()[k].values.size(); ++v)
      values.push_back({{"value", to_json(space.knobs()[k].values[v])},
                        {"count", space.counted() ? Json(counts[k][v]) : Json()}});
    knobs.push_back({{"name", space.knobs()[k].name}, {"values", values}});
  }
  return Json{{"schema", "rooftune-space-count-1"},
              {"file", file},
              {"name", space.name()},
              {"form", counted.form},
              {"cartesian", space.cartesian_size()},
              {"valid", count_json(space.extent())},
              {"not_counted", not_counted_json(space.extent())},
              {"construction_seconds", counted.construction_seconds},
              {"knobs", knobs},
              {"per_value", space.counted() ? Json(counts) : Json()},
              {"deviations", counted.deviations}};
}

std::string share_text(const SearchSpace& space) {
  if (!space.extent().size) return {};
  return fmt::format(" ({:.4g} %)", 100 * space.extent().size->value / space.cartesian_size());
}

void print(const CountedSpace& counted, bool values) {
  const SearchSpace& space = *counted.space;
  fmt::print("{} ({})\n", space.name(), counted.form);
  const SpaceExtent& extent = space.extent();
  fmt::print("cartesian size: {:.0f}\nvalid configurations: {}{}\nconstructed in {:.3g} ms\n",
             space.cartesian_size(), to_text(extent), share_text(space),
             counted.construction_seconds * 1e3);
  for (const std::string& deviation : counted.deviations) fmt::print("note: {}\n", deviation);
  if (!extent.counted()) {
    fmt::print("not counted: {}\nsampling: {}\n", extent.because, extent.sampling);
    return;
  }
  const auto counts = space.value_counts();
  for (std::size_t k = 0; values && k < space.knobs().size(); ++k) {
    std::string line;
    for (std::size_t v = 0; v < counts[k].size(); ++v)
      line += fmt::format("  {}: {}", to_text(space.knobs()[k].values[v]), counts[k][v]);
    fmt::print("  {:<20}{}\n", space.knobs()[k].name, line);
  }
}

/// A count of nothing is a count: with --count an empty space is told, and no fault.
void print_empty(const EmptySpace& empty, const SpaceOptions& options) {
  double cartesian = 1;
  Json counts = Json::array();
  for (const Knob& knob : empty.knobs()) {
    cartesian *= static_cast<double>(knob.values.size());
    counts.push_back(std::vector<int>(knob.values.size(), 0));
  }
  const Json json{{"schema", "rooftune-space-count-1"},
                  {"file", options.file},
                  {"cartesian", cartesian},
                  {"valid", 0},
                  {"per_value", counts},
                  {"conflict", empty.conflict()}};
  if (options.json)
    fmt::print("{}\n", json.dump(2));
  else
    fmt::print("cartesian size: {:.0f}\nvalid configurations: 0\n{}\n", cartesian, empty.message());
}

}  // namespace

int space_command(const SpaceOptions& options) {
  CountedSpace counted;
  try {
    counted = read(options);
  } catch (const EmptySpace& empty) {
    if (!options.count) throw;
    print_empty(empty, options);
    return 0;
  }
  if (options.json)
    fmt::print("{}\n", counted_json(counted, options.file).dump(2));
  else
    print(counted, options.count);
  return 0;
}

}  // namespace rooftune
