// Which words may stand for a typed one, the help that lists them, and the message for an unknown
// word.
#include "cli/choices.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include "cli/command_table.h"
#include "cli/export_choice.h"
#include "cli/study_files.h"
#include "core/error.h"
#include "core/list.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "os/paths.h"
#include "report/sentences.h"
#include "report/text_table.h"
#include "search/strategy.h"
#include "study/machines.h"
#include "study/platform.h"

namespace rooftune::cli {
namespace {

/// CLI11 turns a fault into one text; after this mark comes the cure.
constexpr char cure_follows = '\n';

bool is_hidden(const std::string& group) { return group.empty(); }

/// The word at fault among those left over: an option, which is left over together with its value,
/// before any other word.
std::string first_unexpected(const Texts& left, const Texts& argv) {
  const auto blamed = [&](bool options_only) -> std::string {
    for (const std::string& word : argv) {
      const std::string name = word.starts_with("--") ? text_before(word, '=') : word;
      if (options_only && !word.starts_with("-")) continue;
      for (const std::string& each : left)
        if (each == word || each == name) return name;
    }
    return {};
  };
  const std::string option = blamed(true);
  return option.empty() ? blamed(false) : option;
}

/// The words that one_of() allows for the app's option `name` ("--cache"); empty if it takes any
/// word.
Texts choices_of(const CLI::App& app, const std::string& name) {
  const CLI::Option* option = app.get_option_no_throw(name);
  if (!option) return {};
  const std::string type = option->get_type_name();
  const size_t begin = type.find('{'), end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

/// An option's choices, else the names that its placeholder in the help stands for.
Texts values_of(const CLI::App& command, const CLI::Option& option) {
  static constexpr auto names_in = [](const auto& rows) {
    Texts names;
    for (const auto& row : rows) names.emplace_back(row.name);
    return names;
  };
  static const ByName<std::function<Texts()>> named = {
      {"KERNEL", [] { return kernel_names(home()); }},
      {"MACHINE",
       [] {
         Texts names{host_machine, card_machine};
         append(names, keys_of(machine_files()));
         return names;
       }},
      {"BACKEND",
       [] {
         Texts names = names_in(backend_table());
         std::erase(names, command_backend);
         return names;
       }},
      {"STRATEGY", [] { return names_in(strategies()); }},
      {"EXPORTER", [] { return names_in(export_formats()); }}};
  Texts choices = choices_of(command, option.get_name());
  auto* names = value_at(named, option.get_type_name());
  return choices.empty() && names ? (*names)() : choices;
}

/// Examples, below each command's name. The documentation's test runs them.
constexpr std::string_view examples = R"(
tune
  tune doctor                                    # what here changes results, and the cure
  tune --kernel spmv                             # tune SpMV here, two minutes
  tune --kernel spmv --problem matrix=A.mtx      # on your own matrix
  tune check ./mykernel                          # your own kernel folder; tune new makes one
  tune --command './app -b {B}' --space b.json   # a program: knob B of b.json
  tune report --kernel spmv                      # the page of the latest study
  tune export --kernel spmv --format library -o tuned_spmv
tune probe
  tune probe                                     # measure this machine's ceilings
  tune probe --full                              # the whole lattice of ceilings
tune report
  tune report --machine host                     # the machine's roofline, all ceilings
  tune report --kernel spmv -o spmv.md           # a table in Markdown; all trials as .csv
  tune report 9683cc4e 1f2e3d4c                  # two studies beside each other
  tune report --sweep results -o site            # all nights of all sweeps
  tune report cache.json.gz                      # what another tuner recorded
tune list
  tune list kernels
  tune list knobs --kernel spmv
  tune list studies --json
tune check
  tune check ./mykernel                          # manifest, builds, reference, bound
  tune check ./mykernel --emit-knobs knobs.h     # for editors
  tune check gpp --backend cuda --sample 8       # emulated, no card needed
tune new
  tune new heat --from docs/examples/captured/heat.cpp:heat
tune explain
  tune explain --kernel spmv                     # how the study went
  tune explain --kernel spmv best                # or the number of a trial
tune export
  tune export --kernel spmv --problem matrix=A.mtx --format header -o best.h
  tune export --kernel triad --format json -o triad.json
tune baseline
  tune baseline accept --kernel triad --why 'new compiler'
  tune baseline list
tune bench
  tune bench --kernel spmv                       # beside Eigen, CXSparse, librsb
tune sweep
  tune sweep nightly.json --check                # read all that the plan names
  tune sweep nightly.json                        # run it, or go on with it
tune space
  tune space cache.json.gz --count               # how often each value is allowed
tune replay
  tune replay cache.json.gz --strategy roofline,random
tune import
  tune import cache.json.gz --format t4 -o space.json
tune doctor
  tune doctor --json
tune worker
  tune worker nightly.json --shard 3/8           # the third of eight jobs
tune records
  tune records verify
  tune records gc --older-than 90d --dry-run
)";

/// The placeholder for an option's value; the parser's own words would mean nothing to people.
std::string type_word(const CLI::Option& option) {
  static const NamedTexts plain = {{"INT", "N"}, {"UINT", "N"}, {"FLOAT", "X"}, {"BOOLEAN", ""}};
  const std::string type = option.get_type_name();
  const size_t brace = type.find('{');
  if (brace != std::string::npos) return type.substr(brace, type.rfind('}') - brace + 1);
  const std::string first = text_before(type, ':');
  auto* found = value_at(plain, first);
  return found ? *found : first;
}

std::string option_table(const std::string& title, const std::vector<const CLI::Option*>& options,
                         int width) {
  TextTable rows(width);
  for (const CLI::Option* option : options)
    rows.row({{option_words(*option)}, {option_about(*option)}});
  return options.empty() ? "" : "\n" + title + ":\n" + rows.str(false);
}

std::string group_table(const CLI::App& app, const std::string& group, int width) {
  const auto in_group = [&](const CLI::Option* option) {
    return !option->get_positional() && option->get_group() == group;
  };
  return option_table(group, app.get_options(in_group), width);
}

std::string command_table(const CLI::App& app, int width) {
  TextTable commands(width);
  const auto names = command_names(app);
  for (const std::string& name : names)
    commands.row({{name}, {app.get_subcommand(name)->get_description()}});
  return names.empty() ? "" : "\nCommands:\n" + commands.str(false);
}

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(int width) : width_(width) {}

  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    const auto positional = [](const CLI::Option* option) { return option->get_positional(); };
    std::string usage = "Usage: " + full_name(*app);
    for (const CLI::Option* option : app->get_options(positional))
      usage += option->get_required() ? " " + option->get_name()
                                      : fmt::format(" [{}]", option->get_name());
    if (!command_names(*app).empty()) usage += " [COMMAND]";
    std::string text = paragraph("", app->get_description(), width_) + usage + " [OPTIONS]\n";
    text += option_table("Words", app->get_options(positional), width_);
    for (const std::string& group : app->get_groups())
      if (!group.empty()) text += group_table(*app, group, width_);
    text += command_table(*app, width_);
    const std::string shown = example_lines(*app);
    if (!shown.empty()) text += "\nExamples:\n" + shown;
    if (!app->get_parent()) text += "\n" + paragraph("", app->get_footer(), width_);
    return text;
  }

