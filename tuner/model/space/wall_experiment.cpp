// Reader of the experiments of a search-space file; every fault with its JSON pointer.
#include "space/wall_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rooftune::space {
namespace {

Value evaluated(const std::string& text, const Facts& facts) {
  return Expression::parse(text).evaluate([&](const std::string& name) {
    const auto fact = facts.find(name);
    if (fact == facts.end()) throw Error(fmt::format("\"{}\" is no parameter or fact", name));
    return fact->second;
  });
}

class WallExperimentReader {
 public:
  WallExperimentReader(const SearchSpace& space, const Facts& facts)
      : space_(space), facts_(facts) {}

  WallExperimentSpec read(ObjectReader& object) const {
    WallExperimentSpec spec;
    spec.wall = object.text("wall");
    const auto& walls = experimental_walls();
    if (object.has("wall") && std::find(walls.begin(), walls.end(), spec.wall) == walls.end())
      object.fault("wall", fmt::format("no experiment is about \"{}\"", spec.wall),
                   did_you_mean(spec.wall, walls));
    const bool by_knob = object.has("knob"), by_size = object.has("problem"),
               by_none = object.has("none");
    if (by_knob + by_size + by_none != 1)
      object.fault(
          "", "says not, or more than once, what isolates the wall",
          "one of \"knob\" (with \"with\" and \"without\"), \"problem\" (with \"per\") and "
          "\"none\" (the reason)");
    if (by_knob) knob(object, spec);
    if (by_size) problem(object, spec);
    if (by_none) spec.none = object.text("none");
    if (by_none && spec.none.empty()) object.fault("none", "gives no reason");
    applicable(object, spec);
    object.text("doc", "");
    object.finish();
    return spec;
  }

 private:
  void knob(ObjectReader& object, WallExperimentSpec& spec) const {
    spec.knob = object.text("knob");
    const Knob* found = space_.knob(spec.knob);
    if (!found) {
      std::vector<std::string> names;
      for (const Knob& one : space_.knobs()) names.push_back(one.name);
      object.fault("knob", fmt::format("\"{}\" is no knob of this space", spec.knob),
                   did_you_mean(spec.knob, names));
      object.know("with");
      object.know("without");
      return;
    }
    spec.with = side(object, "with", *found);
    spec.without = side(object, "without", *found);
    for (const Value& value : spec.with)
      if (std::find(spec.without.begin(), spec.without.end(), value) != spec.without.end())
        object.fault("without", fmt::format("{} stands on both sides", excerpt(to_text(value))));
  }

  std::vector<Value> side(ObjectReader& object, const char* key, const Knob& knob) const {
    std::vector<Value> values;
    const Json& json = object.member(key);
    if (!json.is_array() || json.empty()) {
      object.fault(key, fmt::format("expected a list of values of {}", knob.name));
      return values;
    }
    std::vector<Value> all = knob.values;
    all.insert(all.end(), knob.barred.begin(), knob.barred.end());
    for (const Json& element : json) {
      const bool plain = !element.is_structured() && !element.is_null();
      const auto known =
          plain ? std::find(all.begin(), all.end(), value_from_json(element)) : all.end();
      if (known == all.end())
        object.fault(key,
                     fmt::format("{} is no value of {}", excerpt(json_text(element)), knob.name),
                     "one of " + excerpt(to_text(Value(all)), 200));
      else
        values.push_back(*known);
    }
    return values;
  }

  void problem(ObjectReader& object, WallExperimentSpec& spec) const {
    spec.per = object.text("per");
    object.object("problem", [&](ObjectReader& parameters_of) {
      const auto known = parameters();
      if (parameters_of.json().empty()) parameters_of.fault("", "sets no parameter");
      for (const auto& [name, json] : parameters_of.json().items()) {
        parameters_of.know(name);
        if (std::find(known.begin(), known.end(), name) == known.end()) {
          parameters_of.fault(name, fmt::format("\"{}\" is no parameter of the problem", name),
                              did_you_mean(name, known));
          continue;
        }
        const bool formula = json.is_string() && json.get<std::string>().starts_with('=');
        try {
          spec.problem[name] = formula ? evaluated(json.get<std::string>().substr(1), facts_)
                                       : value_from_json(json);
        } catch (const Error& error) {
          parameters_of.fault(name, error.message(), error.hint());
        }
      }
      parameters_of.finish();
    });
    if (spec.per.empty()) return;
    try {
      amount(spec.per, facts_);
    } catch (const Error& error) {
      object.fault("per", error.message(), error.hint());
    }
  }

  /// Where the condition is false, its reason is why there is no experiment.
  void applicable(ObjectReader& object, WallExperimentSpec& spec) const {
    object.object("applicable", [&](ObjectReader& rule) {
      const std::string condition = rule.text("if"), reason = rule.text("reason");
      rule.finish();
      if (condition.empty()) return;
      try {
        if (evaluated(condition, facts_).truth()) return;
      } catch (const Error& error) {
        rule.fault("if", error.message(), error.hint());
        return;
      }
      spec = WallExperimentSpec{spec.wall, {}, {}, {}, {}, {}, reason.empty() ? condition : reason};
    });
  }

  std::vector<std::string> parameters() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : facts_)
      if (!name.starts_with("machine_")) names.push_back(name);
    return names;
  }

  const SearchSpace& space_;
  const Facts& facts_;
};

}  // namespace

const std::vector<std::string>& experimental_walls() {
  static const std::vector<std::string> walls{"write_allocate", "capacity", "conflict"};
  return walls;
}

std::vector<WallExperimentSpec> wall_experiments_from_json(const Json& json,
                                                           const std::string& where,
                                                           const SearchSpace& space,
                                                           const Facts& facts) {
  Faults faults;
  ObjectReader object(json, where, faults);
  const WallExperimentReader reader(space, facts);
  std::vector<WallExperimentSpec> all;
  object.each("experiments", [&](ObjectReader& one) { all.push_back(reader.read(one)); });
  faults.raise();
  return all;
}

double amount(const std::string& per, const Facts& facts) {
  const Value value = evaluated(per, facts);
  const double number = value.is_number() ? value.real() : 0;
  if (number > 0 && std::isfinite(number)) return number;
  throw Error(fmt::format("\"{}\" must give a number above 0, not {}", per, to_text(value)));
}

}  // namespace rooftune::space
