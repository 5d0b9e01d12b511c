// The command line as data: the options of each command. Filled by parse(), read by the commands.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "study/spec.h"

namespace rooftune::cli {

struct TuneOptions {
  StudySpec spec;
  Program program;  ///< of --command, as typed
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
  bool full = false, quiet = false, verbose = false;
  bool forget = false;  ///< the results of an earlier probe
  double seconds = 0;   ///< budget; 0: the usual one
};

struct ReportOptions {
  std::string kernel, machine, study, results;
  /// An extension's own report.
  std::function<int(const ReportOptions&)> instead;
  std::vector<std::string>
      outputs;            ///< at most one page, chart or table, unless `instead` takes more
  std::size_t input = 0;  ///< of a study of several inputs, from 1; 0: the farthest from its bound
  bool verbose = false;   ///< as in TuneOptions
};

struct ListOptions {
  std::string what;  ///< kernels machines strategies knobs counters exporters studies ...
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
  std::string study;      ///< id of one, or how it begins; empty: the latest match
  std::string trial;      ///< index in the study, or empty: the study itself
  std::size_t input = 0;  ///< as in ReportOptions
  bool source = false;    ///< only the trial's source
  bool diff = false;      ///< only its source's differences from the baseline's
};

struct ExportOptions {
  StudySpec spec;
  std::string format = "header", output;
  std::string study;         ///< id of one, or how it begins; empty: the best match
  bool as_recorded = false;  ///< not built, validated and timed again; also of another machine
  std::string sizes;         ///< "1e4,1e6", "n=1e4,1e6": of a library; empty: those of the studies
  std::string rollback;      ///< an export whose earlier one comes back, and nothing else
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

struct RecordsOptions {
  enum class Action { verify, merge, gc };
  Action action = Action::verify;
  std::string results;
  std::vector<std::string> sources;
  std::string older_than;  ///< "90d"; empty: any age
  std::optional<std::size_t> keep;
  bool dry_run = false;
};

struct DoctorOptions {
  std::string results;
  bool json = false;
};

/// What was typed: the command is a function, its options are here or in the function.
struct CommandLine {
  std::function<int(const CommandLine&)> run;
  TuneOptions tune;
  ReportOptions report;
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
int records_command(const RecordsOptions& options);
int doctor_command(const DoctorOptions& options);

std::vector<std::string> listings();

}  // namespace rooftune::cli
