#include "run/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <sstream>

#include "core/text.h"

namespace rooftune::run {
namespace {

/// The library's regex recurses several times per character, deeper under sanitizers.
constexpr std::size_t longest_line = 1024;

/// No time of a program [s], and no share of its run that anybody would tune.
constexpr double least_time = 1e-9, least_share = 1e-6;

template <class Visit>
void each_line(const std::string& output, const Visit& visit) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > longest_line) line.resize(longest_line);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    visit(line);
  }
}

/// From a printed unit to that of the metric's kind; where nothing is printed, the unit that was
/// stated. nullopt for a unit of another kind.
std::optional<double> factor_of(const std::string& printed, const MetricUnit& stated,
                                const std::string& name) {
  if (printed.empty() || printed == name) return stated.factor;
  try {
    const MetricUnit unit = metric_unit(printed);
    if (unit.kind == stated.kind) return unit.factor;
  } catch (const Error&) {
    // No unit of ours.
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

/// The document in a program's output: all of it, the part from the line of its beginning on, or
/// one line; of several the last with the member.
std::optional<Json> member_of(const std::string& output, const Json::json_pointer& pointer) {
  // A log may have thousands of lines with such a beginning.
  constexpr std::size_t most_begins = 64;
  std::optional<Json> found;
  const auto look = [&](const std::string& text) {
    const auto json = document(text);
    if (json && json->contains(pointer)) found = json->at(pointer);
    return json.has_value();
  };
  if (look(output)) return found;
  std::deque<std::size_t> begins;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    if (output[begin] == '{' || output[begin] == '[') {
      if (!look(output.substr(begin, end - begin))) begins.push_back(begin);
      if (begins.size() > most_begins) begins.pop_front();
    }
    begin = end + 1;
  }
  for (const std::size_t begin : begins)
    if (!found) look(output.substr(begin));
  return found;
}

}  // namespace

std::optional<std::string> after(const std::string& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

Pattern pattern_of(const std::string& text, const std::string& option) {
  try {
    return Pattern(text);
  } catch (const PatternError& error) {
    throw Error(fmt::format("\"{}\" is no regular expression: {}", excerpt(text), error.what()),
                option, "write it as in JavaScript: regex:time: ([0-9.]+)");
  }
}

bool found_in_lines(const Pattern& pattern, const std::string& output) {
  bool found = false;
  each_line(output, [&](const std::string& line) { found = found || pattern.search(line); });
  return found;
}

std::string last_lines(const std::string& output) {
  constexpr std::size_t most = 5, longest = 160;
  std::deque<std::string> lines;
  each_line(plain_text(output), [&](const std::string& line) {
    if (trimmed(line).empty()) return;
    lines.push_back(line.substr(0, longest));
    if (lines.size() > most) lines.pop_front();
  });
  if (lines.empty()) return "it printed nothing";
  return fmt::format("it printed at last:\n  {}", fmt::join(lines, "\n  "));
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
        did_you_mean(text.substr(0, text.find(':')), {"wall", "regex", "json"}) +
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

std::vector<std::string> FigureSource::find(const std::string& output) const {
  std::vector<std::string> found;
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
  // A rate may be of one item.
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

}  // namespace rooftune::run
