#include "study/spec.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "core/list.h"
#include "core/units.h"

namespace rooftune::study {
namespace {

InputSpec input_of(const Place& place) {
  InputSpec input;
  if (!place->is_object()) {
    place.unexpected("an object of parameters");
    return input;
  }
  place.each([&](const std::string& name, const Place& value) {
    if (value->is_primitive() && !value->is_null())
      input.parameters.insert_or_assign(name, value_from_json(*value));
    else
      value.fault("must be a number, text or truth");
  });
  input.name = name_of(input.parameters);
  return input;
}

const char* const budget_hint = "for example 40, 90s, device=5min, or several: 200,10min";

/// Calls `parse`; a part that it cannot read is no budget.
template <class Parse>
auto parsed(const std::string& part, Parse parse) {
  try {
    return parse();
  } catch (const std::exception&) {
    throw Error(fmt::format("\"{}\" is neither a number of evaluations nor a duration", part),
                "--budget",
                part.ends_with('m') ? fmt::format("did you mean {}in?", part) : budget_hint);
  }
}

/// `part` as the user wrote it, `duration` its time.
Seconds limit(const std::string& part, const std::string& duration) {
  const Seconds time = parsed(part, [&] { return parse_duration(duration); });
  if (!(time.value() > 0) || !std::isfinite(time.value()))
    throw Error("the budget must be above 0", "--budget", budget_hint);
  return time;
}

/// Adds a part of a budget; each kind of limit may come once.
void add_limit(Budget& budget, const std::string& part) {
  constexpr std::string_view device = "device=";
  const auto put = [&](auto& limit, auto value) {
    if (limit)
      throw Error(fmt::format("\"{}\" limits what was limited before", part), "--budget",
                  "evaluations, wall time and device time once each");
    limit = value;
  };
  if (!part.empty() && is_only_of(part, "0123456789")) {
    put(budget.evaluations, parsed(part, [&] { return std::stoull(part); }));
    if (*budget.evaluations == 0)
      throw Error("the budget must be above 0", "--budget", budget_hint);
  } else if (part.starts_with(device)) {
    put(budget.device, limit(part, part.substr(device.size())));
  } else {
    put(budget.time, limit(part, part));
  }
}

}  // namespace

std::string name_of(const Facts& parameters) {
  std::string name;
  for (const auto& [key, value] : parameters) join(name, key + "=" + to_text(value), ",");
  return name;
}

void decode(const Place& place, InputSpecs& inputs) {
  inputs.clear();
  if (!place->is_array()) {
    inputs.push_back(input_of(place));
    return;
  }
  for (const size_t i : indices(*place)) inputs.push_back(input_of(place.element(i)));
  if (inputs.size() < 2) place.fault("a list holds several inputs", "one input is an object");
}

Budget parse_budget(const std::string& text) {
  Budget budget;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    add_limit(budget, text.substr(begin, end - begin));
    begin = end + 1;
  }
  return budget;
}

bool worth_checks(const Budget& budget) {
  constexpr uint64_t least_evaluations = 16;
  constexpr double least_seconds = 20;
  if (budget.evaluations && *budget.evaluations < least_evaluations) return false;
  return !budget.time || budget.time->value() >= least_seconds;
}

}  // namespace rooftune::study
