// The allowed assignments, counted where possible, else with the reason and an estimate.
#include "space/allowed_set.h"

#include <fmt/format.h>

#include <cmath>

namespace rooftune::space {
namespace {

/// Bounds construction: 256 MB, to keep the program below 500 MB, and some seconds.
constexpr DiagramLimit size_limit{std::size_t{256} << 20, 200'000'000};
/// Least arrivals of walks before their number tells the size.
constexpr std::size_t least_arrivals = 100;

}  // namespace

AllowedSet::AllowedSet(const ExpressionGraph& graph, std::size_t knobs,
                       const std::vector<ExpressionGraph::NodeId>& conditions) {
  try {
    diagram_.emplace(graph, knobs, conditions, size_limit);
    if (diagram_->size()) {
      extent_ = counted_extent(*diagram_->size());
      return;
    }
    describe_wide();
  } catch (const DiagramTooLarge&) {
    relaxed_.emplace(graph, knobs, conditions);
    describe_relaxed();
  }
  std::vector<std::size_t> values;
  for (std::size_t k = 0; k < knobs; ++k) values.push_back(graph.values(k).size());
  names_.emplace(values);
}

AllowedSet::AllowedSet(Diagram diagram)
    : diagram_(std::move(diagram)), extent_(counted_extent(*diagram_->size())) {}

void AllowedSet::describe_wide() {
  // Sums and products of positive numbers; far more of them than there are levels round less.
  constexpr double rounding = 1e-10;
  const double size = diagram_->magnitude();
  extent_.size = SpaceExtent::Estimate{size, size * (1 - rounding), size * (1 + rounding)};
  extent_.sampling = "uniform";
  extent_.because = "there are 2^64 configurations or more";
}

void AllowedSet::describe_relaxed() {
  const RelaxedDiagram::Pilot& pilot = relaxed_->pilot();
  extent_.because = fmt::format(
      "its constraints tie the knobs together too closely: {} of {} conditions are checked only "
      "while configurations are drawn",
      relaxed_->left_out(), relaxed_->conditions());
  if (pilot.arrived >= least_arrivals) {
    const double size = relaxed_->magnitude() * pilot.mean;
    const double factor = std::exp(1.96 * pilot.deviation / pilot.mean);
    extent_.size = SpaceExtent::Estimate{size, size / factor, size * factor};
  }
  switch (relaxed_->how()) {
    case RelaxedDiagram::Draw::uniform:
      extent_.sampling = "uniform";
      break;
    case RelaxedDiagram::Draw::weighted:
      extent_.sampling = fmt::format(
          "nearly uniform: each is picked by weight from 8 draws whose weights spread by {:.0f} %",
          100 * pilot.spread);
      break;
    case RelaxedDiagram::Draw::repaired:
      extent_.representative = false;
      extent_.sampling =
          "not uniform: allowed configurations are so rare that others are repaired, and then "
          "moved by random steps";
      break;
  }
}

bool AllowedSet::contains(const Assignment& assignment) const {
  return relaxed_ ? relaxed_->contains(assignment) : diagram_->contains(assignment);
}

std::optional<std::uint64_t> AllowedSet::number(const Assignment& assignment) const {
  if (extent_.counted()) return diagram_->index(assignment);
  return contains(assignment) ? std::optional(names_->number(assignment)) : std::nullopt;
}

std::optional<Assignment> AllowedSet::assignment(std::uint64_t number) const {
  if (!extent_.counted()) return names_->assignment(number);
  if (number >= *diagram_->size()) return std::nullopt;
  return diagram_->assignment(number);
}

std::uint64_t AllowedSet::draw(Rng& rng) const {
  if (extent_.counted()) return rng.below(*diagram_->size());
  return names_->number(relaxed_ ? relaxed_->draw(rng) : diagram_->draw(rng));
}

Assignment AllowedSet::first() const {
  if (relaxed_) return relaxed_->first();
  if (extent_.counted()) return diagram_->assignment(0);
  Assignment assignment(diagram_->depth());
  std::uint32_t node = 0;
  for (std::size_t level = 0; level < diagram_->depth(); ++level) {
    const Diagram::Branch branch = diagram_->branches(level, node).front();
    assignment[diagram_->knob(level)] = branch.value;
    node = branch.child;
  }
  return assignment;
}

}  // namespace rooftune::space
