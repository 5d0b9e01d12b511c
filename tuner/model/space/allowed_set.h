// The allowed assignments of a space and numbers for them, in one of several representations. The
// graph must outlive them.
#pragma once
#include <optional>
#include <vector>

#include "space/assignment_names.h"
#include "space/diagram.h"
#include "space/relaxed_diagram.h"
#include "space/search_space.h"

namespace rooftune::space {

class AllowedSet {
 public:
  /// Throws WrongTypes, TooManyAssignments or RelaxedDiagram::Undecided.
  AllowedSet(const ExpressionGraph& graph, std::size_t knobs,
             const std::vector<ExpressionGraph::NodeId>& conditions);
  /// A list.
  explicit AllowedSet(Diagram diagram);

  bool empty() const { return relaxed_ ? relaxed_->empty() : diagram_->empty(); }
  const SpaceExtent& extent() const { return extent_; }
  /// The diagram of a counted space; nullptr of any other.
  const Diagram* counted() const { return extent_.counted() ? &*diagram_ : nullptr; }
  bool contains(const Assignment& assignment) const;
  /// nullopt when not allowed.
  std::optional<std::uint64_t> number(const Assignment& assignment) const;
  /// nullopt for an invalid number.
  std::optional<Assignment> assignment(std::uint64_t number) const;
  std::uint64_t draw(Rng& rng) const;
  /// The same for every run; not of an empty set.
  Assignment first() const;

 private:
  void describe_wide();
  void describe_relaxed();

  std::optional<Diagram> diagram_;
  std::optional<RelaxedDiagram> relaxed_;
  std::optional<AssignmentNames> names_;  ///< where not counted
  SpaceExtent extent_;
};

}  // namespace rooftune::space
