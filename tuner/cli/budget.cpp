#include "cli/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"

namespace rooftune {
namespace {

const char* const budget_hint = "for example 40, 90s, device=5min, or several: 200,10min";

/// What `parse` makes of a part; what it cannot read is no budget.
template <class Parse>
auto parsed(const std::string& part, Parse parse) {
  try {
    return parse();
  } catch (const std::exception&) {
    throw Error(fmt::format("\"{}\" is neither a number of evaluations nor a duration", part),
                "--budget", budget_hint);
  }
}

/// `part` is what the user wrote, of which `duration` is the time.
Seconds limit(const std::string& part, const std::string& duration) {
  const Seconds time = parsed(part, [&] { return parse_duration(duration); });
  if (!(time.value() > 0) || !std::isfinite(time.value()))
    throw Error("the budget must be above 0", "--budget", budget_hint);
  return time;
}

/// One part of a budget; each kind of limit once.
void add_limit(Budget& budget, const std::string& part) {
  const auto once = [&](bool taken) {
    if (taken)
      throw Error(fmt::format("\"{}\" limits what was limited before", part), "--budget",
                  "evaluations, wall time and device time once each");
  };
  const bool digits = !part.empty() && std::all_of(part.begin(), part.end(), [](unsigned char c) {
    return c >= '0' && c <= '9';
  });
  constexpr std::string_view device = "device=";
  if (digits) {
    once(budget.evaluations.has_value());
    budget.evaluations = parsed(part, [&] { return std::stoull(part); });
    if (*budget.evaluations == 0)
      throw Error("the budget must be above 0", "--budget", budget_hint);
  } else if (part.starts_with(device)) {
    once(budget.device.has_value());
    budget.device = limit(part, part.substr(device.size()));
  } else {
    once(budget.time.has_value());
    budget.time = limit(part, part);
  }
}

/// "5%" or "0.05", between 0 and 1.
double share_of(const std::string& text, const char* option) {
  std::size_t used = 0;
  double share = -1;
  try {
    share = std::stod(text, &used);
  } catch (const std::exception&) {
  }
  const std::string unit = share < 0 ? text : text.substr(used);
  if (unit == "%") share /= 100;
  if ((unit.empty() || unit == "%") && share > 0 && share < 1) return share;
  throw Error(fmt::format("\"{}\" is no share between 0 and 1", text), option, "for example 5%");
}

}  // namespace

Budget parse_budget(const std::string& text) {
  Budget budget;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    add_limit(budget, text.substr(begin, end - begin));
    begin = end + 1;
  }
  return budget;
}

std::optional<Certainty> parse_certainty(const std::string& until_within,
                                         const std::string& confidence,
                                         const std::vector<std::string>& strategies) {
  if (until_within.empty()) {
    if (confidence.empty()) return std::nullopt;
    throw Error("says how sure to be, but not of what", "--confidence", "add --until-within 5%");
  }
  Certainty certainty;
  certainty.share = share_of(until_within, "--until-within");
  if (!confidence.empty()) certainty.confidence = share_of(confidence, "--confidence");
  const bool model = std::any_of(strategies.begin(), strategies.end(), [](const std::string& name) {
    return strategy_row(name).tells_chance;
  });
  if (!model)
    throw Error(fmt::format("the strategy {} has no model that could tell", strategies.front()),
                "--until-within", "--strategy roofline or bayes_gp");
  return certainty;
}

std::optional<Certainty> parse_certainty(const TuneOptions& options) {
  return parse_certainty(options.until_within, options.confidence, {options.study.strategy});
}

}  // namespace rooftune
