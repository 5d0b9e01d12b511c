// The command line as data: each command's options. Filled by parse(), read by the commands.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "probe/probe.h"
#include "space/search_space.h"
#include "study/spec.h"

namespace rooftune::cli {

// Options that several commands share.
inline constexpr Option results_option{"Directory of records and pages", "DIR"};
inline constexpr Option json_option{"As JSON"};
inline constexpr Option verbose_option{"The evidence too, not only the answer"};
inline constexpr Option input_option{"Of a study of several inputs, this one, from 1", "N",
                                     "the farthest from its bound", 1};
inline constexpr Option latest_study{"Id of a study, or how it begins", "ID",
                                     "the latest that fits"};
inline constexpr Option best_study{"Id of a study, or how it begins", "ID", "the best that fits"};

// Each fields() says what its members mean. An absent number or an empty text was not typed.

struct TuneOptions {
  StudySpec spec;
  Program program;  ///< what --command names, as typed
  std::string json;
  bool dry_run = false, quiet = false, verbose = false;
  /// The label of the kernel to tune in a Kokkos application; empty: all kernels.
  std::optional<std::string> kokkos;
  static void fields(auto& self, auto& visit) {
    StudySpec::fields(self.spec, visit);
    ROOFTUNE_FIELD(json, {"Write the result as JSON ('-': standard output)", "FILE"});
    ROOFTUNE_FIELD(dry_run, {"Print bound, space and first proposals; measure nothing"});
    visit("q,quiet", self.quiet, {"No progress, only the result"});
    visit("v,verbose", self.verbose, verbose_option);
  }
};

struct ProbeOptionsLine {
  ProbeOptions probe;
  std::string output;
  std::optional<std::string> gpu;  ///< absent: the host
  bool quiet = false, verbose = false, forget = false;
  std::optional<Seconds> budget;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(
        gpu,
        {"Measure a GPU: its index or UUID, else the first; its machine is called gpu", "CARD"});
    visit("m,machine", self.probe.name, {"Name of the machine file", "MACHINE"});
    visit("o,output", self.output, {"File to write instead of machines/<name>.json", "FILE"});
    visit("full", self.probe.full, {"The whole lattice, under six minutes instead of 15 s"});
    ROOFTUNE_FIELD(forget, {"Start anew: keep nothing of the earlier file of this machine"});
    ROOFTUNE_FIELD(budget, {"Most time: 90 or 90s, 2min", "TIME",
                            "15 s; with --full 320 s, of a GPU 30 s and 2min"});
    visit("q,quiet", self.quiet, {"No progress"});
    visit("v,verbose", self.verbose, {"All ceilings, not only the roofs"});
  }
};

struct ReportOptions {
  StudySubject subject;
  std::string results;
  Texts subjects;  ///< study ids, or folders with their records; or one recording's file
  // Extensions' own reports, on all that was typed, and on a recording's file.
  std::function<int(const ReportOptions&)> instead, of_file;
  /// At most one page, chart or table, unless `instead` takes more.
  Texts outputs;
  size_t input = 0;
  bool verbose = false, watch = false;
  static void fields(auto& self, auto& visit) {
    visit.position("studies", self.subjects,
                   "Studies: ids, or folders of their records; two are compared. Or a file that "
                   "another tuner recorded (T4, cachefile, KTT output, plain or .gz)");
    visit("k,kernel", self.subject.kernel, {"Kernel of the latest study", "KERNEL"});
    visit("m,machine", self.subject.machine,
          {"Machine for a roofline of its own (without --kernel)", "MACHINE"});
    ROOFTUNE_FIELD(results, results_option);
    ROOFTUNE_FIELD(input, input_option);
    visit("v,verbose", self.verbose, verbose_option);
    visit("o,output", self.outputs,
          {"HTML file to write (the SVG goes beside it); only the chart as .svg, a table for a "
           "paper as .md, all trials as .csv",
           "FILE"});
    ROOFTUNE_FIELD(watch, {"Write the page anew while the study runs; the page reloads itself"});
  }
};

struct ListOptions {
  std::string what, results;
  StudySubject subject{.backend = "openmp"};
  bool json = false;
  static void fields(auto& self, auto& visit) {
    visit.position("what", self.what, "Subject of the list")->required();
    visit("k,kernel", self.subject.kernel, {"knobs, studies: only of this kernel", "KERNEL"});
    visit("backend", self.subject.backend, {"knobs: of this back end", "BACKEND"});
    ROOFTUNE_FIELD(results, results_option);
    ROOFTUNE_FIELD(json, json_option);
  }
};

struct CheckOptions {
  CheckOptions() { checked.machine = "a100"; }
  StudySpec checked;  ///< no `spec`: its options are not offered
  std::string emit_knobs, json;
  Texts problem, changes;
  int sample = 0;
  bool compile_only = false;
  static void fields(auto& self, auto& visit) {
    visit.position("path", self.checked.kernel, "Kernel folder or name")->required();
    ROOFTUNE_FIELD(problem, {"Problem parameters: name=value[,...]", "K=V,..."});
    visit("backend", self.checked.backend, {"Only this back end", "BACKEND", "all"});
    visit("m,machine", self.checked.machine,
          {"GPU to compile CUDA kernels for; auto: run them on the card here", "MACHINE"});
    ROOFTUNE_FIELD(
        sample, {"Also check this many configurations, more when values would be missing", "N", "",
                 0, 100000});
    visit("set", self.changes,
          {"Check only the baseline with these knobs changed (one --backend)", "K=V,... ..."});
    visit("seed", self.checked.seed,
          {"Seed of the sample, and of the emulation's order of threads", "N"});
    ROOFTUNE_FIELD(compile_only, {"CUDA: compile for the GPU and say how it fits, run nothing"});
    ROOFTUNE_FIELD(emit_knobs,
                   {"Only write a header with the knobs' defaults, for editors", "FILE"});
    ROOFTUNE_FIELD(json, {"Write the findings as JSON", "FILE"});
  }
};

