#include "run/output_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "run/printed_number.h"

namespace rooftune::run {
namespace {

/// The time of a run from its start to its end [s].
constexpr const char* wall_name = "wall";

/// In base units where its unit is one of ours: 16.02ms is 0.01602.
std::optional<double> value_of(const std::string& figure) {
  const auto number = printed_number(figure);
  if (!number) return std::nullopt;
  try {
    return number->value * (number->unit.empty() ? 1 : metric_unit(number->unit).factor);
  } catch (const Error&) {
    return number->value;
  }
}

bool is_true(const Value& result) { return result.is_bool() ? result.truth() : result.real() != 0; }

}  // namespace

OutputCheck::OutputCheck(const Program& program) : text_(program.check) {
  for (const auto& [name, source] : program.figures)
    figures_.emplace(name, FigureSource(source, "--figure " + name));
  if (const auto pattern = after(text_, "regex:"))
    pattern_ = pattern_of(*pattern, "--check");
  else if (!text_.empty() && !text_.starts_with("command:"))
    read_condition(text_);
  for (const auto& [name, source] : figures_)
    if (std::ranges::find(condition_.names(), name) == condition_.names().end())
      throw Error(fmt::format("nothing asks for the figure {}", name), "--figure",
                  fmt::format("--check '{} >= 0.99' would, or leave it out", name));
}

void OutputCheck::read_condition(const std::string& text) {
  constexpr const char* option = "--check";
  if (text.find_first_of("<>=") == std::string::npos)
    throw Error(fmt::format("unknown check \"{}\"", excerpt(text)), option,
                did_you_mean(text.substr(0, text.find(':')), {"regex", "command"}) +
                    " 'regex:PATTERN' on what the program prints, 'command:COMMAND' that ends with "
                    "0, or a condition on figures: 'accuracy >= 0.99'");
  try {
    condition_ = Expression::parse(text);
  } catch (const Error& error) {
    throw Error(error.message(), option, error.hint());
  }
  for (const std::string& name : condition_.names())
    if (name != wall_name && !figures_.contains(name))
      throw Error(fmt::format("\"{}\" is no figure", name), option,
                  fmt::format("say where it stands: --figure '{}=regex:{}: (\\S+)'", name, name));
}

std::string OutputCheck::fault(const std::string& output, double wall) const {
  if (pattern_ && !found_in_lines(*pattern_, output))
    return fmt::format("no line of its output matches the check \"{}\"", text_);
  if (condition_.empty()) return {};
  std::string seen;
  try {
    const Value result = condition_.evaluate([&](const std::string& name) -> std::optional<Value> {
      if (name == wall_name) return Value(wall);
      const std::vector<std::string> found = figures_.at(name).find(output);
      if (found.empty()) throw Error(fmt::format("its output has no figure {}", name));
      const auto value = value_of(found.back());
      if (!value)
        throw Error(fmt::format("the figure {} is no number: \"{}\"", name, excerpt(found.back())));
      seen += fmt::format("{}{} = {}", seen.empty() ? ": " : ", ", name, *value);
      return Value(*value);
    });
    return is_true(result) ? "" : fmt::format("the check \"{}\" does not hold{}", text_, seen);
  } catch (const Error& error) {
    return error.message();
  }
}

}  // namespace rooftune::run
