#include "cli/program_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "core/error.h"
#include "core/units.h"

namespace rooftune::cli {
namespace {

using Pairs = std::map<std::string, std::string>;

void add_pair(Pairs& pairs, const std::string& text, const char* option, const char* example) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(fmt::format("\"{}\" is not NAME=TEXT", excerpt(text)), option, example);
  pairs[text.substr(0, equals)] = text.substr(equals + 1);
}

/// "read=8*n,write=max(n, 4)": commas inside brackets belong to a formula.
Pairs formulas(const std::vector<std::string>& texts, const char* option, const char* example) {
  Pairs pairs;
  for (const std::string& text : texts) {
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
      const char c = at < text.size() ? text[at] : ',';
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
      if (c != ',' || (depth > 0 && at < text.size())) continue;
      add_pair(pairs, text.substr(begin, at - begin), option, example);
      begin = at + 1;
    }
  }
  return pairs;
}

}  // namespace

void add_program(CLI::App& app, ProgramWords& words) {
  Program& program = words.program;
  CLI::Option* command =
      app.add_option("--command", program.command,
                     "Tune a whole program instead of a kernel: its command line, {KNOB} for "
                     "values; no shell reads it")
          ->type_name("COMMAND")
          ->group("A program instead of a kernel");
  for (const char* other : {"--kernel", "--backend", "--amortize", "--objective", "--path"})
    command->excludes(app.get_option(other));
  const auto add = [&](const char* name, auto& value, const char* about, const char* type) {
    return app.add_option(name, value, about)
        ->type_name(type)
        ->needs(command)
        ->group("A program instead of a kernel");
  };
  add("--space", program.space, "Its search space (docs/formats.md; T1)", "FILE");
  add("--kokkos", words.kokkos,
      "A Kokkos application: team sizes, vector lengths and tiles of its kernels, or of the one "
      "with "
      "this label",
      "[LABEL]")
      ->expected(0, 1);
  add("--build", program.build,
      "Run for each combination of the knobs that it names, into {BUILD_DIR}; when it does not "
      "name that, in a copy of this folder",
      "COMMAND");
  add("--env", words.environment, "Variable of a run: NAME={KNOB}; several times", "NAME=TEXT")
      ->allow_extra_args(false);
  add("--metric", program.metric,
      "What is to be small or, of a rate, large: wall, 'regex:time: (\\S+)' or json:/path in what "
      "it prints",
      "METRIC")
      ->capture_default_str();
  add("--metric-unit", program.unit, "s, ms, us, ns, min; of rates 1/s, GB/s, GFLOP/s, ...", "UNIT")
      ->capture_default_str();
  add("--check", program.check, "'regex:PATTERN' or 'command:COMMAND' that a run must pass",
      "CHECK");
  add("--run-limit", words.run_limit,
      "Most time of one run (default: 10min, then four times what the fastest took)", "TIME");
  add("--work", words.work, "Least flops of one run, for a bound: fp64=2*n", "P=FORMULA")
      ->allow_extra_args(false);
  add("--traffic", words.traffic, "Least bytes of one run, for a bound: read=8*n,write=8*n",
      "WHAT=FORMULA")
      ->allow_extra_args(false);
  add("--name", program.name, "Name of the study (default: that of the program's file)", "NAME");
}

std::optional<Program> completed(const ProgramWords& words, bool finds_space) {
  if (words.program.command.empty()) return std::nullopt;
  if (words.program.space.empty() && !finds_space)
    throw Error("a program needs a search space", "--space",
                "a file with its knobs (docs/programs.md); that of a Kokkos application is found "
                "with --kokkos");
  Program program = words.program;
  for (const std::string& text : words.environment)
    add_pair(program.environment, text, "--env", "--env BLOCK={BLOCK}");
  program.work = formulas(words.work, "--work", "--work 'fp64=2*n'");
  program.traffic = formulas(words.traffic, "--traffic", "--traffic 'read=8*n,write=8*n'");
  if (!words.run_limit.empty()) {
    program.run_seconds = parse_duration(words.run_limit).value();
    if (!(program.run_seconds > 0))
      throw Error("must be above 0", "--run-limit", "for example --run-limit 30s");
  }
  return program;
}

}  // namespace rooftune::cli
