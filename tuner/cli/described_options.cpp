#include "cli/described_options.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "cli/choices.h"
#include "cli/problem_words.h"

namespace rooftune::cli {
namespace {

/// "--target-gap" of target_gap, "-q,--quiet" of "q,quiet".
std::string dashed(const char* prefix, std::string name) {
  if (const std::size_t comma = name.find(','); comma != std::string::npos)
    return "-" + name.substr(0, comma + 1) + dashed(prefix, name.substr(comma + 1));
  std::replace(name.begin(), name.end(), '_', '-');
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

}  // namespace

void DescribedOptions::read_text(const char* name, const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    throw Error(error.message(), dashed("--", name), error.hint(), error.code());
  }
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
                                     const std::function<void(const std::string&)>& read) {
  return describe(app_.add_option_function(words_of(name, option), read, option.about), option);
}

CLI::Option* DescribedOptions::add_flag(const char* name, bool& member, const Option& option) {
  if (!member) return app_.add_flag(words_of(name, option), member, option.about);
  std::string about = option.about;
  about.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(about.front())));
  return app_.add_flag_callback(
      dashed("--no-", name), [&member] { member = false; }, "Do not " + about);
}

CLI::Option* DescribedOptions::add_inputs(const char* name, std::vector<InputSpec>& inputs,
                                          const Option& option) {
  const auto read = [&inputs](const std::vector<std::string>& typed) {
    inputs = problem_inputs(typed);
  };
  return describe(app_.add_option_function<std::vector<std::string>>(words_of(name, option), read,
                                                                     option.about),
                  option);
}

}  // namespace rooftune::cli
