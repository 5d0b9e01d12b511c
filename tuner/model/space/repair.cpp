// Repair by least conflicts. A step takes a broken condition at random and gives one of its knobs
// the value with the fewest broken conditions. Some steps go anywhere instead: least conflicts
// alone stays on plateaus where each change breaks as much (Selman, Kautz, Cohen, AAAI 1994). A
// step asks only the conditions of its own knob.
#include "space/repair.h"

namespace rooftune::space {
namespace {

/// One step in so many is random, to leave plateaus where every single change breaks as much.
constexpr std::uint64_t random_step_every = 20;

}  // namespace

Repair::Repair(const ExpressionGraph& graph, std::size_t knobs,
               const std::vector<NodeId>& conditions)
    : graph_(graph), knobs_(knobs), parts_(knobs) {
  all_.conditions = conditions;
  for (const NodeId condition : conditions)
    for (const std::size_t knob : graph_.knobs_below(condition))
      parts_[knob].conditions.push_back(condition);
  for (Part& part : parts_) part.program = graph_.below(part.conditions);
  all_.program = graph_.below(conditions);
  for (std::size_t k = 0; k < knobs; ++k)
    if (graph_.values(k).size() > 1) movable_.push_back(k);
}

std::size_t Repair::broken(const Part& part, std::vector<Scalar>& registers) const {
  for (const NodeId node : part.program) registers[node] = graph_.result(node, registers);
  std::size_t count = 0;
  for (const NodeId condition : part.conditions)
    count += condition_holds(registers[condition], WrongTypePolicy::refusal) ? 0 : 1;
  return count;
}

void Repair::set(std::vector<Scalar>& registers, std::size_t knob, std::uint32_t value) const {
  if (const auto node = graph_.knob_node(knob)) registers[*node] = graph_.values(knob)[value];
}

std::uint32_t Repair::best_value(std::size_t knob, std::vector<Scalar>& registers, Rng& rng) const {
  std::uint32_t best = 0;
  std::size_t least = 0;
  std::uint64_t alike = 0;
  for (std::uint32_t value = 0; value < graph_.values(knob).size(); ++value) {
    set(registers, knob, value);
    const std::size_t count = broken(parts_[knob], registers);
    if (alike == 0 || count < least) {
      least = count;
      alike = 0;
    } else if (count > least) {
      continue;
    }
    if (rng.below(++alike) == 0) best = value;
  }
  return best;
}

std::optional<std::size_t> Repair::knob_of_broken(std::vector<Scalar>& registers, Rng& rng) const {
  if (broken(all_, registers) == 0) return std::nullopt;
  std::optional<NodeId> chosen;
  std::uint64_t seen = 0;
  for (const NodeId condition : all_.conditions)
    if (!condition_holds(registers[condition], WrongTypePolicy::refusal) && rng.below(++seen) == 0)
      chosen = condition;
  const std::vector<std::size_t> knobs = graph_.knobs_below(*chosen);
  return knobs.empty() ? std::nullopt : std::optional(knobs[rng.below(knobs.size())]);
}

std::optional<Assignment> Repair::repaired(Assignment start, int steps, Rng& rng) const {
  std::vector<Scalar> registers = graph_.registers();
  for (std::size_t k = 0; k < knobs_; ++k) set(registers, k, start[k]);
  for (int step = 0; step < steps; ++step) {
    const auto knob = knob_of_broken(registers, rng);
    if (!knob) break;
    start[*knob] = rng.below(random_step_every) == 0
                       ? static_cast<std::uint32_t>(rng.below(graph_.values(*knob).size()))
                       : best_value(*knob, registers, rng);
    set(registers, *knob, start[*knob]);
  }
  if (broken(all_, registers) > 0) return std::nullopt;
  return start;
}

Assignment Repair::random_walk(Assignment allowed, int steps, Rng& rng) const {
  std::vector<Scalar> registers = graph_.registers();
  for (std::size_t k = 0; k < knobs_; ++k) set(registers, k, allowed[k]);
  for (int step = 0; step < steps && !movable_.empty(); ++step) {
    const std::size_t knob = movable_[rng.below(movable_.size())];
    const auto value = static_cast<std::uint32_t>(rng.below(graph_.values(knob).size()));
    set(registers, knob, value);
    if (broken(parts_[knob], registers) == 0)
      allowed[knob] = value;
    else
      set(registers, knob, allowed[knob]);
  }
  return allowed;
}

}  // namespace rooftune::space
