// A study as it stands on record: its setup, its model, and every event since. Events pass through
// the same apply() when they happen and when they are read back, so a continued study and a later
// report see the same.
#pragma once
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/list.h"
#include "core/version.h"
#include "roofline/drift.h"
#include "roofline/machine_json.h"
#include "roofline/roofline.h"
#include "space/knob.h"
#include "space/search_space.h"
#include "store/study_subject.h"
#include "trial/card_span.h"
#include "trial/evaluator.h"
#include "trial/staircase.h"
#include "trial/trial.h"

namespace rooftune::store {

/// A study's identity; studies with equal ids continue each other.
struct StudyHeader : StudyKey, SearchMethod {
  std::string machine_id;
  Json problem;             ///< parameters; for several inputs, a list with each input's
  std::string cache_state;  ///< warm or cold
  std::string explanation;  ///< LabelledHash::dump
  static void fields(auto& self, auto& visit) {
    std::string version = core::version;
    ROOFTUNE_EACH(visit, self, id, kernel, backend, machine, machine_id, strategy);
    visit("seed", AsText{self.seed}).defaulted("problem", self.problem);
    ROOFTUNE_EACH(visit, self, threads, cache_state, explanation);
    visit.defaulted("rooftune", version).open();
  }
};

/// A kernel's input with its model, as kernel.json and problem.cpp gave them then.
struct InputModel {
  std::string name;      ///< "n=1000"; empty when it is the only one
  Facts problem, facts;  ///< parameters; more facts, from back end and problem.cpp
  Work work;
  Traffic traffic;
  /// A sentence that names the stand-in for the kernel's reference; empty: the reference itself.
  std::string reference = {};
  /// Parameters and facts together.
  Facts known() const;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit.defaulted, self, name, problem, facts);
    ROOFTUNE_EACH(visit, self, work, traffic);
    visit.sparse("reference", self.reference).open();
  }
};

/// A study's search-space file: its place and all its content.
struct StoredSpace {
  fs::path file;
  Json content;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(file).defaulted("content", self.content).open();
  }
};

/// A machine as a study keeps it: without the probe's raw samples, which fill a quarter of its file
/// and enter no figure.
Machine recorded_machine(Machine machine);

/// A run's settings, with everything from which bound, gap, ledger and walls are computed.
struct StudySetup {
  std::string version;  ///< Rooftune's
  Texts command;
  std::string compiler, title;
  std::string revision;  ///< the kernel's repository's; empty: unknown
  fs::path kernel_folder;
  StoredSpace space;
  Json published;  ///< content of the published path, which ran first; null without
  Machine machine;
  double target_gap = 1.05;
  double amortize = 0;    ///< calls per conversion; 0: it is not counted
  int builders = 1;       ///< compilers at work at once
  std::string objective;  ///< for several inputs: mean or minimax; for a single input: empty
  std::vector<InputModel> inputs;
  std::string not_counted_because;  ///< why a configuration without counts has none
  std::optional<Transfer> transfer;
  std::optional<OwnFigure> own_figure;  ///< a program's own; absent: its time
  ByName<bool> goals;                   ///< its figures with a direction: whether more is better
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit.defaulted, self, version, command, compiler, title);
    visit.sparse("revision", self.revision);
    ROOFTUNE_EACH(visit, self, kernel_folder, space);
    visit.defaulted("published", self.published)("machine", self.machine);
    ROOFTUNE_EACH(visit.defaulted, self, target_gap, amortize, builders, objective);
    ROOFTUNE_FIELD(inputs)
        .check("inputs", !self.inputs.empty(), "at least one is needed")
        .defaulted("not_counted_because", self.not_counted_because);
    ROOFTUNE_EACH(visit.sparse, self, transfer, own_figure, goals);
    visit.open();
  }
};

