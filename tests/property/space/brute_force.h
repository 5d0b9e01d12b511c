// Random small spaces, and what brute force says about them: every point of the Cartesian product,
// every expression evaluated by name.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "space/search_space.h"

namespace rooftune::brute {

struct Sample {
  std::vector<Knob> knobs;
  std::vector<Constraint> constraints;
  Facts facts;
};

inline std::string term(Rng& rng, std::size_t knobs) {
  const std::string name = "k" + std::to_string(rng.below(knobs));
  switch (rng.below(8)) {
    case 0:
      return std::to_string(rng.below(7));
    case 1:
      return "limit";
    case 2:
      return name + " * k" + std::to_string(rng.below(knobs));
    case 3:
      return name + " % k" + std::to_string(rng.below(knobs));
    case 4:
      return "max(" + name + ", k" + std::to_string(rng.below(knobs)) + " / 2)";
    default:
      return name;
  }
}

inline std::string condition(Rng& rng, std::size_t knobs) {
  static const char* const comparison_texts[] = {" < ", " <= ", " == ", " != ", " > ", " >= "};
  std::string text = term(rng, knobs) + comparison_texts[rng.below(6)] + term(rng, knobs);
  switch (rng.below(10)) {
    case 0:
      return text + " and " + condition(rng, knobs);
    case 1:
      return text + " or " + condition(rng, knobs);
    case 2:
      return "not (" + text + ")";
    case 3:
      return text + comparison_texts[rng.below(6)] + term(rng, knobs);
    case 4:
      return term(rng, knobs) + " in [1, " + term(rng, knobs) + ", 4]";
    case 5:
      return "sum([k0, " + term(rng, knobs) + "]) < 8";
    default:
      return text;
  }
}

/// Up to 6 knobs of up to 4 values, up to 5 constraints; `conditional` gives some an active rule
/// over knobs before them.
inline Sample sample(Rng& rng, bool conditional) {
  Sample made;
  made.facts["limit"] = Value(static_cast<std::int64_t>(rng.below(6)));
  const std::size_t count = 2 + rng.below(5);
  for (std::size_t k = 0; k < count; ++k) {
    Knob knob;
    knob.name = "k" + std::to_string(k);
    knob.kind = Knob::Kind::argument;
    const std::size_t values = 1 + rng.below(4);
    for (std::size_t v = 0; v < values; ++v) {
      const double number = static_cast<double>(values - v);
      if (rng.below(9) == 0)
        knob.values.emplace_back(number + 0.5);
      else
        knob.values.emplace_back(static_cast<std::int64_t>(number) -
                                 static_cast<std::int64_t>(rng.below(2)) * 10);
    }
    knob.fallback = knob.values[rng.below(values)];
    if (conditional && k > 0 && rng.below(2) == 0)
      knob.active = Expression::parse(condition(rng, k));
    made.knobs.push_back(std::move(knob));
  }
  for (std::size_t c = rng.below(6); c > 0; --c)
    made.constraints.push_back({Expression::parse(condition(rng, count)), ""});
  return made;
}

/// Python's meaning, with "no result" as "does not hold".
inline bool holds(const Expression& expression, const Configuration& configuration,
                  const Facts& facts) {
  try {
    return expression
        .evaluate([&](const std::string& name) {
          return configuration.has(name) ? configuration.at(name) : facts.at(name);
        })
        .truth();
  } catch (const UndefinedResult&) {
    return false;
  }
}

/// Keys of all allowed configurations, or of `most` of them: constraints hold, inactive knobs are
/// at their default.
inline std::set<std::string> allowed(const Sample& sample, std::size_t most = SIZE_MAX) {
  std::set<std::string> keys;
  std::vector<std::size_t> at(sample.knobs.size(), 0);
  Configuration configuration;
  for (std::size_t k = 0; k < at.size(); ++k)
    configuration.set(sample.knobs[k].name, sample.knobs[k].values[0]);
  while (keys.size() < most) {
    bool fine = true;
    for (const Knob& knob : sample.knobs)
      fine = fine && (knob.active.empty() || configuration.at(knob.name) == knob.fallback ||
                      holds(knob.active, configuration, sample.facts));
    for (const Constraint& constraint : sample.constraints)
      fine = fine && holds(constraint.expression, configuration, sample.facts);
    if (fine) keys.insert(configuration.key());
    std::size_t k = 0;
    for (bool carried = true; carried && k < at.size(); k += carried ? 1 : 0) {
      carried = ++at[k] == sample.knobs[k].values.size();
      if (carried) at[k] = 0;
      configuration.set(sample.knobs[k].name, sample.knobs[k].values[at[k]]);
    }
    if (k == at.size()) break;
  }
  return keys;
}

inline bool any_allowed(const Sample& sample) { return !allowed(sample, 1).empty(); }

}  // namespace rooftune::brute
