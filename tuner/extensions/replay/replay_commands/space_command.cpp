// tune space: counts a search space, in any form.
#include <fmt/format.h>

#include <chrono>

#include "cli/command_table.h"
#include "cli/options.h"
#include "core/list.h"
#include "core/seconds_since.h"
#include "core/value.h"
#include "kernel/kernel.h"
#include "os/paths.h"
#include "replay/recording.h"
#include "replay/t1_space.h"
#include "replay_commands/extension.h"
#include "space/search_space.h"
#include "space/space_reader.h"
#include "study/find_study.h"
#include "study/machines.h"
#include "study/model.h"
#include "study/platform.h"

namespace rooftune::replay_commands {
namespace {

struct SpaceOptions {
  std::string file, machine = "host";
  Texts problem;
  bool count = false, json = false;
  static void fields(auto& self, auto& visit) {
    visit.position("file", self.file, "File of the space (plain or .gz)")->required();
    ROOFTUNE_FIELD(count, {"How often each value is allowed, too"});
    ROOFTUNE_FIELD(json, json_option);
    visit("m,machine", self.machine, {"Machine whose facts the space may name", "MACHINE"});
    ROOFTUNE_FIELD(problem, {"Problem parameters: name=value[,...]", "K=V,..."});
  }
};

/// A space, or why it is empty; where it comes from, and how long its construction took.
struct CountedSpace {
  std::optional<SearchSpace> space;
  std::optional<EmptySpace> empty;
  std::string name;  ///< as the file has it
  std::string form;
  Facts facts;
  Texts deviations;
  Texts undefined;  ///< why constraints have no result
  double construction_seconds = 0;

