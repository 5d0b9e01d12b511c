#include "space/wall_condition.h"

#include <fmt/format.h>

#include <algorithm>

namespace rooftune::inline space {
namespace {

WallCondition read_one(ObjectReader& object, const SearchSpace& space, const Facts& facts) {
  WallCondition result;
  result.wall = object.text("wall");
  const std::string text = object.text("holds");
  object.finish();
  if (text.empty()) return result;
  try {
    result.holds = Expression::parse(text);
  } catch (const Error& error) {
    object.fault("holds", error.message(), error.hint());
  }
  for (const std::string& name : result.holds.names())
    if (!space.knob(name) && facts.count(name) == 0)
      object.fault("holds", fmt::format("\"{}\" is neither a knob nor a fact", name));
  return result;
}

}  // namespace

std::vector<std::string> WallConditions::walls(const Configuration& configuration) const {
  const auto lookup = [&](const std::string& name) -> std::optional<Value> {
    if (configuration.has(name)) return configuration.at(name);
    const auto fact = facts_.find(name);
    return fact == facts_.end() ? std::nullopt : std::optional<Value>(fact->second);
  };
  std::vector<std::string> names;
  for (const WallCondition& condition : all_) {
    try {
      if (condition.holds.evaluate(lookup).truth()) names.push_back(condition.wall);
    } catch (const UndefinedResult&) {
      // Without a result nothing is certain.
    }
  }
  return names;
}

WallConditions wall_conditions_from_json(const Json& json, const std::string& where,
                                         const SearchSpace& space, const Facts& facts) {
  Faults faults;
  ObjectReader object(json, where, faults);
  std::vector<WallCondition> all;
  object.each("walls", [&](ObjectReader& wall) { all.push_back(read_one(wall, space, facts)); });
  faults.raise();
  return WallConditions(std::move(all), facts);
}

WallConditions read_wall_conditions(const std::filesystem::path& file, const SearchSpace& space,
                                    const Facts& facts) {
  return wall_conditions_from_json(read_json(file), file.string(), space, facts);
}

}  // namespace rooftune::inline space
