#include "space/least_movements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rooftune::space {
namespace {

using Lookup = Expression::Lookup;

/// A member of a statement; every name in it is a knob or a fact. Absent: empty.
struct StatementReader {
  ObjectReader& object;
  const SearchSpace& space;
  const Facts& facts;

  Expression operator()(const char* member) const {
    const std::string text = object.text(member, "");
    if (text.empty()) return {};
    Expression expression;
    try {
      expression = Expression::parse(text);
    } catch (const Error& error) {
      object.fault(member, error.message(), error.hint());
    }
    for (const std::string& name : expression.names())
      if (!space.knob(name) && facts.count(name) == 0)
        object.fault(member, fmt::format("\"{}\" is neither a knob nor a fact", name));
    return expression;
  }
};

WallStatement wall_from(ObjectReader& object, const StatementReader& read) {
  if (!object.has("holds")) object.fault("holds", "is missing (a text)");
  WallStatement result{object.text("wall"), read("holds")};
  object.finish();
  return result;
}

MoveStatement move_from(ObjectReader& object, const StatementReader& read) {
  MoveStatement result;
  result.what = object.text("what");
  result.holds = read("holds");
  result.read = read("read");
  result.write = read("write");
  result.footprint = read("footprint");
  result.passes = read("passes");
  result.plain_stores = read("plain_stores");
  if (result.read.empty() && result.write.empty() && result.plain_stores.empty())
    object.fault("read",
                 "is missing, and so are \"write\" and \"plain_stores\": nothing is stated");
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
Movement movement(const MoveStatement& statement, const Traffic& traffic, const Lookup& lookup) {
  const auto figure = [&](const Expression& expression, double otherwise) {
    return expression.empty() ? otherwise : expression.evaluate(lookup).real();
  };
  Movement result;
  result.what = statement.what;
  result.read = Bytes(figure(statement.read, traffic.read.value()));
  result.write = Bytes(figure(statement.write, traffic.write.value()));
  const bool own = !statement.read.empty() || !statement.write.empty();
  if (!statement.footprint.empty() || !own)
    result.footprint = Bytes(figure(statement.footprint, traffic.footprint.value()));
  result.passes = figure(statement.passes, passes_of(result.read, result.write, traffic));
  result.plain_stores =
      !statement.plain_stores.empty() && statement.plain_stores.evaluate(lookup).truth();
  return result;
}

}  // namespace

std::vector<Movement> LeastMovements::compute(const Configuration& configuration,
                                              const Traffic& traffic) const {
  const Lookup lookup = knobs_and_facts(configuration, facts_);
  std::vector<Movement> result;
  const auto add_where = [&](const Expression& holds, const auto& make) {
    try {
      if (holds.empty() || holds.evaluate(lookup).truth()) make();
    } catch (const UndefinedResult&) {
      // Without a result nothing is certain.
    }
  };
  for (const WallStatement& statement : walls_)
    for (const Wall& wall : traffic.walls)
      if (wall.name == statement.wall)
        add_where(statement.holds, [&] { result.push_back(movement(wall, traffic)); });
  for (const MoveStatement& statement : moves_)
    add_where(statement.holds, [&] { result.push_back(movement(statement, traffic, lookup)); });
  return result;
}

std::set<std::string> LeastMovements::knobs() const {
  std::set<std::string> result;
  const auto add = [&](const Expression& expression) {
    for (const std::string& name : expression.names())
      if (facts_.count(name) == 0) result.insert(name);
  };
  for (const WallStatement& statement : walls_) add(statement.holds);
  for (const MoveStatement& statement : moves_)
    for (const Expression* expression :
         {&statement.holds, &statement.read, &statement.write, &statement.footprint,
          &statement.passes, &statement.plain_stores})
      add(*expression);
  return result;
}

LeastMovements least_movements_from_json(const Json& json, const std::string& where,
                                         const SearchSpace& space, const Facts& facts) {
  Faults faults;
  ObjectReader object(json, where, faults);
  std::vector<WallStatement> walls;
  std::vector<MoveStatement> moves;
  object.each("walls", [&](ObjectReader& wall) {
    walls.push_back(wall_from(wall, {wall, space, facts}));
  });
  object.each("moves", [&](ObjectReader& move) {
    moves.push_back(move_from(move, {move, space, facts}));
  });
  faults.raise();
  return LeastMovements(std::move(walls), std::move(moves), facts);
}

}  // namespace rooftune::space
