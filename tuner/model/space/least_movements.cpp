// Least movements: read from a search-space file, computed for a configuration.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/object_reader.h"
#include "space/search_space.h"

namespace rooftune::space {
namespace {

using Lookup = Expression::Lookup;

/// A statement with these members as parts; every name in them is a knob or a fact.
LeastMovement statement_from(ObjectReader& object, const char* what,
                             std::initializer_list<const char*> members, const SearchSpace& space,
                             const Facts& facts) {
  LeastMovement result{object.text(what)};
  for (const char* member : members) {
    const std::string text = object.text(member, "");
    if (text.empty()) continue;
    const Expression& part = result.parts[member] = object.expression(member, text);
    for (const std::string& name : part.names())
      if (!space.knob(name) && !facts.contains(name))
        object.fault(member, fmt::format("\"{}\" is neither a knob nor a fact", name));
  }
  object.finish();
  return result;
}

/// One pass finds the caches as the one before left them; the traffic is at least so many passes.
double passes_of(Bytes read, Bytes write, const Traffic& traffic) {
  const double once = (traffic.read + traffic.write).value();
  constexpr double rounding = 1e-9;
  return once > 0 ? std::max(1.0, std::ceil((read + write).value() / once - rounding)) : 1;
}

Movement movement(const Wall& wall, const Traffic& traffic) {
  Movement result;
  result.what = '"' + wall.name + '"';
  result.level = wall.level;
  result.read = wall.read;
  result.write = wall.write;
  result.passes = passes_of(wall.read, wall.write, traffic);
  return result;
}

/// The statement's figures; throws UndefinedResult.
Movement movement(const LeastMovement& statement, const Traffic& traffic, const Lookup& lookup) {
  const auto stated = [&](const char* part) { return statement.parts.contains(part); };
  const auto figure = [&](const char* part, double otherwise) {
    return stated(part) ? statement.parts.at(part).evaluate(lookup).real() : otherwise;
  };
  Movement result;
  result.what = statement.what;
  result.read = Bytes(figure("read", traffic.read.value()));
  result.write = Bytes(figure("write", traffic.write.value()));
  if (stated("footprint") || !(stated("read") || stated("write")))
    result.footprint = Bytes(figure("footprint", traffic.footprint.value()));
  result.passes = figure("passes", passes_of(result.read, result.write, traffic));
  result.plain_stores =
      stated("plain_stores") && statement.parts.at("plain_stores").evaluate(lookup).truth();
  return result;
}

}  // namespace

std::vector<Movement> LeastMovements::compute(const Configuration& configuration,
                                              const Traffic& traffic) const {
  const Lookup lookup = knobs_and_facts(configuration, facts);
  std::vector<Movement> result;
  const auto add_where = [&](const LeastMovement& statement, const auto& make) {
    try {
      const auto* holds = value_at(statement.parts, "holds");
      if (!holds || holds->evaluate(lookup).truth()) result.push_back(make());
    } catch (const UndefinedResult&) {
      // Without a result nothing is certain.
    }
  };
  for (const LeastMovement& statement : walls)
    for (const Wall& wall : traffic.walls)
      if (wall.name == statement.what)
        add_where(statement, [&] { return movement(wall, traffic); });
  for (const LeastMovement& statement : moves)
    add_where(statement, [&] { return movement(statement, traffic, lookup); });
  return result;
}

TextSet LeastMovements::knobs() const {
  TextSet result;
  for (const auto* statements : {&walls, &moves})
    for (const LeastMovement& statement : *statements)
      for (const auto& [member, part] : statement.parts)
        for (const std::string& name : part.names())
          if (!facts.contains(name)) result.insert(name);
  return result;
}

LeastMovements least_movements_from_json(const Json& json, const std::string& where,
                                         const SearchSpace& space, const Facts& facts) {
  Faults faults;
  ObjectReader object(json, where, faults);
  LeastMovements result;
  result.facts = facts;
  object.each("walls", [&](ObjectReader& wall) {
    if (!wall.has("holds")) wall.fault("holds", "is missing (a text)");
    result.walls.push_back(statement_from(wall, "wall", {"holds"}, space, facts));
  });
  object.each("moves", [&](ObjectReader& move) {
    if (!move.has("read") && !move.has("write") && !move.has("plain_stores"))
      move.fault("read",
                 "is missing, and so are \"write\" and \"plain_stores\": nothing is stated");
    result.moves.push_back(statement_from(
        move, "what", {"holds", "read", "write", "footprint", "passes", "plain_stores"}, space,
        facts));
  });
  faults.raise();
  return result;
}

}  // namespace rooftune::space