 private:
  int width_;
};

/// "--budget", "--json" ...: a command's options, without those hidden from the help.
Texts option_names(const CLI::App& app) {
  Texts names;
  for (const CLI::Option* option : app.get_options()) {
    if (is_hidden(option->get_group())) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace

CLI::Validator one_of(const Texts& words) {
  return CLI::Validator(
      [words](const std::string& typed) -> std::string {
        if (contains(words, typed)) return {};
        return fmt::format("\"{}\" is none of its words{}{}", excerpt(typed), cure_follows,
                           did_you_mean(typed, words));
      },
      fmt::format("{{{}}}", joined(words, ",")));
}

Texts command_names(const CLI::App& app) {
  Texts names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* each) { return !is_hidden(each->get_group()); }))
    names.push_back(command->get_name());
  return names;
}

const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.back());
}

Texts completions(Texts words) {
  CommandLine line;
  CLI::App app;
  add_all(app, line, 80);
  const std::string begun = words.back();
  words.pop_back();
  const CLI::App* command = &app;
  const CLI::Option* option = nullptr;  // whose value comes next
  for (const std::string& word : words) {
    if (const auto next = command_names(*command); !option && contains(next, word))
      command = command->get_subcommand(word);
    option = option || !word.starts_with("-") ? nullptr : command->get_option_no_throw(word);
    if (option && option->get_items_expected_min() == 0) option = nullptr;
  }
  Texts offers = option                   ? values_of(*command, *option)
                 : begun.starts_with("-") ? option_names(*command)
                                          : command_names(*command);
  if (!option && !begun.starts_with("-"))
    for (const CLI::Option* one : command->get_options())
      if (one->get_positional())
        std::ranges::copy(values_of(*command, *one), std::back_inserter(offers));
  std::erase_if(offers, [&](const std::string& offer) { return !offer.starts_with(begun); });
  return offers;
}

