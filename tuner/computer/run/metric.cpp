#include "run/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
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

Metric::Metric(const Program& program, double amount)
    : text_(program.metric), unit_(metric_unit(program.unit)), amount_(amount) {
  const char* const option = "--metric";
  if (text_ == "wall") {
    if (program.unit != "s")
      throw Error("the wall time of a run has no unit to choose", "--metric-unit",
                  "leave it out, or name a figure that the program prints: --metric 'regex:...'");
    return;
  }
  if (const auto pattern = after(text_, "regex:")) {
    kind_ = Kind::regex;
    pattern_ = pattern_of(*pattern, option);
    if (pattern_->groups() == 0)
      throw Error(fmt::format("\"{}\" has no group that would be the figure", *pattern), option,
                  "put it in parentheses: 'regex:time: (\\S+)'");
    return;
  }
  const auto pointer = after(text_, "json:");
  if (!pointer)
    throw Error(fmt::format("unknown metric \"{}\"", excerpt(text_)), option,
                did_you_mean(text_.substr(0, text_.find(':')), {"wall", "regex", "json"}) +
                    " wall, 'regex:time: (\\S+)' or json:/path/to/the/figure");
  kind_ = Kind::json;
  try {
    pointer_ = Json::json_pointer(*pointer);
  } catch (const std::exception& error) {
    throw Error(fmt::format("\"{}\" is no JSON pointer", excerpt(*pointer)), option,
                "json:/timing/seconds names the member \"seconds\" of \"timing\"");
  }
}

void Metric::add(const std::string& figure, Reading& reading) const {
  const std::string_view text = trimmed(figure);
  double value = 0;
  const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || rest != text.data() + text.size()) {
    reading.fault = fmt::format("the metric \"{}\" is no number", excerpt(figure));
    return;
  }
  if (!std::isfinite(value) || value <= 0) {
    reading.fault = fmt::format("the metric is {}, no {} above 0", excerpt(figure),
                                unit_.is_rate() ? "rate" : "time");
    return;
  }
  const double base = value * unit_.factor;
  reading.seconds.push_back(unit_.is_rate() ? amount_ / base : base);
}

Metric::Reading Metric::matches(const std::string& output) const {
  Reading reading;
  each_line(output, [&](const std::string& line) {
    for (const Pattern::Match& match : pattern_->all(line))
      if (reading.fault.empty()) add(match[1], reading);
  });
  return reading;
}

Metric::Reading Metric::members(const std::string& output) const {
  Reading reading;
  const std::optional<Json> member = member_of(output, pointer_);
  if (!member) return reading;
  const Json list = member->is_array() ? *member : Json::array({*member});
  for (const Json& one : list)
    if (reading.fault.empty()) add(one.is_string() ? one.get<std::string>() : one.dump(), reading);
  return reading;
}

Metric::Reading Metric::read(const std::string& output, double wall) const {
  if (kind_ == Kind::wall) return {{wall}, {}};
  Reading reading = kind_ == Kind::regex ? matches(output) : members(output);
  if (reading.fault.empty() && reading.seconds.empty())
    reading.fault = fmt::format("its output has no metric \"{}\"", text_);
  // A rate may be of one item.
  const double least = unit_.factor < 1 ? least_time : std::max(least_time, least_share * wall);
  for (const double seconds : reading.seconds)
    if (reading.fault.empty() && !unit_.is_rate() && seconds < least)
      reading.fault = fmt::format(
          "the metric is {:.3g} s of a run of {:.3g} s: another number fits \"{}\", or it is of "
          "one call and wants its --metric-unit (us, ns)",
          seconds, wall, text_);
  if (!reading.fault.empty()) reading.seconds.clear();
  return reading;
}

}  // namespace rooftune::run
