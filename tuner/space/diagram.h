// The allowed assignments as a decision diagram: one level per knob, equal remainders shared, with
// counts. Construction merges partial assignments that no open condition can tell apart.
// The caller owes conditions whose nodes are in the graph, and the graph only while building.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "space/configuration.h"
#include "space/expression_graph.h"

namespace rooftune {

/// Building needs more partial assignments than the limit.
struct DiagramTooLarge {};
/// There are 2^64 assignments or more.
struct TooManyAssignments {};
/// A condition computes or compares with values of the wrong type.
struct WrongTypes {};
/// What such a condition means: a fault of the file, or one more assignment that is not allowed.
enum class WrongTypePolicy { fault, refusal };

class Diagram {
 public:
  /// Throws DiagramTooLarge beyond `limit` edges, TooManyAssignments, or WrongTypes as a fault.
  Diagram(const ExpressionGraph& graph, std::size_t knobs,
          const std::vector<ExpressionGraph::NodeId>& conditions, std::size_t limit,
          WrongTypePolicy policy = WrongTypePolicy::fault);
  /// Exactly the assignments of the list, in ascending order; `values` is the number of values by
  /// knob. The list may hold an assignment twice; it must not be empty.
  static Diagram of_assignments(std::vector<std::size_t> values, std::vector<Assignment> list);

  std::uint64_t size() const { return size_; }
  /// index < size().
  Assignment assignment(std::uint64_t index) const;
  /// nullopt when not allowed; values may be out of range.
  std::optional<std::uint64_t> index(const Assignment& assignment) const;
  /// By knob and value.
  std::vector<std::vector<std::uint64_t>> value_counts() const;
  /// Nodes over all levels: what the diagram costs.
  std::size_t nodes() const;

 private:
  Diagram() = default;
  friend class DiagramBuilder;
  friend class ListedDiagram;
  struct Edge {
    std::uint32_t value, child;
    std::uint64_t before;  ///< assignments through the edges before this one
  };
  struct Level {
    std::size_t knob = 0;
    std::vector<std::uint32_t> begin{0};  ///< edges of node i: [begin[i], begin[i + 1])
    std::vector<Edge> edges;
    std::vector<std::uint64_t> total;  ///< assignments below each node
    std::span<const Edge> edges_of(std::uint32_t node) const {
      return std::span(edges).subspan(begin[node], begin[node + 1] - begin[node]);
    }
  };

  std::vector<Level> levels_;
  std::vector<std::size_t> values_;  ///< number of values by knob
  std::uint64_t size_ = 0;
};

}  // namespace rooftune
