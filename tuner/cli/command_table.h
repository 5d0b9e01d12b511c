// Every `tune` command with its options: the table behind the parser, the help, shell completion
// and the reference pages.
#pragma once
#include <CLI/CLI.hpp>
#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "core/callback.h"
#include "core/option.h"
#include "core/units.h"
#include "study/spec.h"

namespace rooftune::cli {

/// Adds an option for each visited member; members must outlive `app`. Files have the same words:
/// target_gap is --target-gap; --no-NAME turns a truth off.
class DescribedOptions {
 public:
  explicit DescribedOptions(CLI::App& app) : app_(app) {}

  template <class T>
  CLI::Option* operator()(const char* name, T& member, const Option& option) {
    using namespace fields_detail;
    if constexpr (std::same_as<T, std::optional<Program>>) {
      return nullptr;  // its members become separate options
    } else if constexpr (std::same_as<T, bool>) {
      return add_flag(name, member, option);
    } else if constexpr (std::same_as<T, InputSpecs>) {
      return add_words(name, option,
                       [&member](const Texts& typed) { member = problem_inputs(typed); });
    } else if constexpr (std::same_as<T, FactsList>) {
      return add_words(name, option, [&member, name](const Texts& typed) {
        for (const std::string& one : typed)
          member.push_back(assignments({one}, "--" + std::string(name), "tile=64,unroll=2"));
      });
    } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
      CLI::Option* added = app_.add_option(words_of(name, option), member, option.about);
      return describe(added->capture_default_str(), option);
    } else if constexpr (is<T, std::vector> || std::same_as<T, std::optional<double>> ||
                         std::same_as<T, std::optional<size_t>>) {
      return describe(app_.add_option(words_of(name, option), member, option.about), option);
    } else {
      CLI::Option* added = reads(
          name, option, [&member, name](const std::string& text) { read(text, name, member); });
      if constexpr (std::same_as<T, std::optional<std::string>>) added->expected(0, 1);
      offer_words(*added, member);
      return added;
    }
  }
  /// An option that `read` reads.
  CLI::Option* reads(const char* name, const Option& option, const TextCallback& read);
  /// A word without dashes, by its position.
  template <class T>
  CLI::Option* position(const char* name, T& member, const char* about) {
    return app_.add_option(name, member, about);
  }

 private:
  template <class T>
  static void read(const std::string& text, const char* name, T& member) {
    if constexpr (fields_detail::is<T, std::optional>)
      read(text, name, member.emplace());
    else if constexpr (HasWords<T>)
      member = enumerator<T>(name, text);
    else if constexpr (ReadsText<T>)
      read_text(name, [&] { from_text(text, member); });
    else
      member = text;
  }
  template <class T>
  static void offer_words(CLI::Option& added, const T& member) {
    if constexpr (HasWords<T>) {
      restrict(added, words(T{}));
      added.default_str(word(member));
    } else if constexpr (fields_detail::is<T, std::optional>) {
      if constexpr (HasWords<typename T::value_type>)
        restrict(added, words(typename T::value_type{}));
    }
  }
  /// A fault names the option.
  static void read_text(const char* name, const Callback& read);
  static void restrict(CLI::Option& added, Words words);
  static std::string words_of(const char* name, const Option& option);
  static CLI::Option* describe(CLI::Option* added, const Option& option);
  CLI::Option* add_flag(const char* name, bool& member, const Option& option);
  CLI::Option* add_words(const char* name, const Option& option,
                         const std::function<void(const Texts&)>& read);

  CLI::App& app_;
};

/// The options that select a stored study, shared by commands.
void add_study(CLI::App& app, StudySpec& spec);
/// Completes and checks a study's options, once all are there. Throws Error.
void complete(StudySpec& spec, const CLI::App& command);

/// Adds a command that calls `run` with its options, filled from the typed words: the options in a
/// member `spec`, checked as a whole, and the command's own list.
template <class Options>
CLI::App& add_command(CLI::App& app, CommandLine& line, const char* name, const char* about,
                      int (*run)(const Options&)) {
  CLI::App& command = *app.add_subcommand(name, about);
  const auto options = std::make_shared<Options>();
  if constexpr (requires { options->spec; }) add_study(command, options->spec);
  DescribedOptions add(command);
  Options::fields(*options, add);
  command.callback([&line, &command, options, run] {
    if (!command.get_subcommands().empty()) return;  // one of its own commands ran before
    if constexpr (requires { options->spec; }) complete(options->spec, command);
    line.run = [options, run](const CommandLine&) { return run(*options); };
  });
  return command;
}

/// Adds an extension's commands, or its options for other commands.
using AddCommands = void (*)(CLI::App& app, CommandLine& line);
/// To be called before anything is parsed.
void extend_command_line(AddCommands add);

/// Adds all commands and options to an empty `app`. Typed words go to `line`, which must outlive
/// it. `width`: the help's columns.
void add_all(CLI::App& app, CommandLine& line, int width);

/// The heading above the options that --command brings.
inline constexpr const char* program_group = "A program instead of a kernel";

}  // namespace rooftune::cli
