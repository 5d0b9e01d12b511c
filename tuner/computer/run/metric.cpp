#include "run/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>
#include <sstream>

#include "core/list.h"
#include "core/number.h"
#include "core/pattern.h"
#include "core/split.h"
#include "core/text.h"
#include "kernel/manifest_reader.h"
#include "trial/statistics.h"

namespace rooftune::run {
namespace {

/// The library's regex recurses several times per character, deeper under sanitizers.
constexpr size_t longest_line = 1024;

/// A smaller figure is no program's time [s], a smaller share of its run none that anybody would
/// tune.
constexpr double least_time = 1e-9, least_share = 1e-6;

template <class Visit>
void each_line(const std::string& output, const Visit& visit) {
  for (std::string line : split(output)) {
    if (line.size() > longest_line) line.resize(longest_line);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    visit(line);
  }
}

/// The factor from a printed unit to the base unit of the metric's kind; where nothing is printed,
/// from the stated unit. nullopt for a unit of another kind.
std::optional<double> factor_of(const std::string& printed, const MetricUnit& stated,
                                const std::string& name) {
  if (printed.empty() || printed == name) return stated.factor;
  try {
    const MetricUnit unit = metric_unit(printed);
    if (unit.kind == stated.kind) return unit.factor;
  } catch (const Error&) {
    // Not a unit that we know.
  }
  return std::nullopt;
}

std::optional<Json> document(const std::string& text) {
  try {
    return parse_json(text, "output");
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The JSON document in a program's output: all of it, the part from the line where it begins, or
/// one line; where several lines have the member, the last.
std::optional<Json> member_of(const std::string& output, const Json::json_pointer& pointer) {
  // A log may have thousands of lines that begin so.
  constexpr size_t most_begins = 64;
  std::optional<Json> found;
  const auto look = [&](const std::string& text) {
    const auto json = document(text);
    if (json && json->contains(pointer)) found = json->at(pointer);
    return json.has_value();
  };
  if (look(output)) return found;
  std::deque<size_t> begins;
  for (size_t begin = 0; begin < output.size();) {
    const size_t end = std::min(output.find('\n', begin), output.size());
    if (output[begin] == '{' || output[begin] == '[') {
      if (!look(output.substr(begin, end - begin))) begins.push_back(begin);
      if (begins.size() > most_begins) begins.pop_front();
    }
    begin = end + 1;
  }
  for (const size_t begin : begins)
    if (!found) look(output.substr(begin));
  return found;
}

/// The number that fills the whole text; Fortran's exponent is allowed.
std::optional<double> plain_number(std::string text) {
  if (text.starts_with('+')) text.erase(0, 1);
  std::ranges::replace_if(
      text, [](char c) { return c == 'D' || c == 'd'; }, 'e');
  return number_in<double>(text);
}

std::string erased(std::string text, char separator) {
  std::erase(text, separator);
  return text;
}

/// Commas and underscores between digits, as far as they have one meaning.
std::optional<std::string> without_groups(const std::string& text) {
  static const Pattern thousands("[-+]?[1-9][0-9]{0,2}([,_][0-9]{3})+(\\.[0-9]*)?([eEdD].*)?");
  static const Pattern decimal_comma("[-+]?[0-9]*,[0-9]*([eEdD].*)?");
  if (!has_any_of(text, ",_")) return text;
  const auto commas = std::ranges::count(text, ',');
  if (thousands.matches(text) && (commas != 1 || contains(text, '.')))
    return erased(erased(text, ','), '_');
  if (!decimal_comma.matches(text) || thousands.matches(text)) return std::nullopt;
  std::string result = text;
  std::ranges::replace(result, ',', '.');
  return result;
}

/// "0m0.016s", "1:02:03.5".
std::optional<double> seconds_of_clock(const std::string& text) {
  static const Pattern of_bash("(?:([0-9]+)h)?([0-9]+)m([0-9]+(?:[.,][0-9]*)?)s");
  static const Pattern of_time("(?:([0-9]+):)?([0-9]+):([0-9]{2}(?:[.,][0-9]*)?)");
  auto parts = of_bash.match(text);
  if (!parts) parts = of_time.match(text);
  if (!parts) return std::nullopt;
  std::string seconds = (*parts)[3];
  std::ranges::replace(seconds, ',', '.');
  return 3600 * plain_number((*parts)[1]).value_or(0) + 60 * plain_number((*parts)[2]).value_or(0) +
         plain_number(seconds).value_or(0);
}

constexpr const char* wall_name = "wall";

double in_base_units(const PrintedNumber& number) {
  try {
    return number.value * (number.unit.empty() ? 1 : metric_unit(number.unit).factor);
  } catch (const Error&) {
    return number.value;
  }
}

bool is_true(const Value& result) { return result.is_bool() ? result.truth() : result.real() != 0; }

/// Throws Error at `option` for an unreadable pattern.
Pattern pattern_of(const std::string& text, const std::string& option) {
  try {
    return Pattern(text);
  } catch (const PatternError& error) {
    throw Error(fmt::format("\"{}\" is no regular expression: {}", excerpt(text), error.what()),
                option, "write it as in JavaScript: regex:time: ([0-9.]+)");
  }
}

}  // namespace

std::optional<std::string> after(const std::string& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

std::string last_lines(const std::string& output) {
  constexpr size_t most = 5, longest = 160;
  std::deque<std::string> lines;
  each_line(plain_text(output), [&](const std::string& line) {
    if (trimmed(line).empty()) return;
    lines.push_back(line.substr(0, longest));
    if (lines.size() > most) lines.pop_front();
  });
  if (lines.empty()) return "it printed nothing";
  return "it printed at last:\n  " + joined(lines, "\n  ");
}

std::string last_line(const std::string& output) {
  constexpr size_t longest = 200;
  std::string last;
  each_line(plain_text(output), [&](const std::string& line) {
    // "=====" is no reason.
    if (any_of(line, [](unsigned char c) { return std::isalnum(c) != 0; })) last = trimmed(line);
  });
  return last.substr(0, longest);
}

std::string with_last_line(const std::string& what, const std::string& output) {
  const std::string last = last_line(output);
  return what + (last.empty() ? "; it printed nothing" : "; it printed: " + last);
}

FigureSource::FigureSource(const std::string& text, const std::string& option) {
  if (text == "wall") return;
  if (const auto pattern = after(text, "regex:")) {
    kind_ = Kind::regex;
    pattern_ = pattern_of(*pattern, option);
    if (pattern_->groups() == 0)
      throw Error(fmt::format("\"{}\" has no group that would be the figure", *pattern), option,
                  "put it in parentheses: 'regex:time: (\\S+)'");
    return;
  }
  const auto pointer = after(text, "json:");
  if (!pointer)
    throw Error(
        fmt::format("unknown metric \"{}\"", excerpt(text)), option,
        did_you_mean(text_before(text, ':'), {"wall", "regex", "json"}) +
            " wall, 'regex:time: (\\S+)' or json:/path/to/the/figure; formulas are over figures "
            "named by --metric NAME=...");
  kind_ = Kind::json;
  try {
    pointer_ = Json::json_pointer(*pointer);
  } catch (const std::exception& error) {
    throw Error(fmt::format("\"{}\" is no JSON pointer", excerpt(*pointer)), option,
                "json:/timing/seconds names the member \"seconds\" of \"timing\"");
  }
}

bool FigureSource::stands_in(const std::string& line) const {
  if (kind_ == Kind::regex) return !find(line).empty();
  return kind_ == Kind::json && contains(line, fmt::format("\"{}\":", pointer_.back()));
}

Texts FigureSource::find(const std::string& output) const {
  Texts found;
  if (kind_ == Kind::regex)
    each_line(output, [&](const std::string& line) {
      for (const Pattern::Match& match : pattern_->all(line)) found.push_back(match[1]);
    });
  if (kind_ != Kind::json) return found;
  const std::optional<Json> member = member_of(output, pointer_);
  if (!member) return found;
  const Json list = member->is_array() ? *member : Json::array({*member});
  for (const Json& one : list)
    found.push_back(one.is_string() ? one.get<std::string>() : one.dump());
  return found;
}

Metric::Metric(const Program& program, double amount)
    : text_(program.metric),
      unit_(metric_unit(program)),
      unit_name_(program.unit),
      amount_(amount) {
  const std::string source = metric_words(text_).source;
  if (program.figures.empty() || source == "wall" || after(source, "regex:") ||
      after(source, "json:"))
    source_ = FigureSource(source, "--metric");
  else
    formula_ = ProgramFigures(program).formula(source, "--metric");
  if (!is_wall()) return;
  if (program.unit != "s")
    throw Error("the wall time of a run has no unit to choose", "--metric-unit",
                "leave it out, or name a figure that the program prints: --metric 'regex:...'");
  if (unit_.more)
    throw Error("the wall time of a run is minimised", "--metric",
                "name a figure that the program prints: --metric 'max:regex:...'");
}

void Metric::add(const std::string& figure, Reading& reading) const {
  const std::optional<PrintedNumber> number = printed_number(figure);
  const std::optional<double> factor =
      number ? factor_of(number->unit, unit_, unit_name_) : std::nullopt;
  if (!factor) {
    reading.fault = fmt::format("the metric \"{}\" is no number", excerpt(figure));
    if (number && !number->unit.empty())
      reading.fault += fmt::format(" in {}: take its unit out of the group", unit_name_);
    return;
  }
  add(figure, number->value * *factor, reading);
}

void Metric::add(const std::string& figure, double base, Reading& reading) const {
  if (!std::isfinite(base) || base <= 0) {
    reading.fault = fmt::format("the metric is {}, no {} above 0", excerpt(figure),
                                unit_.is_time()                         ? "time"
                                : unit_.kind == MetricUnit::Kind::named ? "figure"
                                                                        : "rate");
    return;
  }
  reading.seconds.push_back(unit_.more ? amount_ / base : base);
}

Metric::Reading Metric::read(const std::string& output, double wall, const Figures& figures) const {
  if (is_wall()) return {{wall}, {}};
  Reading reading;
  if (!formula_.empty()) try {
      const double value = value_of(formula_, figures).real();
      add(fmt::format("{} = {:.4g}", formula_.text(), value), value * unit_.factor, reading);
    } catch (const Error& error) {
      reading.fault = fmt::format("the metric \"{}\": {}", text_, error.message());
    }
  for (const std::string& figure : source_.find(output))
    if (reading.fault.empty()) add(figure, reading);
  if (reading.fault.empty() && reading.seconds.empty())
    reading.fault = fmt::format("its output has no metric \"{}\"", text_);
  // The metric may be the time for one item.
  const double least = unit_.factor < 1 ? least_time : std::max(least_time, least_share * wall);
  for (const double seconds : reading.seconds)
    if (reading.fault.empty() && unit_.is_time() && seconds < least)
      reading.fault = fmt::format(
          "the metric is {:.3g} s of a run of {:.3g} s: another number fits \"{}\", or it is of "
          "one call and wants its --metric-unit (us, ns)",
          seconds, wall, text_);
  if (!reading.fault.empty()) reading.seconds.clear();
  return reading;
}

std::optional<PrintedNumber> printed_number(std::string_view text) {
  // A number and its unit; std::regex takes a stack frame for each character.
  constexpr size_t longest = 60;
  const std::string whole(trimmed(text));
  if (whole.empty() || whole.size() > longest) return std::nullopt;
  if (const auto seconds = seconds_of_clock(whole)) return PrintedNumber{*seconds, "s"};
  if (const auto value = plain_number(whole)) return PrintedNumber{*value, {}};
  static const Pattern with_unit(
      "([-+]?[0-9.,_]*[0-9][.]?(?:[eEdD][-+]?[0-9]+)?) *([^-+0-9.,_ ][^ 0-9]*)?");
  const auto parts = with_unit.match(whole);
  if (!parts) return std::nullopt;
  const auto digits = without_groups((*parts)[1]);
  const auto value = digits ? plain_number(*digits) : std::nullopt;
  if (!value) return std::nullopt;
  return PrintedNumber{*value, (*parts)[2]};
}

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
    const Texts found = source.find(output);
    if (found.empty()) throw Error("its output has no figure " + name);
    const auto number = printed_number(found.back());
    if (!number)
      throw Error(fmt::format("the figure {} is no number: \"{}\"", name, excerpt(found.back())));
    figures[name] = in_base_units(*number);
  }
  return figures;
}

Figures ProgramFigures::medians(const std::vector<Figures>& runs) const {
  Figures medians;
  for (const auto& [name, source] : sources_) {
    const Numbers values = members(runs, [&](const Figures& run) { return run.at(name); });
    if (const double median = quantile(values, 0.5); std::isfinite(median)) medians[name] = median;
  }
  return medians;
}

bool ProgramFigures::stand_in(const std::string& line) const {
  return any_of(sources_, [&](const auto& one) { return one.second.stands_in(line); });
}

Expression ProgramFigures::formula(const std::string& text, const std::string& option) const {
  const Expression formula = located(option, [&] { return Expression::parse(text); });
  for (const std::string& name : formula.names())
    if (name != wall_name && !sources_.contains(name))
      throw Error(fmt::format("\"{}\" is no figure", excerpt(name)), option,
                  fmt::format("say where it stands: --metric '{}=regex:{}: (\\S+)'", name, name));
  return formula;
}

Value value_of(const Expression& formula, const Figures& figures) {
  return formula.evaluate(lookup_in(figures));
}

OutputCheck::OutputCheck(const Program& program) : text_(program.check) {
  constexpr const char* option = "--check";
  const ProgramFigures figures(program);
  if (const auto pattern = after(text_, "regex:")) {
    pattern_ = pattern_of(*pattern, option);
  } else if (!text_.empty() && text_ != nothing_checked && !text_.starts_with("command:")) {
    if (!has_any_of(text_, "<>="))
      throw Error(fmt::format("unknown check \"{}\"", excerpt(text_)), option,
                  did_you_mean(text_before(text_, ':'), {"regex", "command", nothing_checked}) +
                      " 'regex:PATTERN' on what the program prints, 'command:COMMAND' that ends "
                      "with 0, or a condition on figures: 'accuracy >= 0.99'");
    condition_ = figures.formula(text_, option);
  }
}

std::string OutputCheck::fault(const std::string& output, const Figures& figures) const {
  bool found = !pattern_;
  each_line(output, [&](const std::string& line) { found = found || pattern_->search(line); });
  if (!found) return fmt::format("no line of its output matches the check \"{}\"", text_);
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
