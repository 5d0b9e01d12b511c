#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "cli/choices.h"
#include "cli/command_table.h"
#include "cli/console.h"
#include "cli/problem_words.h"
#include "core/error.h"
#include "core/units.h"
#include "core/version.h"
#include "os/paths.h"
#include "os/sysfs_topology.h"
#include "search/strategy.h"
#include "study/machines.h"

namespace rooftune::cli {
namespace {

/// The words' values, once all are there.
void complete(StudySpec& spec, const StudyWords& words) {
  spec.inputs = problem_inputs(words.problem);
  spec.budget = parse_budget(words.budget);
  spec.certainty = parse_certainty(words.until_within, words.confidence, {spec.strategy});
  if (!words.objective.empty()) set_objective(spec, words.objective);
  if (!words.cache.empty()) spec.warm = words.cache == "warm";
  spec.published_path = words.path == "published";
  spec.results = results_directory(words.results);
}

/// "5%" or "0.05", between 0 and 1.
double share_of(const std::string& text, const char* option) {
  std::size_t used = 0;
  double share = -1;
  try {
    share = std::stod(text, &used);
  } catch (const std::exception&) {
  }
  const std::string unit = share < 0 ? text : text.substr(used);
  if (unit == "%") share /= 100;
  if ((unit.empty() || unit == "%") && share > 0 && share < 1) return share;
  throw Error(fmt::format("\"{}\" is no share between 0 and 1", text), option, "for example 5%");
}

/// Defaults of options on this computer.
std::string defaults_here() {
  const auto host = machine_file("host");
  return fmt::format(
      "Here: {} CPUs for variants and compilers, ceilings {}, results in {}, built variants in "
      "{}.\n",
      usable_cpus().size(),
      host ? "in " + host->string() : std::string("not measured yet (tune probe)"),
      results_directory({}), cache_directory().string());
}

}  // namespace

std::optional<Certainty> parse_certainty(const std::string& until_within,
                                         const std::string& confidence,
                                         const std::vector<std::string>& strategies) {
  if (until_within.empty()) {
    if (confidence.empty()) return std::nullopt;
    throw Error("says how sure to be, but not of what", "--confidence", "add --until-within 5%");
  }
  Certainty certainty;
  certainty.share = share_of(until_within, "--until-within");
  if (!confidence.empty()) certainty.confidence = share_of(confidence, "--confidence");
  const bool model = std::any_of(strategies.begin(), strategies.end(), [](const std::string& name) {
    return strategy_row(name).tells_chance;
  });
  if (!model)
    throw Error(fmt::format("the strategy {} has no model that could tell", strategies.front()),
                "--until-within", "--strategy roofline or bayes_gp");
  return certainty;
}

std::string results_directory(const std::string& option) {
  if (!option.empty()) return option;
  const char* environment = std::getenv("ROOFTUNE_RESULTS");
  return environment && *environment ? environment : "results";
}

CommandLine parse(int argc, const char* const* argv) {
  CommandLine line;
  line.argv.assign(argv, argv + argc);
  CLI::App app;
  AllWords words;
  add_all(app, line, words, style_of(1).width);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    line.text = app.help() + (app.get_subcommands().empty() ? defaults_here() : "");
    line.command = CommandName::help;
    return line;
  } catch (const CLI::CallForVersion&) {
    line.text = std::string("tune ") + version + "\n";
    line.command = CommandName::help;
    return line;
  } catch (const CLI::ParseError& error) {
    throw wrong_words(app, error, line.argv);
  }
  if (app.count("--kokkos") > 0) line.tune.kokkos = words.program.kokkos;
  line.tune.spec.program = completed(words.program, line.tune.kokkos.has_value());
  if (app.get_subcommands().empty()) {
    if (line.tune.spec.kernel.empty() && !line.tune.spec.program) {
      if (argc > 1)
        throw Error("no kernel given", "command line",
                    "tune --kernel NAME; tune list kernels shows the names; tune --command tunes a "
                    "program");
      line.text = app.help() + defaults_here();
    } else {
      line.command = CommandName::tune;
    }
  }
  if (line.command == CommandName::tune) complete(line.tune.spec, words.tune);
  if (line.command == CommandName::explain) complete(line.explain.spec, words.explain);
  if (line.command == CommandName::export_) complete(line.export_.spec, words.export_);
  if (line.command == CommandName::bench) complete(line.bench.spec, words.bench);
  if (line.command == CommandName::baseline) complete(line.baseline.choice.spec, words.baseline);
  line.tune.spec.command = line.argv;
  return line;
}

}  // namespace rooftune::cli
