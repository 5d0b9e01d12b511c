#include "report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/list.h"

namespace rooftune::report {
namespace {

/// A low end below the value's last digit becomes 0: neighbours may have caused it all.
std::string interval(const Estimate& estimate, double factor, int digits) {
  const double low = estimate.low < std::pow(10, -digits) * estimate.value ? 0 : estimate.low;
  return fmt::format("[{}, {}]", significant(low / factor, digits),
                     significant(estimate.high / factor, digits));
}

std::string prefixed_unit(std::string_view prefix, std::string_view unit) {
  if (unit == flop_unit) return fmt::format("{}FLOP/s", prefix);
  if (unit == byte_unit) return fmt::format("{}B/s", prefix);
  return prefix.empty() ? fmt::format("{}/s", unit) : fmt::format("{} {}/s", prefix, unit);
}

/// At most three digits, no zeros behind the point.
std::string brief(double value) { return fmt::format("{:.3g}", value); }

/// The prefix with a unit: "MB", "Mflop", "ms", "M loads", "loads".
std::string unit_text(std::string_view prefix, std::string_view unit, double value) {
  if (unit == byte_unit || unit == flop_unit || unit == time_unit || unit == byte_rate_unit)
    return fmt::format("{}{}", prefix, unit);
  const std::string many = std::string(unit) + (value == 1 ? "" : "s");
  return prefix.empty() ? many : fmt::format("{} {}", prefix, many);
}

}  // namespace

std::string seconds_text(double seconds) {
  if (!std::isfinite(seconds) || seconds <= 0) return significant(seconds, 4) + " s";
  if (seconds >= 120) return duration_text(seconds);
  const Prefix& prefix = prefix_of_seconds(seconds);
  return fmt::format("{} {}s", significant(seconds / prefix.factor, 4), prefix.text);
}

std::string seconds_interval(const Estimate& seconds) {
  const Prefix& prefix = prefix_of_seconds(seconds.value);
  return fmt::format("{} {}s {}", significant(seconds.value / prefix.factor, 4), prefix.text,
                     interval(seconds, prefix.factor, 4));
}

std::string figure_text(const std::optional<OwnFigure>& own, double seconds) {
  if (!own) return seconds_text(seconds);
  return significant(own->of(seconds), 4) + (own->unit.empty() ? "" : " " + own->unit);
}

std::string figure_interval(const std::optional<OwnFigure>& own, const Estimate& seconds) {
  if (!own) return seconds_interval(seconds);
  return figure_text(own, seconds.value) + " " + interval(own->of(seconds), 1, 4);
}

std::string figure_name(const std::optional<OwnFigure>& own) {
  if (!own) return "time per call";
  return fmt::format("{}, {} is better", own->unit.empty() ? "figure" : own->unit,
                     own->more ? "more" : "less");
}

std::string ratio_text(double ratio) {
  return significant(ratio, ratio < 10 ? 3 : ratio < 1000 ? 4 : 6) + "x";
}

std::string ratio_interval(const Estimate& ratio) {
  return fmt::format("{} {}", ratio_text(ratio.value),
                     interval(ratio, 1, ratio.value < 10 ? 3 : 4));
}

std::string rate_text(double per_second, std::string_view unit) {
  const Prefix& prefix = prefix_of(per_second);
  return significant(per_second / prefix.factor, 3) + " " + prefixed_unit(prefix.text, unit);
}

AxisUnit axis_unit(double typical, const std::string& unit) {
  const Prefix& prefix = prefix_of(typical);
  return {prefix.factor, prefixed_unit(prefix.text, unit)};
}

AxisUnit seconds_unit(double typical) {
  const Prefix& prefix = prefix_of_seconds(typical);
  return {prefix.factor, fmt::format("{}s", prefix.text)};
}

std::string rate_interval(const Estimate& per_second, const std::string& unit) {
  return rate_text(per_second.value, unit) + " " +
         interval(per_second, prefix_of(per_second.value).factor, 3);
}

std::string amount_text(double value, std::string_view unit) {
  if (unit == ratio_unit) return ratio_text(value);
  if (unit.empty()) return significant(value, 3);
  if (unit == percent_unit)
    return (value < 1 && value > 0 ? "below 1" : fmt::format("{:.0f}", value)) + " %";
  if (unit == time_unit && value >= 120) return duration_text(value);
  const Prefix& prefix = unit == time_unit ? prefix_of_seconds(value) : prefix_of(value);
  return brief(value / prefix.factor) + " " + unit_text(prefix.text, unit, value);
}

std::string amount_change(double before, double after, const std::string& unit) {
  if (unit == percent_unit) return fmt::format("{:.0f} -> {:.0f} %", before, after);
  const double most = std::max(before, after), least = std::min(before, after);
  const Prefix& prefix = prefix_of(most);
  // A value below a hundredth of the larger value's unit needs its own unit.
  if (least > 0 && least < prefix.factor / 100)
    return amount_text(before, unit) + " -> " + amount_text(after, unit);
  return fmt::format("{} -> {} {}", brief(before / prefix.factor), brief(after / prefix.factor),
                     unit_text(prefix.text, unit, most));
}

std::string count_text(double count) {
  if (!(std::abs(count) < 1e15)) return fmt::format("{:.3g}", count);
  std::string digits = fmt::format("{:.0f}", count);
  const size_t sign = digits[0] == '-' ? 1 : 0;
  for (size_t at = digits.size(); at > sign + 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string duration_text(double seconds) {
  if (seconds < 0.0005) return "0 s";
  if (seconds < 1) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string rate_unit(const Ceiling& ceiling) {
  if (ceiling.kind == Ceiling::Kind::launch) return "launch";
  if (ceiling.kind != Ceiling::Kind::in_core) return std::string(byte_unit);
  if (ceiling.precision == Ceiling::issue) return "instruction";
  return work_unit(ceiling.precision);
}

std::string ceiling_text(const Ceiling& ceiling, bool wide) {
  const Estimate& rate = ceiling.rate;
  const bool launch = ceiling.kind == Ceiling::Kind::launch;
  const bool latency = ceiling.kind == Ceiling::Kind::latency && ceiling.stride > 0;
  if (!(launch || latency) || !(rate.low > 0))
    return wide ? rate_interval(rate, rate_unit(ceiling))
                : rate_text(rate.value, rate_unit(ceiling));
  const double amount = launch ? 1 : ceiling.stride * std::max(1, ceiling.threads);
  const auto time = [&](double of) { return to_text(Seconds(amount / of)); };
  return wide ? fmt::format("{} [{}, {}]", time(rate.value), time(rate.high), time(rate.low))
              : time(rate.value);
}

std::string source_text(const Source& source) {
  std::string text = to_text(source.kind);
  if (!source.date.empty()) text += ' ' + source.date.substr(0, 10);
  if (!source.text.empty()) text += ": " + source.text;
  return text;
}

std::string facts_text(const Facts& facts) {
  Texts texts;
  for (const auto& [name, value] : facts) texts.push_back(name + '=' + to_text(value));
  return joined(texts);
}

std::string list_text(const Texts& words) {
  std::string text;
  for (const size_t i : indices(words))
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

}  // namespace rooftune::report
