// The further figures of a program's runs, by name, and formulas over them.
#include <fmt/format.h>

#include "kernel/manifest_reader.h"
#include "run/metric.h"
#include "run/printed_number.h"

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

}  // namespace rooftune::run