struct ExplainOptions {
  StudySpec spec;
  std::string study, trial;
  size_t input = 0;
  bool source = false, diff = false;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(input, input_option);
    ROOFTUNE_FIELD(study, latest_study);
    visit.position("trial", self.trial, "Number of the trial, 'best' or 'baseline'");
    ROOFTUNE_FIELD(source, {"Print only the kernel's source as compiled for this trial"});
    ROOFTUNE_FIELD(diff, {"Print only the difference of this source from the baseline's"});
  }
};

struct ExportOptions {
  StudySpec spec;
  std::string format = "header", output, study, sizes, name;
  bool as_recorded = false;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(format, {"Exporter (tune list exporters)", "EXPORTER"});
    visit("o,output", self.output,
          {"File to write, or the folder of a library", "FILE", "standard output"});
    ROOFTUNE_FIELD(study, best_study);
    ROOFTUNE_FIELD(
        as_recorded,
        {"As it was recorded, also of another machine: not built, validated and timed again"});
    ROOFTUNE_FIELD(
        sizes,
        {"Of a library: these sizes; where there is no study the bests of the others are raced",
         "[NAME=]N,..."});
    ROOFTUNE_FIELD(name, {"Of a library: what its functions, header and package begin with",
                          "PREFIX", "tuned_KERNEL"});
  }
};

struct BenchOptions {
  StudySpec spec;
  int rounds = 20;
  std::string study, json;
  Texts peers, trials, changes;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(rounds, {"Interleaved rounds", "N", "", 6, 10000});
    ROOFTUNE_FIELD(study, best_study);
    visit("trial", self.trials,
          {"Also these trials of the study; peers only by --peers", "TRIAL ..."});
    visit("set", self.changes,
          {"Also the best with these knobs changed; peers only by --peers", "K=V,... ..."});
    ROOFTUNE_FIELD(peers, {"Only these of the kernel's peers.json", "NAME,..."});
    ROOFTUNE_FIELD(json, {"Write the comparison as JSON ('-': standard output)", "FILE"});
  }
};

struct VerifyOptions {
  std::string results;
  static void fields(auto& self, auto& visit) { ROOFTUNE_FIELD(results, results_option); }
};

struct GcOptions {
  std::string results;
  std::optional<Seconds> older_than;
  bool dry_run = false;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(results, results_option);
    ROOFTUNE_FIELD(older_than, {"What was last written before: 90d", "AGE"});
    ROOFTUNE_FIELD(dry_run, {"Only list the records to remove"});
  }
};

struct DoctorOptions {
  std::string results;
  bool json = false;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(json, json_option);
    ROOFTUNE_FIELD(results, results_option);
  }
};

/// What was typed: the command is a function, its options are here or in the function.
struct CommandLine {
  std::function<int(const CommandLine&)> run;
  TuneOptions tune;
  ReportOptions report;
  std::string text;  ///< help or version text to print
  Texts argv;        ///< as typed, for provenance
};

/// Throws Error (usage) with the fault and the way to the help.
CommandLine parse(int argc, const char* const* argv);
/// Candidates for the last word in `words` (the words after `tune`, "" for a new one) that begin as
/// it does. Empty: a file, or an unpredictable word.
Texts completions(Texts words);
/// Results directory: the option, else $ROOFTUNE_RESULTS, else ./results.
std::string results_directory(const std::string& option);

// A function for each command; they print and return the exit code.
int tune_command(const TuneOptions& options);
int probe_command(const ProbeOptionsLine& options);
int report_command(const ReportOptions& options);
int list_command(const ListOptions& options);
int check_command(const CheckOptions& options);
int explain_command(const ExplainOptions& options);
int export_command(const ExportOptions& options);
int bench_command(const BenchOptions& options);
int verify_command(const VerifyOptions& options);
int gc_command(const GcOptions& options);
int doctor_command(const DoctorOptions& options);

Texts listings();

/// Reads "name=value[,name=value...]", in several words or one; values stay text. Throws Error that
/// names `option` for a word without '='.
Facts assignments(const Texts& words, const std::string& option, const std::string& example);
/// Adds the "NAME=TEXT" that `option` was given. Throws Error without '='.
void add_variable(const std::string& text, const std::string& option, const std::string& example,
                  NamedTexts& variables);
/// One input's parameters; the kernel gives their types.
Facts problem_words(const Texts& options);
/// An input for each --problem. Throws Error for a parameter that one input sets and another leaves
/// open: a default there would be arbitrary.
InputSpecs problem_inputs(const Texts& options);
/// The configuration with the knobs changed that one --set names, allowed or not. Throws Error for
/// an unknown knob or value.
Configuration changed(Configuration configuration, const SearchSpace& space,
                      const std::string& words);

}  // namespace rooftune::cli
