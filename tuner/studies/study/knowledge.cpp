#include "study/knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/expression.h"
#include "core/file.h"
#include "core/list.h"
#include "core/text.h"
#include "kernel/published.h"
#include "os/paths.h"
#include "search/block_knobs.h"
#include "space/knob.h"
#include "study/best_known.h"
#include "study/find_study.h"
#include "study/model.h"
#include "study/prepare.h"

namespace rooftune::study {
namespace {

constexpr size_t most_transferred = 12;
/// At most so many entries from shipped files: they come from other machines, and more would
/// mislead.
constexpr size_t most_shipped = 3;
/// At most so many records are read, the newest first: a study should begin soon.
constexpr size_t most_records = 50;

/// The fastest configurations from elsewhere, and how far away: machine first, then problem.
struct Start {
  TransferSource source;
  Configurations fastest;
  std::pair<double, double> far;
};
using Starts = std::vector<Start>;

/// The configuration in this space's knobs and values; missing ones have their default.
std::optional<Configuration> translated(const SearchSpace& space, const Configuration& other) {
  Configuration configuration = space.baseline();
  for (const Knob& knob : space.knobs())
    if (other.has(knob.name) && knob.index_of(other.at(knob.name)) < knob.values.size())
      configuration.set(knob.name, other.at(knob.name));
  configuration = space.normalised(std::move(configuration));
  if (!space.allowed(configuration)) return std::nullopt;
  return configuration;
}

bool has(const SearchSpace& space, const Configuration& difference) {
  return all_of(difference.values(), [&](const auto& one) {
    const Knob* knob = space.knob(one.first);
    return knob && knob->index_of(one.second) < knob->values.size();
  });
}

/// The distance between the two nearest inputs.
double problem_distance(const PreparedStudy& study, const FactsList& others) {
  double least = HUGE_VAL;
  for (const auto& input : study.inputs)
    for (const Facts& other : others)
      least = std::min(least, distance(input->model.problem, other));
  return least;
}

std::optional<Start> elsewhere(const PreparedStudy& study, const StudyDigest& other) {
  const auto& [header, setup] = std::tie(other.head.header, other.head.setup);
  if (!setup || other.trials == 0) return std::nullopt;
  Start found;
  found.source.study = header.id;
  found.source.machine = header.machine;
  found.source.digest = other.fingerprint;
  found.source.trials = other.trials;
  found.source.problem = json_text(header.problem);

  found.far = {distance(machine_class(study.machine), machine_class(setup->machine)),
               problem_distance(study, members(setup->inputs, &InputModel::problem))};
  for (const Configuration& fastest : other.fastest)
    if (auto configuration = translated(*study.first().space, fastest))
      found.fastest.push_back(std::move(*configuration));
  return found;
}

Starts on_record(const PreparedStudy& study, const fs::path& results) {
  std::vector<StudyFiles> others = study_files(results);
  std::erase_if(others, [&](const StudyFiles& files) {
    return files.kernel != study.header.kernel || files.backend != study.header.backend ||
           files.id == study.header.id;
  });
  stable_sort(others, std::greater<>(), &StudyFiles::latest);
  if (others.size() > most_records) others.resize(most_records);
  Starts all;
  for (const StudyFiles& files : others)
    if (const auto digest = read_digest(results, files))
      if (auto found = elsewhere(study, *digest)) all.push_back(std::move(*found));
  return all;
}

/// <kernel>.<backend>.json in best_known_directory(); nullopt without one. Throws Error for an
/// unreadable one.
std::optional<BestKnown> shipped_best(const std::string& kernel, const std::string& backend) {
  const auto file = best_known_directory() / (kernel + "." + backend + ".json");
  if (!is_file(file)) return std::nullopt;
  return decoded<BestKnown>(read_json(file), file.string());
}

/// The shipped file's entries that this space allows.
Starts shipped(const PreparedStudy& study, Transfer& transfer) {
  const auto known = shipped_best(study.header.kernel, study.header.backend);
  if (!known) return {};
  const SearchSpace& space = *study.first().space;
  Starts all;
  for (const KnownBest& entry : known->entries) {
    const auto configuration =
        has(space, entry.difference) ? translated(space, entry.difference) : std::nullopt;
    if (!configuration) {
      ++transfer.skipped;
      continue;
    }
    Start found;
    found.source.study = study.header.kernel + "." + study.header.backend + ".json";
    found.source.machine = entry.machine.model + ", " + plural(entry.machine.cores, "core");
    found.source.problem = json_text(facts_json(entry.problem));
    found.fastest = {*configuration};
    found.far = {distance(machine_class(study.machine), entry.machine),
                 problem_distance(study, {entry.problem})};
    all.push_back(std::move(found));
  }
  return all;
}

void nearest_first(Starts& all) { stable_sort(all, {}, &Start::far); }

/// Proposes every source's best, then each source's second, and so on, each once.
void propose(Starts& all, const Configuration& baseline, Transfer& transfer) {
  auto& proposals = transfer.proposals;
  for (size_t rank = 0; rank < most_of_a_study; ++rank)
    for (Start& one : all) {
      if (one.fastest.size() <= rank || proposals.size() == most_transferred) continue;
      const Configuration& next = one.fastest[rank];
      // The baseline is tried in any case.
      if (next == baseline || contains(proposals, next)) continue;
      proposals.push_back(next);
      one.source.proposals.push_back(next);
    }
  for (Start& one : all)
    if (!one.source.proposals.empty()) transfer.sources.push_back(std::move(one.source));
}

/// The paradigms that this input's bound and walls need.
Paradigms wanted(const PreparedInput& input) {
  Paradigms paradigms;
  if (const auto* binds = ceiling_named(input.roofline.machine.ceilings, input.bound.ceiling))
    paradigms = binds->requirements;
  // Walls come from locality: whoever breaks one reaches the bound.
  for (const Wall& wall : input.roofline.traffic.walls) paradigms.insert(wall.lacks);
  return paradigms;
}

/// A configuration's least time for the objective, from each input's least time. An input for which
/// nothing is certain has 0; for a mean the answer is then nullopt.
std::optional<LeastTime> least_of_all(const PreparedStudy& study,
                                      const std::vector<LeastTimeOf>& all,
                                      const Configuration& configuration) {
  const bool mean = study.objective->aim() == Objective::Aim::mean;
  Numbers seconds;
  LeastTime worst;
  double largest = 0;
  for (const size_t i : indices(all)) {
    const auto least = all[i] ? all[i](configuration) : std::nullopt;
    if (!least && mean) return std::nullopt;
    seconds.push_back(least ? least->time.value() : 0);
    const double gap = seconds.back() / study.objective->bounds()[i];
    if (gap <= largest) continue;
    largest = gap;
    worst.because = fmt::format("{} of all inputs; on {}: {}", described(study.objective->aim()),
                                study.inputs[i]->model.name, least->because);
  }
  if (largest == 0) return std::nullopt;
  worst.time = Seconds(study.objective->time(seconds));
  return worst;
}

void require_walls(const PreparedStudy& study) {
  Texts names = members(study.kernel.walls, &WallFormula::name);
  for (const LeastMovement& statement : study.first().movements.walls)
    if (!contains(names, statement.what))
      throw Error("kernel " + study.kernel.name + " has no wall \"" + statement.what + "\"",
                  study.space_file.file.string() + ": /walls", did_you_mean(statement.what, names));
}

/// A start that a space's file recommends where `when` holds.
struct ConditionalStart {
  std::string when;
  Facts set;
  ROOFTUNE_FIELDS(when, set)
};

/// The user's own starts, from the spec and the space's file. Throws Error for one that is not
/// allowed. A start with a condition is taken only where the condition holds and the space allows
/// it.
Configurations own_starts(const PreparedStudy& study) {
  const SearchSpace& space = *study.first().space;
  Configurations result;
  const auto add = [&](const Facts& values, const std::string& where, bool is_conditional) {
    Configuration one = space.normalised(with_values(space.baseline(), space, values, where));
    if (space.allowed(one))
      result.push_back(std::move(one));
    else if (!is_conditional)
      throw Error(difference_text(one, space.baseline()) + " is not allowed: " + space.why_not(one),
                  where, "tune list knobs tells which knobs and values there are");
  };
  for (const Facts& values : study.spec.start) add(values, "--start", false);
  const auto& [file, content] = std::tie(study.space_file.file, study.space_file.content);
  if (!content.contains("start")) return result;
  const std::string where = file.string() + ": /start";
  const Json& starts = content.at("start");
  if (!starts.is_array()) throw Error("is no array", where, R"([{"tile": 32}])");
  const Facts known = study.known(study.first());
  for (const Json& each : starts) {
    if (!each.is_object() || !each.contains("when")) {
      add(decoded<Facts>(each, where), where, false);
      continue;
    }
    const auto start = decoded<ConditionalStart>(each, where);
    if (Expression::parse(start.when).evaluate(lookup_in(known), where).truth())
      add(start.set, where, true);
  }
  return result;
}

}  // namespace

Configurations first_configurations(const PreparedStudy& study) {
  Configurations all, result;
  if (study.spec.path) {
    const std::string where = published_path_file(study.kernel.folder, study.backend.name).string();
    const PublishedPath path =
        published_path_from_json(study.published, where, study.kernel.name, study.backend.name);
    for (PlacedStep& step : placed(path, *study.first().space, where))
      if (step.impossible.empty()) all.push_back(std::move(step.configuration));
  }
  append(all, own_starts(study));
  for (Configuration& one : all) add_once(result, std::move(one));
  return result;
}

std::optional<Transfer> transfer_of(const PreparedStudy& study,
                                    const std::optional<StudyRecord>& stored,
                                    const fs::path& results) {
  // A study keeps its start: its next trial depends on it.
  if (stored && stored->setup && stored->history.size() > 0) return stored->setup->transfer;
  Transfer transfer;
  if (TransferSource own; !(own.proposals = own_starts(study)).empty())
    transfer.sources.push_back(std::move(own));
  if (!study.spec.transfer)
    return transfer.sources.empty() ? std::nullopt : std::optional(transfer);
  Starts known = shipped(study, transfer);
  nearest_first(known);
  if (known.size() > most_shipped) known.resize(most_shipped);
  append(known, on_record(study, results));
  nearest_first(known);
  propose(known, study.first().space->baseline(), transfer);
  if (transfer.sources.empty() && transfer.skipped == 0) return std::nullopt;
  return transfer;
}

Knowledge knowledge_of(const PreparedStudy& study) {
  Knowledge knowledge;
  for (const auto& input : study.inputs) knowledge.wanted.merge(wanted(*input));
  if (study.on_gpu()) {
    const Knobs& knobs = study.first().space->knobs();
    const auto launched = block_knobs_of_launch(study.kernel, knobs);
    knowledge.block_knobs = launched ? *launched : own_block_knobs(knobs);
  }
  return knowledge;
}

LeastTimeOf least_times(const PreparedStudy& study) {
  require_walls(study);
  std::vector<LeastTimeOf> all;
  for (const auto& input : study.inputs)
    all.push_back(least_times(*input->space, input->movements, input->roofline));
  if (!study.objective) return all.front();
  if (none_of(all, [](const LeastTimeOf& least) { return bool(least); })) return {};
  return [&study, all](const Configuration& configuration) {
    return least_of_all(study, all, configuration);
  };
}

TextSet bound_knobs(const PreparedStudy& study) {
  TextSet names;
  for (const auto& input : study.inputs) names.merge(bound_knobs(*input->space, input->movements));
  return names;
}

}  // namespace rooftune::study
