#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "cli/choices.h"
#include "cli/command_table.h"
#include "cli/console.h"
#include "core/callback.h"
#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "core/pattern.h"
#include "core/text.h"
#include "core/version.h"
#include "os/paths.h"
#include "os/topology.h"
#include "search/strategy.h"
#include "study/machines.h"
#include "study/platform.h"

namespace rooftune::cli {

void complete(StudySpec& spec, const CLI::App& command) {
  // A typo is reported at once.
  strategy_row(spec.strategy);
  if (command.count("--results") == 0) spec.results = results_directory({});
}

namespace {

/// The program as typed. Throws Error for a missing space, except for a Kokkos application, whose
/// space is found.
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

/// What the options default to on this computer.
std::string defaults_here() {
  const auto host = machine_file(host_machine);
  return fmt::format(
      "Here: {} CPUs for variants and compilers, ceilings {}, results in {}, built variants in "
      "{}.\n",
      usable_cpus().size(),
      host ? "in " + host->string() : std::string("not measured yet (tune probe)"),
      results_directory({}), cache_directory().string());
}

/// "--target-gap" from target_gap, "-q,--quiet" from "q,quiet".
std::string dashed(const char* prefix, std::string name) {
  if (const size_t comma = name.find(','); comma != std::string::npos)
    return "-" + name.substr(0, comma + 1) + dashed(prefix, name.substr(comma + 1));
  std::ranges::replace(name, '_', '-');
  return prefix + name;
}

CLI::Validator within_range(const Option& option) {
  return CLI::Validator(
      [option](const std::string& typed) {
        char* end = nullptr;
        const double value = std::strtod(typed.c_str(), &end);
        // The parser refuses other texts.
        return *end || option.allows(value) ? std::string() : range_text(option);
      },
      "");
}

/// Whether the value in name=value is a single one despite commas: "a,b=c.mtx" in quotes, or a file
/// that exists.
bool is_one(const std::string& word) {
  const std::string value = word.substr(std::min(word.find('='), word.size() - 1) + 1);
  return (value.starts_with('"') && value.find('"', 1) == value.size() - 1) || is_file(value);
}

/// Splits name=value texts. A comma separates only before a name and '=': paths and formulas hold
/// commas.
Texts separated(const std::string& option) {
  // Names have a length limit, for std::regex takes a stack frame for each character.
  static const Pattern separator(",(?=[^,=<>!()]{1,64}=(?!=))");
  constexpr size_t most_joined = 8;
  const auto parts = separator.split(option);
  Texts words;
  for (size_t i = 0, next = 1; i < parts.size(); i = next++) {
    std::string joined = words.emplace_back(parts[i]);
    for (size_t k = i + 1; k < std::min(parts.size(), i + most_joined); ++k)
      if (is_one(joined += "," + parts[k])) words.back() = joined, next = k + 1;
  }
  return words;
}

/// Name and value from name=value; `form` is what the word should be. Throws Error without a name.
std::pair<std::string, std::string> parted(const std::string& word, const char* form,
                                           const std::string& option, const std::string& hint) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(fmt::format("\"{}\" is not {}", excerpt(word), form), option, hint);
  return {word.substr(0, equals), word.substr(equals + 1)};
}

/// The value without quotes around it.
std::string unquoted(const std::string& value) {
  const bool quoted = value.size() > 1 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

std::string results_directory(const std::string& option) {
  if (!option.empty()) return option;
  const std::string chosen = environment_text("ROOFTUNE_RESULTS");
  return chosen.empty() ? "results" : chosen;
}

CommandLine parse(int argc, const char* const* argv) {
  CommandLine line;
  line.argv.assign(argv, argv + argc);
  line.run = print_text;
  CLI::App app;
  const int width = style_of(1).width;
  add_all(app, line, width);
  const auto first_page = [&] { return help_page(app, {}, width) + defaults_here(); };
  constexpr std::string_view help = "help";
  if (argc > 1 && argv[1] == help) {
    line.text = argc > 2 ? help_page(app, {argv + 2, argv + argc}, width) : first_page();
    return line;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    line.text = app.get_subcommands().empty() ? first_page() : app.help();
    return line;
  } catch (const CLI::CallForVersion&) {
    line.text = std::string("tune ") + version + "\n";
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
    } else {
      complete(line.tune.spec, app);
      line.run = [](const CommandLine& typed) { return tune_command(typed.tune); };
    }
  }
  line.tune.spec.command = line.argv;
  return line;
}

void DescribedOptions::read_text(const char* name, const Callback& read) {
  located(dashed("--", name), read);
}

void DescribedOptions::restrict(CLI::Option& added, Words words) {
  added.check(one_of({words.begin(), words.end()}));
}

std::string DescribedOptions::words_of(const char* name, const Option& option) {
  const std::string word = dashed("--", name);
  return option.letter ? std::string{'-', option.letter, ','} + word : word;
}

CLI::Option* DescribedOptions::describe(CLI::Option* added, const Option& option) {
  if (*option.placeholder) added->type_name(option.placeholder);
  if (*option.usual) added->default_str(option.usual);
  if (!option.allows(-1e300) || !option.allows(1e300)) added->check(within_range(option));
  return added;
}

CLI::Option* DescribedOptions::reads(const char* name, const Option& option,
                                     const TextCallback& read) {
  return describe(app_.add_option_function(words_of(name, option), read, option.about), option);
}

CLI::Option* DescribedOptions::add_flag(const char* name, bool& member, const Option& option) {
  if (!member) return app_.add_flag(words_of(name, option), member, option.about);
  std::string about = option.about;
  about.front() = char(std::tolower(uint8_t(about.front())));
  return app_.add_flag_callback(
      dashed("--no-", name), [&member] { member = false; }, "Do not " + about);
}

CLI::Option* DescribedOptions::add_words(const char* name, const Option& option,
                                         const std::function<void(const Texts&)>& read) {
  return describe(app_.add_option_function<Texts>(words_of(name, option), read, option.about),
                  option);
}

Facts assignments(const Texts& options, const std::string& name, const std::string& example) {
  Facts words;
  for (const std::string& option : options)
    for (const std::string& word : separated(option)) {
      const auto [key, value] =
          parted(word, "name=value", name, fmt::format("for example {} {}", name, example));
      if (!words.try_emplace(key, unquoted(value)).second)
        throw Error(fmt::format("\"{}\" is set twice", excerpt(key)), name,
                    "leave one out; several inputs are several --problem");
    }
  return words;
}

void add_variable(const std::string& text, const std::string& option, const std::string& example,
                  NamedTexts& variables) {
  const auto [name, value] = parted(text, "NAME=TEXT", option, option + " " + example);
  variables[name] = value;
}

Facts problem_words(const Texts& options) {
  return assignments(options, "--problem", "n=1000000,steps=4");
}

InputSpecs problem_inputs(const Texts& options) {
  InputSpecs inputs;
  for (const std::string& option : options) inputs.push_back({option, problem_words({option})});
  for (const InputSpec& input : inputs)
    for (const auto& [name, value] : inputs.front().parameters)
      if (input.parameters.size() != inputs.front().parameters.size() ||
          !input.parameters.contains(name))
        throw Error(
            fmt::format("\"{}\" and \"{}\" do not set the same parameters", options.front(),
                        input.name),
            "--problem",
            "each --problem is an input of its own: write all parameters of an input in one, as in "
            "--problem n=1000,steps=4, and set the same ones for every input");
  return inputs;
}

Configuration changed(Configuration configuration, const SearchSpace& space,
                      const std::string& words) {
  return with_values(std::move(configuration), space,
                     assignments({words}, "--set", "tile=64,unroll=2"), "--set");
}

}  // namespace rooftune::cli
