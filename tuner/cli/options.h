// The command line as data: what each command was asked for. Filled by parse(), read by the
// commands.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/strategy.h"

namespace rooftune {

/// What names a study; shared by the commands that tune, explain, report and export.
struct StudyOptions {
  std::string kernel;
  std::string machine = "host";
  std::string backend;               ///< empty: cuda on a GPU, else openmp
  std::string gpu;                   ///< index or UUID of the card; empty: the first
  std::vector<std::string> problem;  ///< "n=1000,steps=4" for each input
  std::string strategy = default_strategy;
  std::uint64_t seed = 1;
  int threads = 0;
  std::string cache;    ///< "", warm or cold
  double amortize = 0;  ///< calls that share a conversion of the layout; 0: it is not counted
  std::string results;
};

struct TuneOptions {
  StudyOptions study;
  std::string budget = "2min";
  std::string objective;  ///< of several inputs: "mean" (also when empty) or "minimax"
  std::string until_within, confidence;  ///< "5%", "95%"; empty: no such stop rule
  double target_gap = 1.05;
  std::string path;  ///< "" or "published"
  std::string json;
  bool dry_run = false, fresh = false, quiet = false;
  std::string counters = "auto";  ///< auto, none or the name of a counter provider
  int count_sample = 3;           ///< configurations that are counted beside best and baseline
  bool no_anchors = false;        ///< do not measure any ceiling again
  bool no_pruning = false;        ///< measure also what is proven to lose
  bool no_ablation = false;       ///< leave the winner's knobs as they are
  bool no_experiments = false;    ///< do not find out what walls of traffic cost
  bool transfer = false;          ///< begin with what was best in other studies of the kernel
  bool only_search = false;       ///< of a sweep: races, counts, anchors and pages come later
};

struct ProbeOptionsLine {
  std::string machine = "host";
  std::string output;
  std::optional<std::string> gpu;  ///< a card by index or UUID, empty the first; absent: the host
  bool quick = false, full = false, quiet = false;
};

struct ReportOptions {
  std::string kernel, machine, study, results, output;
  std::size_t input = 0;  ///< of a study of several inputs, from 1; 0: the farthest from its bound
};

struct ListOptions {
  std::string what;  ///< kernels machines strategies knobs counters exporters
  std::string kernel, backend = "openmp";
  bool json = false;
};

struct CheckOptions {
  std::string path;
  std::string backend;           ///< only this one; empty: all
  std::string machine = "a100";  ///< whose CUDA kernels are compiled
  int sample = 0;                ///< configurations besides the baseline
  std::uint64_t seed = 1;
  bool compile_only = false;
  std::string json;
  std::vector<std::string> problem;
};

struct ExplainOptions {
  StudyOptions study;
  std::string trial;      ///< index in the study, or empty: the study itself
  std::size_t input = 0;  ///< as in ReportOptions
};

struct ExportOptions {
  StudyOptions study;
  bool any_problem = true;  ///< no --problem given: the newest study of the kernel
  std::string format = "header", output;
};

struct BenchOptions {
  StudyOptions study;
  int rounds = 20;
  std::vector<std::string> peers;  ///< empty: all
  std::string json;
};

struct SweepOptions {
  std::string plan, results, json;
  bool quiet = false;
};

struct SpaceOptions {
  std::string file, machine = "host";
  std::vector<std::string> problem;
  bool count = false, json = false;
};

struct ImportOptions {
  std::string file, format = "t4", output;
};

struct ReplayOptions {
  std::vector<std::string> files;
  std::string strategy;  ///< names between commas, or "all"
  std::size_t seeds = 50, budget = 400;
  std::string transfer;  ///< records of the kernel on another card, size or night; empty: none
  std::string machine;   ///< the card of the files; empty: the machine file that describes it
  /// Knobs whose product is the number of threads of a block; empty: those of the convention.
  std::vector<std::string> block_size_names;
  std::string until_within, confidence;  ///< as of `tune`: ends searches that are sure
  bool json = false;
};

enum class CommandName {
  tune,
  probe,
  report,
  list,
  check,
  explain,
  export_,
  sweep,
  bench,
  index,
  space,
  replay,
  import_,
  worker,
  help
};

struct CommandLine {
  CommandName command = CommandName::help;
  TuneOptions tune;
  ProbeOptionsLine probe;
  ReportOptions report;
  ListOptions list;
  CheckOptions check;
  ExplainOptions explain;
  ExportOptions export_;
  SweepOptions sweep;
  BenchOptions bench;
  std::string index_results;
  SpaceOptions space;
  ReplayOptions replay;
  ImportOptions import_;
  std::string text;               ///< help or version text to print
  std::vector<std::string> argv;  ///< as typed, for provenance
};

/// Throws Error (usage) with what is wrong and how to see the help.
CommandLine parse(int argc, const char* const* argv);
/// Results directory: the option, else $ROOFTUNE_RESULTS, else ./results.
std::string results_directory(const std::string& option);

// One function per command, each in its own file; they print and return the exit code.
int tune_command(const CommandLine& line);
int probe_command(const ProbeOptionsLine& options);
int report_command(const ReportOptions& options);
int list_command(const ListOptions& options);
int check_command(const CheckOptions& options);
int explain_command(const ExplainOptions& options);
int export_command(const ExportOptions& options);
int bench_command(const BenchOptions& options);
int sweep_command(const SweepOptions& options);
int index_command(const std::string& results);
int space_command(const SpaceOptions& options);
int replay_command(const ReplayOptions& options);
int import_command(const ImportOptions& options);

}  // namespace rooftune
