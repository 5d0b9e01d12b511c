#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string_view>

#include "cli/choices.h"
#include "cli/command_table.h"
#include "cli/console.h"
#include "core/error.h"
#include "core/version.h"
#include "os/paths.h"
#include "os/topology.h"
#include "study/machines.h"

namespace rooftune::cli {

void complete(StudySpec& spec, const CLI::App& command) {
  certainty(spec);
  if (command.count("--results") == 0) spec.results = results_directory({});
}

namespace {

/// The typed program. Throws Error for a missing space; that of a Kokkos application is found.
const Program& with_space(const TuneOptions& tune) {
  if (tune.program.space.empty() && !tune.kokkos)
    throw Error("a program needs a search space", "--space",
                "a file with its knobs (docs/programs.md); that of a Kokkos application is found "
                "with --kokkos");
  return tune.program;
}

int print_text(const CommandLine& line) {
  fmt::print("{}", line.text);
  return 0;
}

/// Defaults of options on this computer.
std::string defaults_here() {
  const auto host = machine_file(host_machine);
  return fmt::format(
      "Here: {} CPUs for variants and compilers, ceilings {}, results in {}, built variants in "
      "{}.\n",
      usable_cpus().size(),
      host ? "in " + host->string() : std::string("not measured yet (tune probe)"),
      results_directory({}), cache_directory().string());
}

}  // namespace

std::string results_directory(const std::string& option) {
  if (!option.empty()) return option;
  const char* environment = std::getenv("ROOFTUNE_RESULTS");
  return environment && *environment ? environment : "results";
}

CommandLine parse(int argc, const char* const* argv) {
  CommandLine line;
  line.argv.assign(argv, argv + argc);
  CLI::App app;
  const int width = style_of(1).width;
  add_all(app, line, width);
  const auto first_page = [&] { return help_page(app, {}, width) + defaults_here(); };
  constexpr std::string_view help = "help";
  if (argc > 1 && argv[1] == help) {
    line.text = argc > 2 ? help_page(app, {argv + 2, argv + argc}, width) : first_page();
    line.run = print_text;
    return line;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    line.text = app.get_subcommands().empty() ? first_page() : app.help();
    line.run = print_text;
    return line;
  } catch (const CLI::CallForVersion&) {
    line.text = std::string("tune ") + version + "\n";
    line.run = print_text;
    return line;
  } catch (const CLI::ParseError& error) {
    throw wrong_words(app, error, line.argv);
  }
  if (!line.tune.program.command.empty()) line.tune.spec.program = with_space(line.tune);
  if (app.get_subcommands().empty()) {
    if (line.tune.spec.kernel.empty() && !line.tune.spec.program) {
      if (argc > 1)
        throw Error("no kernel given", "command line",
                    "tune --kernel NAME; tune list kernels shows the names; tune --command tunes a "
                    "program");
      line.text = first_page();
      line.run = print_text;
    } else {
      complete(line.tune.spec, app);
      line.run = [](const CommandLine& typed) { return tune_command(typed.tune); };
    }
  }
  line.tune.spec.command = line.argv;
  return line;
}

}  // namespace rooftune::cli
