// Options of the command line from the list of a struct's fields (core/option.h).
#pragma once
#include <CLI/CLI.hpp>
#include <concepts>
#include <functional>
#include <string>
#include <vector>

#include "core/option.h"
#include "study/spec.h"

namespace rooftune::cli {

/// Adds an option for each visited member; members must outlive `app`. Files have the same words:
/// count_sample is --count-sample; --no-NAME turns a truth off.
class DescribedOptions {
 public:
  explicit DescribedOptions(CLI::App& app) : app_(app) {}

  template <class T>
  DescribedOptions& operator()(const char* name, T& member, const Option& option) {
    if constexpr (std::same_as<T, bool>) {
      add_flag(name, member, option);
    } else if constexpr (std::same_as<T, std::vector<InputSpec>>) {
      add_inputs(name, member, option);
    } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
      CLI::Option* added = app_.add_option(words_of(name, option), member, option.about);
      added->capture_default_str();
      describe(*added, option);
    } else {
      CLI::Option* added = app_.add_option_function<std::string>(
          words_of(name, option),
          [&member, name](const std::string& text) { read(text, name, member); }, option.about);
      describe(*added, option);
      offer_words(*added, member);
    }
    return *this;
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
  static void read_text(const char* name, const std::function<void()>& read);
  static void restrict(CLI::Option& added, Words words);
  static std::string words_of(const char* name, const Option& option);
  static void describe(CLI::Option& added, const Option& option);
  void add_flag(const char* name, bool& member, const Option& option);
  void add_inputs(const char* name, std::vector<InputSpec>& inputs, const Option& option);

  CLI::App& app_;
};

}  // namespace rooftune::cli
