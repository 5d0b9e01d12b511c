// The further figures of a program's runs, by name, and formulas over them.
#include <fmt/format.h>

#include "kernel/manifest_reader.h"
#include "run/metric.h"

namespace rooftune::run {
namespace {

constexpr const char* wall_name = "wall";

double in_base_units(const PrintedNumber& number) {
  try {
    return number.value * (number.unit.empty() ? 1 : metric_unit(number.unit).factor);
  } catch (const Error&) {
    return number.value;
  }
}

bool is_true(const Value& result) { return result.is_bool() ? result.truth() : result.real() != 0; }

}  // namespace

ProgramFigures::ProgramFigures(const Program& program) {
  for (const auto& [name, source] : program.figures) {
    if (!is_name(name) || name == wall_name)
      throw Error(fmt::format("\"{}\" is no name for a figure", excerpt(name)), "--metric",
                  "letters, digits, _ and -; wall is the time of the run");
    sources_.emplace(name, FigureSource(metric_words(source).source, "--metric " + name));
  }
}

Figures ProgramFigures::read(const std::string& output, double wall) const {
  Figures figures{{wall_name, wall}};
  for (const auto& [name, source] : sources_) {
    const std::vector<std::string> found = source.find(output);
    if (found.empty()) throw Error(fmt::format("its output has no figure {}", name));
    const auto number = printed_number(found.back());
    if (!number)
      throw Error(fmt::format("the figure {} is no number: \"{}\"", name, excerpt(found.back())));
    figures[name] = in_base_units(*number);
  }
  return figures;
}

Expression ProgramFigures::formula(const std::string& text, const std::string& option) const {
  Expression formula;
  try {
    formula = Expression::parse(text);
  } catch (const Error& error) {
    throw Error(error.message(), option, error.hint());
  }
  for (const std::string& name : formula.names())
    if (name != wall_name && !sources_.contains(name))
      throw Error(fmt::format("\"{}\" is no figure", excerpt(name)), option,
                  fmt::format("say where it stands: --metric '{}=regex:{}: (\\S+)'", name, name));
  return formula;
}

Value value_of(const Expression& formula, const Figures& figures) {
  return formula.evaluate(
      [&](const std::string& name) { return std::optional<Value>(figures.at(name)); });
}

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
