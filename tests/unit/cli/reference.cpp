#include "unit/cli/reference.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "cli/choices.h"
#include "cli/command_table.h"
#include "report/text_table.h"

namespace rooftune::cli {
namespace {

constexpr int page_width = 120;

/// The environment's variables, with their meaning.
constexpr const char* variables[][2] = {
    {"ROOFTUNE_RESULTS", "where records and pages go (./results)"},
    {"ROOFTUNE_CACHE", "where built variants are kept (~/.cache/rooftune)"},
    {"ROOFTUNE_CACHE_LIMIT", "most size of these (4 GiB)"},
    {"ROOFTUNE_CXX", "compiler of the variants; a knob of kind compiler has no other value then"},
    {"ROOFTUNE_HOME", "folder with kernels/, search_spaces/ and machines/"},
    {"ROOFTUNE_MACHINES", "folder of machine files, before all others"},
    {"ROOFTUNE_BEST_KNOWN", "folder of what was best elsewhere; an empty one: nothing is known"},
    {"ROOFTUNE_EXPORTS", "files and folders of exports that applications load"},
    {"ROOFTUNE_LOCKS", "folder of the locks of timings"},
    {"ROOFTUNE_KOKKOS", "prefix of another Kokkos"},
    {"ROOFTUNE_NVRTC, ROOFTUNE_LIBCUDA, ROOFTUNE_NVML",
     "libraries of CUDA that are not on the linker's path"},
    {"ROOFTUNE_CUBLAS, ROOFTUNE_CUSPARSE", "the same of what tune bench compares with on a card"},
    {"COLUMNS, NO_COLOR", "width and colour of what is printed"},
};

std::vector<const CLI::Option*> shown_options(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) {
    return !option->get_group().empty() && option->get_name() != "--help";
  });
}

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

std::string sentence(const std::string& text) { return text.ends_with('.') ? text : text + "."; }

/// An option of `tune` itself, too: documented there.
bool is_of_tune(const CLI::App& command, const CLI::Option& option) {
  if (!command.get_parent() || option.get_positional()) return false;
  const CLI::Option* known = command.get_parent()->get_option_no_throw(option.get_name());
  return known && known->get_description() == option.get_description();
}

std::string table_of(const CLI::App& command) {
  std::string rows, others;
  for (const CLI::Option* option : shown_options(command)) {
    if (is_of_tune(command, *option))
      others += (others.empty() ? "" : ", ") + fmt::format("`{}`", option->get_name());
    else
      rows += fmt::format("| `{}` | {} |\n", option_words(*option), cell(option_about(*option)));
  }
  if (!others.empty()) rows += fmt::format("| {} | as of `tune` |\n", others);
  return rows.empty() ? "" : "\n| word or option | what it is |\n| --- | --- |\n" + rows;
}

/// The command's own table, then those of the commands below it.
void put_commands(const CLI::App& command, std::string& text) {
  text += fmt::format("\n## {}\n\n{}", full_name(command),
                      paragraph("", sentence(command.get_description()), page_width));
  text += table_of(command);
  for (const std::string& name : command_names(command))
    put_commands(*command.get_subcommand(name), text);
}

void put_examples(const CLI::App& command, std::string& text) {
  std::string lines = "\n" + example_lines(command);
  for (std::size_t at = 0; (at = lines.find("\n  ", at)) != std::string::npos; ++at)
    lines.erase(at + 1, 2);
  text += lines.substr(1);
  for (const std::string& name : command_names(command))
    put_examples(*command.get_subcommand(name), text);
}

/// Escaped for troff.
std::string troff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\')
      safe += "\\e";
    else if (c == '-')
      safe += "\\-";
    else
      safe += c;
  }
  return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

void put_manual(const CLI::App& command, std::string& text) {
  text += fmt::format(".SS {}\n{}\n", troff(full_name(command)),
                      troff(sentence(command.get_description())));
  std::string others;
  for (const CLI::Option* option : shown_options(command)) {
    if (is_of_tune(command, *option))
      others += (others.empty() ? "" : ", ") + option->get_name();
    else
      text += fmt::format(".TP\n.B {}\n{}\n", troff(option_words(*option)),
                          troff(option_about(*option)));
  }
  if (!others.empty()) text += fmt::format(".TP\n.B {}\nas of tune\n", troff(others));
  if (const std::string lines = example_lines(command); !lines.empty())
    text += ".PP\n.nf\n" + troff(lines) + ".fi\n";
  for (const std::string& name : command_names(command))
    put_manual(*command.get_subcommand(name), text);
}

struct OptionTable {
  CommandLine line;
  CLI::App app;
  OptionTable() { add_all(app, line, page_width); }
};

}  // namespace

std::string reference_page() {
  const OptionTable table;
  std::string text =
      "# Command line\n\n`tune` without a command tunes; other [commands](commands.md) have a page "
      "of their own. Both pages are made from the\ntable that `tune` itself reads; `tune COMMAND "
      "--help` prints the same. Exit codes: [records](records.md#exit-codes).\n";
  text += table_of(table.app);
  text += "\n## Environment\n\n| variable | what it is |\n| --- | --- |\n";
  for (const auto& [name, about] : variables) text += fmt::format("| `{}` | {} |\n", name, about);
  text += "\n## Examples\n\n```sh\n";
  put_examples(table.app, text);
  return text + "```\n";
}

std::string commands_page() {
  const OptionTable table;
  std::string text =
      "# Commands\n\nMade from the table that `tune` itself reads, as [the options of "
      "`tune`](cli.md)"
      " are.\n";
  for (const std::string& name : command_names(table.app))
    put_commands(*table.app.get_subcommand(name), text);
  return text;
}

std::string manual_page() {
  const OptionTable table;
  std::string text =
      ".TH TUNE 1 \"\" \"rooftune\" \"User Commands\"\n"
      ".SH NAME\ntune \\- find the fastest variant of a kernel, and how far it is from what the "
      "machine can do\n"
      ".SH SYNOPSIS\n.B tune\n.BI \\-\\-kernel \" NAME\"\n.RI [ options ]\n.br\n.B tune\n"
      ".I command\n.RI [ options ]\n"
      ".SH DESCRIPTION\n.B tune\nmeasures the ceilings of this machine once, then searches the "
      "variants of a kernel, stops when what is left to gain is\ntoo small to matter, and says "
      "which ceilings were broken, by which knob.\n"
      ".SH COMMANDS\n";
  put_manual(table.app, text);
  text += ".SH ENVIRONMENT\n";
  for (const auto& [name, about] : variables)
    text += fmt::format(".TP\n.B {}\n{}\n", name, troff(about));
  text += ".SH EXIT STATUS\n" + troff(table.app.get_footer()) + "\n";
  return text + ".SH SEE ALSO\nThe documentation in\n.IR /usr/share/doc/rooftune .\n";
}

}  // namespace rooftune::cli
