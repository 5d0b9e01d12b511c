// Walks through a finished diagram: index to assignment and back, counts.
// The caller owes indices below size().
#include "space/diagram.h"

#include <algorithm>
#include <cassert>

namespace rooftune {

Assignment Diagram::assignment(std::uint64_t index) const {
  assert(index < size_);
  Assignment result(values_.size());
  std::uint32_t node = 0;
  for (const Level& level : levels_) {
    const std::span<const Edge> edges = level.edges_of(node);
    const auto after = std::upper_bound(
        edges.begin(), edges.end(), index,
        [](std::uint64_t sought, const Edge& edge) { return sought < edge.before; });
    const Edge& edge = *std::prev(after);
    index -= edge.before;
    result[level.knob] = edge.value;
    node = edge.child;
  }
  return result;
}

std::optional<std::uint64_t> Diagram::index(const Assignment& assignment) const {
  if (size_ == 0) return std::nullopt;
  std::uint64_t index = 0;
  std::uint32_t node = 0;
  for (const Level& level : levels_) {
    const std::span<const Edge> edges = level.edges_of(node);
    const std::uint32_t value = assignment[level.knob];
    const auto edge = std::lower_bound(
        edges.begin(), edges.end(), value,
        [](const Edge& candidate, std::uint32_t sought) { return candidate.value < sought; });
    if (edge == edges.end() || edge->value != value) return std::nullopt;
    index += edge->before;
    node = edge->child;
  }
  return index;
}

std::vector<std::vector<std::uint64_t>> Diagram::value_counts() const {
  std::vector<std::vector<std::uint64_t>> counts;
  for (const std::size_t values : values_) counts.emplace_back(values);
  if (size_ == 0) return counts;
  // Paths from the root to each node of a level; times what is below an edge: the assignments
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

std::size_t Diagram::nodes() const {
  std::size_t all = 0;
  for (const Level& level : levels_) all += level.total.size();
  return all;
}

}  // namespace rooftune