Error wrong_words(const CLI::App& app, const CLI::ParseError& fault, const Texts& argv) {
  const CLI::App& command = chosen_command(app);
  const std::string help = full_name(command) + " --help shows what it takes";
  const std::string where = "command line";
  if (dynamic_cast<const CLI::ValidationError*>(&fault)) {
    const std::string text = fault.what();
    const size_t cut = text.find(cure_follows);
    if (cut != std::string::npos) return {text.substr(0, cut), where, text.substr(cut + 1)};
  }
  // Words left over explain a missing command, too.
  const std::string word = first_unexpected(app.remaining(true), argv);
  if (word.empty()) return {fault.what(), where, help};
  constexpr std::string_view other_tools_help = "help";
  if (word == other_tools_help) return {"there is no command \"help\"", where, help};
  const bool is_option = word.starts_with("-");
  const auto known = is_option ? option_names(command) : command_names(command);
  const std::string near = nearest_word(word, known);
  return {fmt::format("{} \"{}\"",
                      is_option       ? "unknown option"
                      : known.empty() ? "nothing takes the word"
                                      : "unknown command",
                      excerpt(word)),
          where,
          near.empty() && !is_option && !command.get_parent()
              ? help + "; tune --kernel NAME tunes a kernel"
          : near.empty() ? help
                         : fmt::format("did you mean \"{}\"? {}", near, help)};
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent ? full_name(*parent) + " " + command.get_name() : command.get_name();
}

std::string option_words(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name();
  std::string words;
  for (const std::string& name : option.get_snames()) words += "-" + name + ", ";
  for (const std::string& name : option.get_lnames()) words += "--" + name + ", ";
  words.resize(words.size() - 2);
  const std::string type = option.get_items_expected_max() > 0 ? type_word(option) : "";
  return type.empty() ? words : words + " " + type;
}

std::string option_about(const CLI::Option& option) {
  const std::string fallback = option.get_default_str();
  std::string about = option.get_description();
  if (option.get_positional())
    if (const auto choices = type_word(option); choices.starts_with("{")) about += ": " + choices;
  return fallback.empty() ? about : fmt::format("{} (default: {})", about, fallback);
}

std::string example_lines(const CLI::App& command) {
  const std::string heading = fmt::format("\n{}\n", full_name(command));
  const size_t found = examples.find(heading);
  std::string_view rest = examples.substr(found == examples.npos ? examples.size() : found);
  rest.remove_prefix(std::min(heading.size(), rest.size()));
  std::string lines;
  while (rest.starts_with("  ")) {
    const size_t end = rest.find('\n') + 1;
    lines += rest.substr(0, end);
    rest.remove_prefix(end);
  }
  return lines;
}

void set_help_format(CLI::App& app, int width) {
  app.formatter(std::make_shared<HelpFormatter>(width));
}

std::string help_page(const CLI::App& app, const Texts& topic, int width) {
  const auto names = command_names(app);
  if (topic.empty())
    return paragraph("", app.get_description(), width) + "\n" + example_lines(app) +
           "\nUsual options: --problem n=1000, --budget 5min (or 40: trials), --threads 8, "
           "--dry-run, -v.\n\n" +
           paragraph("Commands: ", joined(names) + ".", width) +
           paragraph("Help: ",
                     "tune help study (options of a study), program (of --command), commands, all, "
                     "or the name of a command; tune help gap for a word of an answer.",
                     width);
  // Tables begin with an empty line.
  const ByName<std::function<std::string()>> topics = {
      {"study", [&] { return group_table(app, app.get_groups().front(), width).substr(1); }},
      {"program", [&] { return group_table(app, program_group, width).substr(1); }},
      {"commands", [&] { return command_table(app, width).substr(1); }},
      {"all", [&] { return app.help(); }}};
  if (auto* found = value_at(topics, topic.front())) return (*found)();
  std::string meaning;
  Texts words;
  for (const GlossaryEntry& entry : glossary()) {
    words.push_back(entry.word);
    if (entry.word == joined(topic, " "))
      meaning = paragraph(entry.word + ": ", entry.meaning, width);
  }
  const CLI::App* command = &app;
  for (const std::string& word : topic) {
    auto known = command_names(*command);
    if (contains(known, word)) {
      command = command->get_subcommand(word);
      continue;
    }
    if (!meaning.empty()) return meaning;
    append(known, keys_of(topics));
    // Too many to name them all.
    if (const std::string near = nearest_word(word, words); !near.empty()) known.push_back(near);
    throw Error(fmt::format("no help on \"{}\"", excerpt(word)), "tune help",
                did_you_mean(word, known));
  }
  return meaning + command->help();
}

}  // namespace rooftune::cli
