// The command line as data: the options of each command. Filled by parse(), read by the commands.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/spec.h"

namespace rooftune::cli {

struct LauncherOptions {
  std::string name = "local";  ///< or slurm
};

struct TuneOptions {
  StudySpec spec;
  LauncherOptions launcher;
  std::string json;
  bool dry_run = false, quiet = false;
  bool verbose = false;  ///< the evidence behind the answer too
  /// Of a Kokkos application: the label of the tuned kernel, empty: all.
  std::optional<std::string> kokkos;
};

struct ProbeOptionsLine {
  std::string machine = "host";
  std::string output;
  std::optional<std::string> gpu;  ///< a card by index or UUID, empty the first; absent: the host
  bool quick = false, full = false, quiet = false, verbose = false;
  bool forget = false;  ///< the results of an earlier probe
  bool verify = false;  ///< compare plain loops with the existing file, instead of probing
  double seconds = 0;   ///< budget; 0: the usual one
  std::string json;     ///< of verify
};

struct ReportOptions {
  std::string kernel, machine, study, results;
  std::vector<std::string> compared;  ///< ids of studies, or folders of results with one each
  std::string sweep;                  ///< folder of sweeps; empty: a study or a machine
  std::vector<std::string> outputs;   ///< of a sweep as of SweepOptions, else at most one page
  std::size_t input = 0;  ///< of a study of several inputs, from 1; 0: the farthest from its bound
  bool current_model = false;  ///< with today's kernel, space and machine file, not the record's
  bool verbose = false;        ///< as in TuneOptions
};

struct PlotOptions {
  std::vector<std::string> studies;  ///< as ReportOptions::compared, one too; empty: the latest
  std::string kernel, results, output;
  std::string chart = "roofline";  ///< or convergence
};

struct ListOptions {
  std::string what;  ///< kernels machines strategies knobs counters exporters
  std::string kernel, backend = "openmp";
  bool json = false;
};

struct CheckOptions {
  std::string path;
  std::string backend;               ///< only this one; empty: all
  std::string machine = "a100";      ///< target of the compiled CUDA kernels
  int sample = 0;                    ///< configurations besides the baseline
  std::uint64_t seed = 1;            ///< of the sample, and of the emulation's random order
  std::vector<std::string> changes;  ///< "tile=64,unroll=2": only the baseline with these knobs
  bool compile_only = false;
  std::string emit_knobs;  ///< the header of knobs to write; then nothing is built
  std::string json;
  std::vector<std::string> problem;
};

struct ExplainOptions {
  StudySpec spec;
  std::string study;           ///< id of one, or how it begins; empty: the latest match
  std::string trial;           ///< index in the study, or empty: the study itself
  std::size_t input = 0;       ///< as in ReportOptions
  bool current_model = false;  ///< as in ReportOptions
  bool source = false;         ///< only the trial's source
  bool diff = false;           ///< only its source's differences from the baseline's
};

struct ExportOptions {
  StudySpec spec;
  std::string format = "header", output;
  std::string study;         ///< id of one, or how it begins; empty: the best match
  std::string require;       ///< validated (the default), conclusive
  bool verify = true;        ///< build, validate and time it again, beside the baseline
  bool as_recorded = false;  ///< also of another machine than this
};

struct BenchOptions {
  StudySpec spec;
  int rounds = 20;
  std::vector<std::string> peers;    ///< empty: all, unless trials or changes are named
  std::string study;                 ///< id of one, or how it begins; empty: the best match
  std::vector<std::string> trials;   ///< of the chosen study, beside its best
  std::vector<std::string> changes;  ///< "tile=64,unroll=2": the best with these knobs
  std::string json;
};

struct BaselineOptions {
  std::string action;    ///< accept, list, show
  ExportOptions choice;  ///< choice of the study
  std::string who, why;
  bool json = false;
};

/// The applications' exports, in place of the plan's.
struct ExportsOptions {
  std::string places;   ///< files or folders, with ':' between them
  bool update = false;  ///< replace them by a better one
};

struct SweepOptions {
  std::string plan, results, json;
  std::string fail_on = "inconclusive";  ///< never, regression, inconclusive
  std::vector<std::string> only;         ///< studies of the plan; empty: all
  bool quiet = false, verbose = false, wait = false, share_machine = false;
  std::vector<std::string> outputs;  ///< FORMAT=FILE
  ExportsOptions exports;
  bool check = false, dry_run = false;
  LauncherOptions launcher;
  std::size_t shards = 0;  ///< jobs of a machine; 0: one for each study
};

struct WorkerOptions {
  std::string plan, machine, sweep, results;  ///< no plan: variants for a parent tune
  std::string shard = "1/1";
  ExportsOptions exports;
  bool quiet = false;
};

struct RecordsOptions {
  enum class Action { verify, merge, gc };
  Action action = Action::verify;
  std::string results;
  std::vector<std::string> sources, named_in;
  std::string older_than;  ///< "90d"; empty: any age
  std::optional<std::size_t> keep;
  bool dry_run = false;
};

struct SpaceOptions {
  std::string file, machine = "host";
  std::vector<std::string> problem;
  bool count = false, json = false;
};

struct CacheOptions {
  bool clean = false, all = false;   ///< not `clean`: status
  std::optional<double> older_than;  ///< days
  std::string limit;                 ///< "2 GB"
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
  /// Knobs with the number of threads of a block as their product; empty: those of the convention.
  std::vector<std::string> block_size_names;
  std::optional<Fraction> until_within, confidence;  ///< as of `tune`: ends certain searches
  bool json = false;
};

struct GlossaryOptions {
  std::string word;  ///< empty: all
};

struct DoctorOptions {
  std::string results;
  bool json = false;
};

struct KokkosOptions {
  std::string profile, work, machine = "host";
  bool all = false;
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
  baseline,
  bench,
  plot,
  space,
  replay,
  import_,
  cache,
  kokkos,
  doctor,
  glossary,
  worker,
  records,
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
  BaselineOptions baseline;
  BenchOptions bench;
  PlotOptions plot;
  KokkosOptions kokkos;
  DoctorOptions doctor;
  GlossaryOptions glossary;
  WorkerOptions worker;
  RecordsOptions records;
  SpaceOptions space;
  ReplayOptions replay;
  ImportOptions import_;
  CacheOptions cache;
  std::string text;               ///< help or version text to print
  std::vector<std::string> argv;  ///< as typed, for provenance
};

/// Throws Error (usage) with the fault and the way to the help.
CommandLine parse(int argc, const char* const* argv);
/// Results directory: the option, else $ROOFTUNE_RESULTS, else ./results.
std::string results_directory(const std::string& option);

// One function per command, each in its own file; they print and return the exit code.
int tune_command(const TuneOptions& options);
int probe_command(const ProbeOptionsLine& options);
int report_command(const ReportOptions& options);
int list_command(const ListOptions& options);
int check_command(const CheckOptions& options);
int explain_command(const ExplainOptions& options);
int export_command(const ExportOptions& options);
int bench_command(const BenchOptions& options);
int plot_command(const PlotOptions& options);
int sweep_command(const SweepOptions& options);
int baseline_command(const BaselineOptions& options);
int worker_command(const WorkerOptions& options);
int records_command(const RecordsOptions& options);
int space_command(const SpaceOptions& options);
int replay_command(const ReplayOptions& options);
int import_command(const ImportOptions& options);
int cache_command(const CacheOptions& options);
int kokkos_command(const KokkosOptions& options);
int doctor_command(const DoctorOptions& options);
int glossary_command(const GlossaryOptions& options);

}  // namespace rooftune::cli
