#include "space/compulsion.h"

#include <fmt/format.h>

#include <algorithm>

namespace rooftune {
namespace {

Compulsion compulsion(ObjectReader& object, const SearchSpace& space, const Facts& facts) {
  Compulsion result;
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

std::vector<std::string> Compulsions::walls(const Configuration& configuration) const {
  const auto lookup = [&](const std::string& name) -> std::optional<Value> {
    if (configuration.has(name)) return configuration.at(name);
    const auto fact = facts_.find(name);
    return fact == facts_.end() ? std::nullopt : std::optional<Value>(fact->second);
  };
  std::vector<std::string> names;
  for (const Compulsion& compulsion : all_) {
    try {
      if (compulsion.holds.evaluate(lookup).truth()) names.push_back(compulsion.wall);
    } catch (const UndefinedResult&) {
      // Without a result nothing is certain.
    }
  }
  return names;
}

Compulsions compulsions_from_json(const Json& json, const std::string& where,
                                  const SearchSpace& space, const Facts& facts) {
  Faults faults;
  ObjectReader object(json, where, faults);
  std::vector<Compulsion> all;
  object.each("walls", [&](ObjectReader& wall) { all.push_back(compulsion(wall, space, facts)); });
  faults.raise();
  return Compulsions(std::move(all), facts);
}

Compulsions read_compulsions(const std::filesystem::path& file, const SearchSpace& space,
                             const Facts& facts) {
  return compulsions_from_json(read_json(file), file.string(), space, facts);
}

}  // namespace rooftune
