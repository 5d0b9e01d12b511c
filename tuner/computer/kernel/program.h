// A whole program, tuned in place, with its own build: how it runs, where its time comes from, and
// its least work.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/option.h"
#include "space/knob.h"

namespace rooftune::kernel {

struct Kernel;

/// The longest that a run may take.
struct RunLimit {
  double seconds = 0;  ///< 0: the usual one
};
/// "30s", "2min", or plain seconds, above 0. Throws Error.
void from_text(const std::string& text, RunLimit& limit);
inline void decode(const Place& place, RunLimit& limit) { decode_text(place, limit); }

/// Stands for a check.
inline constexpr const char* nothing_checked = "none";

/// As the user wrote it; {NAME} stands for the value of a knob or of a problem parameter.
struct Program {
  std::string name;        ///< the study's; empty: the program's file name
  std::string command;     ///< split into words as a shell does, never run by one
  std::string build;       ///< runs once for each combination of its knobs; may be empty
  NamedTexts environment;  ///< each run's: variable, text
  Texts templates;         ///< input files, filled in for each run
  /// wall, regex:PATTERN, json:/POINTER or a formula over figures; max: or min: before it; see
  /// metric_words().
  std::string metric = "wall";
  NamedTexts figures;      ///< further ones: name, regex:... or json:...
  std::string unit = "s";  ///< the metric's; see metric_unit()
  /// regex:PATTERN, command:COMMAND, a condition on figures, "none", or empty: each run's output is
  /// compared with the baseline's.
  std::string check;
  RunLimit run_limit;
  int retries = 1;  ///< after runs that failed, in a trial
  fs::path space;
  NamedTexts work;     ///< least flops in one run, by precision
  NamedTexts traffic;  ///< read, write, footprint: least bytes in one run
  /// Parts inside the folder that are not copied for a build.
  Paths left_out;

  /// A limit can be computed: the user states work or traffic.
  bool states_limit() const { return !work.empty() || !traffic.empty(); }

  std::string study_name() const;

  /// The command first.
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(
        command,
        {"Tune a whole program instead of a kernel: its command line, {KNOB} for values; no shell "
         "reads it",
         "COMMAND"});
    ROOFTUNE_FIELD(space, {"Its search space (docs/formats.md; T1)", "FILE"});
    ROOFTUNE_FIELD(
        build,
        {"Run for each combination of the knobs in it, into {BUILD_DIR}; without {BUILD_DIR} in "
         "a copy of this folder",
         "COMMAND"});
    visit("env", self.environment, {"Variable of a run: NAME={KNOB}; several times", "NAME=TEXT"});
    visit("template", self.templates,
          {"Input file with {KNOB} in it: each run finds input.nml made of input.nml.in, in a "
           "folder of its own with what lies here; several times",
           "FILE"});
    ROOFTUNE_FIELD(
        metric,
        {"Figure to tune: wall, 'regex:time: (\\S+)' or json:/path in its output; times are "
         "minimised, rates maximised, any other says max: or min: before that. Several times: "
         "NAME=regex:... are further figures, which formulas may use",
         "METRIC"});
    visit("metric_unit", self.unit,
          {"s, ms, us, ns, min; of rates 1/s, GB/s, GFLOP/s, ...; with max: or min: any name",
           "UNIT"});
    visit("figure", self.figures, {"Further figures of a run, NAME=regex:... or NAME=json:..."});
    ROOFTUNE_FIELD(check, {"Condition on a run: 'regex:PATTERN', 'command:COMMAND', or on figures: "
                           "'accuracy >= 0.99'; none: a run is right that ends well",
                           "CHECK", "what it prints agrees with the baseline's"});
    ROOFTUNE_FIELD(run_limit,
                   {"Most time of one run", "TIME", "10min, then four times the fastest"});
    ROOFTUNE_FIELD(retries, {"Runs of a trial made again when they fail (exit code, signal)", "N",
                             "", 0, 1000});
    ROOFTUNE_FIELD(work, {"Least flops of one run, for a bound: fp64=2*n", "P=FORMULA"});
    ROOFTUNE_FIELD(traffic,
                   {"Least bytes of one run, for a bound: read=8*n,write=8*n", "WHAT=FORMULA"});
    ROOFTUNE_FIELD(name, {"Name of the study", "NAME", "the name of the program's file"});
  }
};
/// A plan may hold one.
inline void decode(const Place& place, Program& program) { decode_options(place, program); }

/// Adds work and traffic from the space file where the user stated none. Throws Error for an
/// unreadable file.
void add_stated(Program& program);

/// A kernel without sources in the program's place; `problem` holds its parameters. Throws Error
/// naming the option: a command without words, an invalid name, a formula unreadable or with an
/// unknown parameter, an unknown precision or unit.
Kernel program_kernel(const Program& program, const Facts& problem);

/// What the figure that a program prints means.
struct MetricUnit {
  enum class Kind { time, runs, bytes, flops, named };
  Kind kind = Kind::time;
  double factor = 1;  ///< from the unit to base units
  bool more = false;  ///< is better
  bool is_time() const { return kind == Kind::time && !more; }
};
/// s ms us ns min h; 1/s; B/s and FLOP/s with their prefixes; spelled as programs do (MBytes/sec,
/// GFLOPS). Throws Error that lists the known units.
MetricUnit metric_unit(const std::string& unit);

/// A metric without its direction.
struct MetricWords {
  std::optional<bool> more;  ///< max: or min:; else the unit says what is better
  std::string source;        ///< wall, regex:..., json:..., a formula
};
MetricWords metric_words(const std::string& metric);
/// The unit for the program's metric; with a direction any name is a unit. Throws Error.
MetricUnit metric_unit(const Program& program);
/// The work of a run, in the unit of a rate: 1, its least bytes or flops, or 1e9 where the user
/// states none; the time is then per gigabyte or per billion operations.
double metric_amount(const Kernel& kernel, const Facts& problem);

}  // namespace rooftune::kernel
