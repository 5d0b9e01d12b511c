// Walks through a finished diagram: index to assignment and back, counts.
#include "space/diagram.h"

#include <algorithm>
#include <cassert>

namespace rooftune::space {

const Diagram::Edge& Diagram::drawn(std::span<const Edge> edges, std::uint64_t position) {
  return *std::prev(std::ranges::upper_bound(edges, position, {}, &Edge::before));
}

Assignment Diagram::assignment(std::uint64_t index) const {
  assert(size_ && index < *size_);
  Assignment result(values_.size());
  std::uint32_t node = 0;
  for (const Level& level : levels_) {
    const Edge& edge = drawn(level.edges_of(node), index);
    index -= edge.before;
    result[level.knob] = edge.value;
    node = edge.child;
  }
  return result;
}

Assignment Diagram::draw(Rng& rng) const {
  if (size_) return assignment(rng.below(*size_));
  Assignment result(values_.size());
  std::uint32_t node = 0;
  for (const Level& level : levels_) {
    const Edge& edge = drawn(level.edges_of(node), rng.next());
    result[level.knob] = edge.value;
    node = edge.child;
  }
  return result;
}

std::optional<std::uint64_t> Diagram::index(const Assignment& assignment) const {
  if (empty()) return std::nullopt;
  std::uint64_t index = 0;
  std::uint32_t node = 0;
  for (const Level& level : levels_) {
    const std::span<const Edge> edges = level.edges_of(node);
    const std::uint32_t value = assignment[level.knob];
    const auto edge = std::ranges::lower_bound(edges, value, {}, &Edge::value);
    if (edge == edges.end() || edge->value != value) return std::nullopt;
    index += edge->before;
    node = edge->child;
  }
  return index;
}

std::vector<std::vector<std::uint64_t>> Diagram::value_counts() const {
  std::vector<std::vector<std::uint64_t>> counts;
  for (const std::size_t values : values_) counts.emplace_back(values);
  if (empty()) return counts;
  assert(size_);
  // Paths from the root to each node of a level; times the total below an edge: the assignments
  // through it.
  std::vector<std::uint64_t> paths{1};
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Level& level = levels_[l];
    const bool last = l + 1 == levels_.size();
    std::vector<std::uint64_t> next(last ? 1 : levels_[l + 1].total.size());
    for (std::uint32_t node = 0; node < paths.size(); ++node)
      for (const Edge& edge : level.edges_of(node)) {
        const std::uint64_t below = last ? 1 : levels_[l + 1].total[edge.child];
        counts[level.knob][edge.value] += paths[node] * below;
        next[edge.child] += paths[node];
      }
    paths = std::move(next);
  }
  return counts;
}

}  // namespace rooftune::space
