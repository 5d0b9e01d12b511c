// Settings of a study: from the command line, a plan or a program alike, typed.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernel/program.h"
#include "search/strategy.h"
#include "space/knob.h"
#include "study/budget.h"
#include "trial/objective.h"

namespace rooftune::study {

/// Parameters of one input. A text for a number is read as typed (2e6, 16Mi).
struct InputSpec {
  std::string name;  ///< for people: "n=1000"
  Facts parameters;
};

struct StudySpec {
  std::string kernel;              ///< a name or a folder
  std::optional<Program> program;  ///< tuned instead of a kernel
  std::string machine = "host";
  std::string backend;            ///< empty: cuda on a GPU, else openmp
  std::string card;               ///< index or UUID; empty: the first
  std::vector<InputSpec> inputs;  ///< empty: one of defaults
  std::string strategy = default_strategy;
  std::uint64_t seed = 1;
  int threads = 0;           ///< most threads; 0: all usable
  int builders = 0;          ///< compilers at work at once; 0: as many as there are usable CPUs
  std::optional<bool> warm;  ///< caches before a sample; absent: the kernel's own choice
  double amortize = 0;       ///< calls per conversion of the layout; 0: it is not counted
  std::filesystem::path results = "results";

  Budget budget{.time = Seconds(120)};
  std::optional<Objective::Aim> objective;  ///< of several inputs; absent: the mean
  Figure ranked_by = Figure::time;          ///< of one input also energy, on a card that counts it
  std::optional<Certainty> certainty;
  double target_gap = 1.05;
  bool published_path = false;       ///< first the steps of the literature
  std::string counters = "auto";     ///< auto, none or the name of a counter provider
  int count_sample = 3;              ///< configurations to count beside best and baseline
  bool anchors = true;               ///< measure three ceilings again at both ends of the run
  bool pruning = true;               ///< leave out provable losers
  bool ablation = true;              ///< set the winner's knobs back
  bool experiments = true;           ///< measure the cost of walls of traffic
  bool transfer = true;              ///< begin with the best of other studies of the kernel
  bool fresh = false;                ///< set earlier records of the study aside
  bool wait = false;                 ///< while another process runs the study; else an Error
  bool share_machine = false;        ///< time on free cores, beside others
  bool only_search = false;          ///< of a sweep: races, counts, anchors and pages come later
  std::vector<std::string> command;  ///< as typed, for provenance
};

/// Words of an objective: "time", "energy", and of several inputs "mean", "minimax".
const std::vector<std::string>& objective_words();
/// Sets both members of such a word. Throws Error for another one.
void set_objective(StudySpec& spec, const std::string& word);

}  // namespace rooftune::study