  const Knobs& knobs() const { return space ? space->knobs() : empty->knobs(); }
};

template <typename Construct>
void timed(CountedSpace& counted, Construct construct) {
  const auto begin = SteadyClock::now();
  try {
    counted.space = construct();
    counted.name = counted.space->name();
  } catch (const EmptySpace& empty) {
    counted.empty = empty;
  }
  counted.construction_seconds = seconds_since(begin);
  // For an empty space, the error itself says so, for the constraints that conflict.
  if (counted.space)
    counted.undefined =
        undefined_results(counted.space->constraints(), counted.space->knobs(), counted.facts);
}

/// Problem parameters of the kernel that the space names, if it can be found; in any case those
/// that the command line gives.
Facts problem_facts(const Json& json, const SpaceOptions& options, MachineKind on) {
  Facts facts;
  const Facts words = problem_words(options.problem);
  try {
    const Kernel kernel = find_kernel(text_of(json, "kernel"), home());
    facts = problem_parameters(kernel, words, on);
  } catch (const Error&) {
    // The space belongs to a kernel elsewhere: its facts come from the command line.
  }
  for (const auto& [name, text] : words) facts[name] = parse_value(text.text());
  return facts;
}

void read_own(const Json& json, const SpaceOptions& options, CountedSpace& counted) {
  counted.form = "rooftune-space-1";
  counted.name = text_of(json, "kernel") + "." + text_of(json, "backend");
  const Machine machine = load_machine(options.machine);
  Facts& facts = counted.facts;
  facts = problem_facts(json, options, machine.kind);
  facts.merge(machine_facts(machine, machine.cores));
  timed(counted, [&] { return space_from_json(json, options.file, facts); });
}

CountedSpace read(const SpaceOptions& options) {
  const RecordingFile file(options.file);
  CountedSpace counted;
  const Json& json = file.head();
  if (json.is_object() && json.contains("knobs")) {
    // A program's space names no kernel.
    const fs::path path = options.file;
    read_own(json.contains("kernel") ? json : read_command_space(path, path.stem()), options,
             counted);
  } else if (is_t1(json)) {
    counted.form = "T1";
    counted.name = json.contains("KernelSpecification")
                       ? text_of(json.at("KernelSpecification"), "KernelName")
                       : "";
    timed(counted, [&] {
      T1Specification t1 = t1_from_json(json, options.file);
      counted.deviations = std::move(t1.deviations);
      return t1.space;
    });
  } else if (json.is_object() && json.contains("parameters")) {
    counted.form = "plain space";
    counted.name = text_of(json, "name");
    timed(counted, [&] { return plain_space_from_json(json, options.file); });
  } else {
    const Recording recording = file.read();
    counted.form = recording.format;
    counted.deviations = recording.deviations;
    timed(counted, [&] { return recording.space(); });
  }
  return counted;
}

/// How many configurations have each value, for each knob.
ValueCounts value_counts(const CountedSpace& counted) {
  if (counted.space) return counted.space->value_counts();
  ValueCounts none;
  for (const Knob& knob : counted.knobs()) none.emplace_back(knob.values.size(), 0);
  return none;
}

Json knobs_json(const Knobs& knobs, const ValueCounts& counts) {
  Json all = Json::array();
  for (const size_t k : indices(knobs)) {
    Json values = Json::array();
    for (const size_t v : indices(knobs[k].values))
      values.push_back({{"value", to_json(knobs[k].values[v])}, {"count", counts[k][v]}});
    all.push_back({{"name", knobs[k].name}, {"values", values}});
  }
  return all;
}

Json counted_json(const CountedSpace& counted, const std::string& file) {
  const auto counts = value_counts(counted);
  Json json{{"schema", "rooftune-space-count-1"},
            {"file", file},
            {"name", counted.name},
            {"form", counted.form},
            {"cartesian", cartesian_size(counted.knobs())},
            {"valid", counted.empty ? 0 : counted.space->size()},
            {"construction_seconds", counted.construction_seconds},
            {"knobs", knobs_json(counted.knobs(), counts)},
            {"per_value", counts},
            {"undefined", counted.undefined},
            {"deviations", counted.deviations}};
  if (counted.empty) json["conflict"] = counted.empty->conflict();
  return json;
}

void print_values(const SearchSpace& space) {
  const auto counts = space.value_counts();
  for (const size_t k : indices(space.knobs())) {
    std::string line;
    for (const size_t v : indices(counts[k]))
      line += fmt::format("  {}: {}", to_text(space.knobs()[k].values[v]), counts[k][v]);
    fmt::print("  {:<20}{}\n", space.knobs()[k].name, line);
  }
}

void print(const CountedSpace& counted, bool values) {
  const double cartesian = cartesian_size(counted.knobs());
  fmt::print("{} ({})\ncartesian size: {:.0f}\n", counted.name, counted.form, cartesian);
  if (counted.empty) {
    fmt::print("valid configurations: 0\n{}\n", counted.empty->message());
    if (!counted.empty->hint().empty()) fmt::print("hint: {}\n", counted.empty->hint());
    return;
  }
  const SearchSpace& space = *counted.space;
  fmt::print("valid configurations: {} ({:.4g} %)\nconstructed in {:.3g} ms\n", space.size(),
             100 * double(space.size()) / cartesian, counted.construction_seconds * 1e3);
  for (const std::string& deviation : counted.deviations) fmt::print("note: {}\n", deviation);
  for (const std::string& cause : counted.undefined)
    fmt::print("note: not allowed for want of a result: {}\n", cause);
  if (values) print_values(space);
}

int space_command(const SpaceOptions& options) {
  const CountedSpace counted = read(options);
  // Zero is a count, too: an empty space is an error unless a count was asked for.
  if (counted.empty && !options.count) throw *counted.empty;
  if (options.json)
    fmt::print("{}\n", json_text(counted_json(counted, options.file), 2));
  else
    print(counted, options.count);
  return 0;
}

}  // namespace

void add_space(CLI::App& app, CommandLine& line) {
  add_command(app, line, "space", "Size of a search space: Rooftune's, T1, plain or recorded",
              space_command);
}

}  // namespace rooftune::replay_commands
