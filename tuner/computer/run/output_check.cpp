#include "run/output_check.h"

#include <fmt/format.h>

#include "core/error.h"

namespace rooftune::run {
namespace {

bool is_true(const Value& result) { return result.is_bool() ? result.truth() : result.real() != 0; }

}  // namespace

OutputCheck::OutputCheck(const Program& program) : text_(program.check) {
  constexpr const char* option = "--check";
  const ProgramFigures figures(program);
  if (const auto pattern = after(text_, "regex:")) {
    pattern_ = pattern_of(*pattern, option);
  } else if (!text_.empty() && !text_.starts_with("command:")) {
    if (text_.find_first_of("<>=") == std::string::npos)
      throw Error(fmt::format("unknown check \"{}\"", excerpt(text_)), option,
                  did_you_mean(text_.substr(0, text_.find(':')), {"regex", "command"}) +
                      " 'regex:PATTERN' on what the program prints, 'command:COMMAND' that ends "
                      "with 0, or a condition on figures: 'accuracy >= 0.99'");
    condition_ = figures.formula(text_, option);
  }
}

std::string OutputCheck::fault(const std::string& output, const Figures& figures) const {
  if (pattern_ && !found_in_lines(*pattern_, output))
    return fmt::format("no line of its output matches the check \"{}\"", text_);
  if (condition_.empty()) return {};
  try {
    if (is_true(value_of(condition_, figures))) return {};
  } catch (const Error& error) {
    return error.message();
  }
  std::string seen;
  for (const std::string& name : condition_.names())
    seen += fmt::format("{}{} = {}", seen.empty() ? ": " : ", ", name, figures.at(name));
  return fmt::format("the check \"{}\" does not hold{}", text_, seen);
}

}  // namespace rooftune::run
