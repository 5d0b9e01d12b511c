// A study's settings, typed, whether they come from the command line, a plan or a program.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/list.h"
#include "core/option.h"
#include "core/quantity.h"
#include "kernel/program.h"
#include "search/strategy.h"
#include "space/knob.h"
#include "store/study_subject.h"
#include "trial/objective.h"

namespace rooftune::study {

/// Any limits may be set; the first to be reached ends the search. Evaluations include the study's
/// earlier runs, but neither pruned trials nor those added after a search.
struct Budget {
  std::optional<uint64_t> evaluations = {};
  std::optional<Seconds> time = {};    ///< wall time for the whole command
  std::optional<Seconds> device = {};  ///< time on the device: validating and timing
  bool operator==(const Budget&) const = default;
};

/// Limits between commas: digits are evaluations, device=5min is time on the device, anything else
/// wall time. Throws Error.
Budget parse_budget(const std::string& text);
inline void from_text(const std::string& text, Budget& budget) { budget = parse_budget(text); }
inline void decode(const Place& place, Budget& budget) { decode_text(place, budget); }

/// Whether a run is long enough for anchors: no limit below 16 evaluations or 20 s.
bool worth_checks(const Budget& budget);

/// An input's parameters. A number may be a text, read as typed (2e6, 16Mi).
struct InputSpec {
  std::string name;  ///< for people: "n=1000"
  Facts parameters;
};
using InputSpecs = std::vector<InputSpec>;
/// An object of parameters, or a list of at least two.
void decode(const Place& place, InputSpecs& inputs);
/// "n=1000,steps=4", for people.
std::string name_of(const Facts& parameters);

/// The objective to minimise. The last two are for several inputs, where time means mean.
ROOFTUNE_ENUM(Goal, time, mean, minimax)
/// The caches' state before a sample.
ROOFTUNE_ENUM(CacheState, warm, cold)
/// Which configurations run before the search.
ROOFTUNE_ENUM(FirstSteps, published)

/// What a search is told.
struct SearchSpec : SearchMethod {
  Budget budget = {};
  double target_gap = 1.05;
  std::optional<FirstSteps> path;
  int builders = 1;       ///< compilers at work at once; 0 in a spec: as many as usable CPUs
  bool staircase = true;  ///< measure the steps from the baseline to the winner
};

/// Without a back end it is cuda on a GPU, else openmp. The lists at its end hold the members that
/// users set, each once: command-line options, the members of plans and their schema come from
/// these lists.
struct StudySpec : SearchSpec, StudySubject {
  StudySpec() {
    budget.time = Seconds(120);
    builders = 0;
    machine = "host";
    strategy = default_strategy;
  }
  std::optional<Program> program;   ///< tuned in place of a kernel
  std::string card;                 ///< index or UUID; empty: the first
  InputSpecs inputs;                ///< empty: one with all defaults
  int nodes = 1;                    ///< in the scheduler's allocation, this one included
  std::optional<CacheState> cache;  ///< absent: the kernel's own choice
  double amortize = 0;              ///< calls per conversion of the layout; 0: it is not counted
  fs::path results = "results";

  Goal objective = Goal::time;
  std::vector<Facts> start;       ///< configurations to try first, as changes to the baseline
  std::string counters = "auto";  ///< auto, none or the name of a counter provider
  bool anchors = true;            ///< measure three ceilings again at both ends of the run
  bool pruning = true;            ///< leave out provable losers
  bool transfer = true;           ///< begin with the best from the kernel's other studies
  bool fresh = false;             ///< set earlier records of the study aside
  bool wait = false;              ///< waits while another process runs the study; else throws Error
  std::string revision;           ///< the kernel's sources'; empty: as git says
  Texts command;                  ///< as typed, for provenance

  /// The program's name, or the name of the kernel's folder.
  std::string subject() const { return program ? program->study_name() : file_name(kernel); }
  bool weighs_inputs() const { return objective != Goal::time; }