/// Configurations that are chosen together, built together and then tried in this order; each was
/// chosen without the results of those before it. Written before they are built.
struct Proposed {
  Configurations configurations;
  static void fields(auto& self, auto& visit) { ROOFTUNE_FIELD(configurations).open(); }
};
/// A trial is about to run; names the killer when the run does not survive it.
struct Started {
  Configuration configuration;
  uint64_t index = 0;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, index, configuration);
    visit.open();
  }
};
/// The run ended while this trial was under way, for another cause: a signal, a full disk.
struct GivenUp : Started {};
/// Other activity on the machine, the clock of the tuner's own core before and after [Hz], and the
/// card's state.
struct Environment {
  std::string note;
  std::pair<std::optional<double>, std::optional<double>> clock;
  std::string unlocked = {};  ///< why others may have timed on the same cores; empty: none has
  std::optional<CardSpan> card = {};  ///< the whole run's, where its vendor's library knows
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit.defaulted, self, note, clock);
    ROOFTUNE_EACH(visit.sparse, self, unlocked, card);
    visit.open();
  }
};
/// The environment around one trial.
struct TrialEnvironment {
  uint64_t trial = 0;  ///< Trial::index
  Environment environment;
  static void fields(auto& self, auto& visit) {
    Environment::fields(self.environment, visit);
    ROOFTUNE_FIELD(trial);
  }
};
/// A node of a study that runs on several, and what became of the node.
struct StudyNode {
  ROOFTUNE_NESTED_ENUM(Part, races, tries, left_out, lost)
  std::string node;  ///< as the scheduler calls it
  Part part = Part::tries;
  std::string because = {};               ///< why a node was left out or lost
  std::optional<Estimate> baseline = {};  ///< its time there [s]; absent: it was not measured
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, node, part);
    ROOFTUNE_EACH(visit.sparse, self, because, baseline);
    visit.open();
  }
};
/// All counting runs on one input (from 0).
struct InputCounts {
  size_t input = 0;
  std::vector<CountedRun> runs;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(runs).defaulted("input", self.input).open();
  }
};
/// A run's wall time, from its first preparation to its last stage [s].
struct Waited {
  double seconds = 0;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(seconds);
    visit.check("seconds", self.seconds >= 0, "must not be negative").open();
  }
};

using Event = std::variant<StudyHeader, StudySetup, Proposed, Started, GivenUp, Trial, Refuted,
                           TrialEnvironment, Environment, AnchorReadings, Race, StaircaseRace,
                           StudyNode, InputCounts, Stopped, Waited>;

struct StudyRecord {
  StudyHeader header;
  std::optional<StudySetup> setup;
  History history;  ///< by trial index
  std::map<uint64_t, Environment> trial_environments;
  /// These two are the latest run's; a new header, the first event in its file, empties them.
  std::optional<Environment> environment;
  std::optional<Stopped> stopped;
  double waited = 0;  ///< in all runs, but for killed ones [s]
  /// Results of the search as it stands; the search's next proposal empties them.
  std::optional<Race> race;
  std::optional<StaircaseRace> staircase;
  std::optional<AnchorReadings> anchors;
  std::vector<StudyNode> nodes;  ///< as each was last; empty: the study ran on one
  std::map<size_t, std::vector<CountedRun>> counts;  ///< by input
  Configurations proposed;                           ///< together, the latest; tried or not
  size_t refuted = 0;                                ///< how many Refuted events
  std::vector<Started> started;                      ///< neither a trial nor given up yet
  Texts faults;                                      ///< torn tails, unreadable lines
  Texts notes;        ///< where the model was taken from, when not from the record
  fs::path place;     ///< its file while it runs, else the folder of its files
  std::string newer;  ///< "FILE: schema ..." where another version wrote; empty: all could be read

  void apply(Event event);
  /// Configurations that started and are neither a trial nor given up: each may have killed its
  /// run. One entry for each such run.
  Configurations unfinished() const;
  /// Throws Error when a newer Rooftune wrote part of the records.
  void require_readable() const;
  /// Throws Error like require_readable(), and for a run killed before it wrote its setup.
  const StudySetup& require_setup() const;
  size_t inputs() const { return setup ? setup->inputs.size() : 1; }
  /// Counting runs on one input; empty when there are none.
  std::vector<CountedRun> counts_of(size_t input) const;
};

/// The study as one of its inputs saw it; races keep their configurations.
StudyRecord on_input(const StudyRecord& study, size_t input);

/// The schema of written records. It changes when an old reader would misread.
inline constexpr const char* record_schema = "rooftune-record-2";
/// How the schema of a record begins, in any version.
inline constexpr const char* record_family = "rooftune-record-";

/// "study", "setup", "trial", "race", ...
const char* event_name(const Event& event);
Json body_json(const Event& event);
/// The event as its line in a record file.
Json record(const Event& event);
/// nullopt for an unknown event. Throws Error for a malformed body.
std::optional<Event> event_from_json(const std::string& name, const Json& body,
                                     const std::string& where);

}  // namespace rooftune::store
