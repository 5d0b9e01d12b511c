#include "store/study_record.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "core/error.h"
#include "core/list.h"
#include "space/knob.h"

namespace rooftune::store {
namespace {

/// A trial as one input saw it.
Trial on_input(Trial trial, size_t input) {
  if (!trial.measurement || trial.measurement->inputs.size() <= input) return trial;
  Measurement here = trial.measurement->inputs[input];
  if (here.samples.empty()) {
    trial.measurement.reset();
    if (trial.outcome == Outcome::ok) trial.outcome = Outcome::pruned;
  } else {
    trial.measurement = std::move(here);
  }
  return trial;
}

/// One overload per event, with its changes.
struct Apply {
  StudyRecord& study;

  /// A run begins; if its setup equals the last run's, it is on record already.
  void operator()(StudyHeader header) {
    study.header = std::move(header);
    study.environment.reset();
    study.stopped.reset();
  }
  void operator()(Proposed together) { study.proposed = std::move(together.configurations); }
  void operator()(Started started) { study.started.push_back(std::move(started)); }
  void operator()(const GivenUp& given_up) {
    const auto last =
        std::find_if(study.started.rbegin(), study.started.rend(), [&](const auto& s) {
          return s.index == given_up.index && s.configuration == given_up.configuration;
        });
    if (last != study.started.rend()) study.started.erase(std::next(last).base());
  }
  void operator()(Trial trial) {
    std::erase_if(study.started,
                  [&](const Started& s) { return s.configuration == trial.configuration; });
    if (trial.because.empty()) {
      study.race.reset();
      study.staircase.reset();
    }
    study.history.append(std::move(trial));
  }
  void operator()(const Refuted& refuted) {
    study.history.refute(refuted.configuration, refuted.detail);
    ++study.refuted;
    const auto ran = [&](const Race& race) {
      return contains(race.configurations, refuted.configuration);
    };
    if (study.staircase && ran(study.staircase->race)) study.staircase.reset();
    if (!study.race || !ran(*study.race)) return;
    study.race.reset();
    study.staircase.reset();
  }
  void operator()(TrialEnvironment one) {
    study.trial_environments[one.trial] = std::move(one.environment);
  }
  void operator()(StudyNode node) {
    std::erase_if(study.nodes, [&](const StudyNode& one) { return one.node == node.node; });
    study.nodes.push_back(std::move(node));
  }
  void operator()(InputCounts counts) { study.counts[counts.input] = std::move(counts.runs); }
  void operator()(const Waited& run) { study.waited += run.seconds; }
  /// For every other event, the last is kept.
  template <typename Last>
  void operator()(Last last) {
    std::get<std::optional<Last>&>(std::tie(study.setup, study.environment, study.anchors,
                                            study.race, study.staircase, study.stopped)) =
        std::move(last);
  }
};

constexpr size_t kinds = std::variant_size_v<Event>;
/// In the order of Event.
constexpr std::array<const char*, kinds> names{
    "study",       "setup",   "proposed", "started",
    "given up",    "trial",   "refuted",  "trial environment",
    "environment", "anchors", "race",     "staircase",
    "node",        "counts",  "stopped",  "waited"};

template <size_t... I>
Event read_event(size_t kind, const Json& body, const std::string& where,
                 std::index_sequence<I...>) {
  using Read = Event (*)(const Json&, const std::string&);
  static constexpr Read readers[] = {[](const Json& json, const std::string& place) -> Event {
    return decoded<std::variant_alternative_t<I, Event>>(json, place);
  }...};
  return readers[kind](body, where);
}

}  // namespace

Machine recorded_machine(Machine machine) {
  for (Ceiling& ceiling : machine.ceilings) ceiling.samples.clear();
  machine.slurm.reset();
  return machine;
}

Facts InputModel::known() const {
  Facts all = problem;
  all.insert(facts.begin(), facts.end());
  return all;
}

void StudyRecord::apply(Event event) { std::visit(Apply{*this}, std::move(event)); }

Configurations StudyRecord::unfinished() const {
  return filtered(members(started, &Started::configuration),
                  [&](const Configuration& one) { return !history.tried(one); });
}

void StudyRecord::require_readable() const {
  if (newer.empty()) return;
  throw Error("a newer version of Rooftune wrote records of this study, which this one cannot read",
              newer,
              "read it with that version; to tune here anyway, choose another directory with "
              "--results DIR, or begin anew with --fresh");
}

const StudySetup& StudyRecord::require_setup() const {
  require_readable();
  if (setup) return *setup;
  throw Error("the records of study " + header.id + " hold no setup", header.kernel,
              "the run was killed before it measured anything; run the same tune command again");
}

std::vector<CountedRun> StudyRecord::counts_of(size_t input) const {
  auto* found = value_at(counts, input);
  return found ? *found : std::vector<CountedRun>{};
}

StudyRecord on_input(const StudyRecord& study, size_t input) {
  StudyRecord result = study;
  const InputModel own = study.require_setup().inputs.at(input);
  result.setup->inputs = {own};
  result.header.problem = study.header.problem.at(input);
  result.history = History();
  for (const Trial& trial : study.history.trials()) result.history.append(on_input(trial, input));
  if (study.race && study.race->inputs.size() > input) result.race = on_input(*study.race, input);
  if (study.staircase && study.staircase->race.inputs.size() > input)
    result.staircase->race = on_input(study.staircase->race, input);
  result.counts = {{0, study.counts_of(input)}};
  return result;
}

/// A ceiling measured again: its name, its level or precision, and its rate.
struct Anchor {
  Ceiling value;
  static void check(Anchor& anchor, const Place& place) {
    Ceiling& ceiling = anchor.value;
    ceiling.kind = ceiling.level.empty() ? Ceiling::Kind::in_core : Ceiling::Kind::bandwidth;
    if (!(ceiling.rate.low > 0 && ceiling.rate.value > 0))
      place.member("rate").fault("must be above 0");
  }
  static void fields(auto& self, auto& visit) {
    visit("name", self.value.name).defaulted("level", self.value.level);
    visit.defaulted("precision", self.value.precision).defaulted("stable", self.value.stable);
    visit("rate", self.value.rate.value)("low", self.value.rate.low)("high", self.value.rate.high);
    visit.then(self, check).open();
  }
};

void fields(FieldsOf<AnchorReadings> auto& self, auto& visit) {
  visit.defaulted("start", list_as<Anchor>(self.start)).defaulted("end", list_as<Anchor>(self.end));
  visit.defaulted("between", list_as<Anchor>(self.between)).open();
}

const char* event_name(const Event& event) { return names[event.index()]; }

Json body_json(const Event& event) {
  return std::visit([](const auto& one) { return encode(one); }, event);
}

Json record(const Event& event) {
  return Json{{"schema", record_schema}, {"event", event_name(event)}, {"body", body_json(event)}};
}

std::optional<Event> event_from_json(const std::string& name, const Json& body,
                                     const std::string& where) {
  const auto kind = index_of(names, name);
  if (!kind) return std::nullopt;
  return read_event(*kind, body, where, std::make_index_sequence<kinds>());
}

}  // namespace rooftune::store