  /// Options for every command on studies. Axes in a plan's matrix vary in the order of these
  /// lists.
  static void selection(auto& self, auto& visit) {
    ROOFTUNE_FIELD(kernel, {.about = "Kernel: a name (tune list kernels) or a folder",
                            .placeholder = "KERNEL",
                            .letter = 'k'});
    ROOFTUNE_FIELD(program, {.about = "A program instead of a kernel", .placeholder = "PROGRAM"});
    ROOFTUNE_FIELD(backend, {"Back end of the kernel", "BACKEND", "cuda on a GPU, else openmp"});
    ROOFTUNE_FIELD(machine,
                   {.about = "Machine: host, auto (the GPU here), or a name (tune list machines)",
                    .placeholder = "MACHINE",
                    .letter = 'm'});
    visit("gpu", self.card, {"Card to run on: its index or UUID", "CARD", "the first"});
    ROOFTUNE_FIELD(threads, {"Most threads a variant may use", "N", "all usable", 0, 65536});
    ROOFTUNE_FIELD(cache, {"Cache state before a sample", "", "the kernel's own"});
    visit("problem", self.inputs,
          {"Problem parameters: name=value[,name=value...]; several times: one configuration for "
           "all these inputs",
           "K=V,..."});
    ROOFTUNE_FIELD(amortize, {"Calls that share one conversion of the data layout", "CALLS",
                              "it is not counted", 0});
    ROOFTUNE_FIELD(results, {.about = "Directory of records and pages",
                             .placeholder = "DIR",
                             .usual = "$ROOFTUNE_RESULTS or ./results",
                             .refused_in_files = "is the sweep's: tune sweep --results DIR"});
  }
  static void search_options(auto& self, auto& visit) {
    ROOFTUNE_FIELD(strategy, {"Search strategy (tune list strategies)", "STRATEGY"});
    ROOFTUNE_FIELD(seed, {"Seed of the search", "N"});
    ROOFTUNE_FIELD(
        budget,
        {"Evaluations (40), wall time (90s, 10min, 1h), device time (device=5min), or several "
         "between commas",
         "BUDGET", "2min"});
    ROOFTUNE_FIELD(
        objective,
        {"Objective to minimise: the time per call; of several inputs mean (the geometric mean "
         "of their gaps) or minimax (the largest gap)"});
    ROOFTUNE_FIELD(target_gap, {"Stop when time/bound is at most this", "X", "", 1});
    ROOFTUNE_FIELD(path,
                   {"First run the steps of the literature in order (published), then search on"});
    ROOFTUNE_FIELD(
        start,
        {"A configuration of your own to try first: knob=value[,knob=value...], other knobs as in "
         "the baseline; several times",
         "K=V,..."});
    ROOFTUNE_FIELD(transfer, {"Begin with the best of other studies of the kernel"});
    ROOFTUNE_FIELD(pruning, {"Leave out provable losers"});
  }
  static void measurement_options(auto& self, auto& visit) {
    ROOFTUNE_FIELD(nodes,
                   {.about = "Nodes of an allocation of Slurm that try configurations, this one "
                             "among them, which also races (docs/clusters.md)",
                    .placeholder = "N",
                    .least = 1,
                    .most = 1000,
                    .refused_in_files = "is of one study: tune sweep --launcher slurm"});
    ROOFTUNE_FIELD(builders, {"Compilers at work at once, while nothing is timed", "N",
                              "all usable CPUs", 0, 65536});
    ROOFTUNE_FIELD(
        counters,
        {"Provider of the counts of flops and bytes of best and baseline, once they are timed: "
         "auto, none or a name (tune list counters)",
         "COUNTERS"});
    ROOFTUNE_FIELD(anchors, {"Measure three ceilings again at the start and the end of the run"});
    ROOFTUNE_FIELD(staircase, {"Measure the steps from the baseline to the winner"});
    ROOFTUNE_FIELD(revision,
                   {"Revision of the sources, kept with the study", "TEXT", "as git says"});
    ROOFTUNE_FIELD(fresh, {.about = "Start anew instead of resuming the same study",
                           .refused_in_files = "is the sweep's: each of its runs starts anew"});
    ROOFTUNE_FIELD(
        wait,
        {.about = "Wait for the end of another process on the study, or timing on the same cores",
         .refused_in_files = "is the sweep's: \"when_busy\" of the plan, or tune sweep --wait"});
  }
  static void fields(auto& self, auto& visit) {
    selection(self, visit);
    search_options(self, visit);
    measurement_options(self, visit);
  }
};

}  // namespace rooftune::study
