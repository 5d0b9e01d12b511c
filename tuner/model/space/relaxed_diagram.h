// Allowed assignments too many for a diagram of bounded size: a diagram of as many conditions as
// fit, and walks through it with checks of the others. The graph must outlive it.
#pragma once
#include <optional>
#include <vector>

#include "core/rng.h"
#include "space/diagram.h"

namespace rooftune::space {

class RelaxedDiagram {
 public:
  using NodeId = ExpressionGraph::NodeId;

  /// Method of drawing, chosen by a pilot of walks.
  enum class Draw {
    uniform,   ///< walks are accepted in proportion to their weight
    weighted,  ///< one of a few walks, in proportion to their weight: nearly uniform
    searched,  ///< found depth first with chance, then moved by random steps: not uniform
  };
  /// Results of the pilot. The mean weight of a walk times the diagram's size is the expected
  /// number of allowed assignments (Knuth 1975), whichever conditions the diagram leaves out.
  struct Pilot {
    std::size_t walks = 0, arrived = 0;
    double mean = 0;       ///< weight; 0 for a walk with an early end
    double deviation = 0;  ///< of the mean
    double spread = 0;     ///< deviation of weights over their mean, among the arrivals
  };

  /// `limit` is for the diagram. Throws TooManyAssignments, WrongTypes where a walk meets them, or
  /// Undecided.
  RelaxedDiagram(const ExpressionGraph& graph, std::size_t knobs, std::vector<NodeId> conditions,
                 const DiagramLimit& limit = quick);
  /// A fraction of a second for each attempted diagram.
  static constexpr DiagramLimit quick{std::size_t{64} << 20, 5'000'000};
  /// No allowed assignment was found, nor proof of an empty space.
  struct Undecided {
    std::uint64_t tried = 0;  ///< partial assignments
  };

  /// Proven empty.
  bool empty() const { return !first_; }
  bool contains(const Assignment& assignment) const;
  Assignment draw(Rng& rng) const;
  /// The same for every run; only where there is one.
  const Assignment& first() const { return *first_; }
  Draw how() const { return how_; }
  const Pilot& pilot() const { return pilot_; }
  /// Allowed assignments of the conditions in the diagram.
  double magnitude() const { return diagram_->magnitude(); }
  std::size_t conditions() const { return conditions_; }     ///< of all
  std::size_t left_out() const { return left_out_.size(); }  ///< of the diagram

 private:
  struct Walk {
    std::optional<Assignment> end;
    double weight = 0;
  };
  class Search;
  void choose(std::vector<NodeId> conditions, const DiagramLimit& limit);
  void look_around();
  /// The branches of a node allowed by the conditions left out of the diagram.
  std::vector<Diagram::Branch> open(std::size_t level, std::uint32_t node,
                                    std::vector<Scalar>& registers, WrongTypePolicy policy) const;
  Walk walk(Rng& rng, WrongTypePolicy policy) const;
  Assignment weighted_draw(Rng& rng) const;
  std::optional<Assignment> searched_draw(Rng& rng) const;
  /// Tries other values of knobs, drawn at random, and keeps allowed ones: many steps forget where
  /// they began, as far as such steps lead.
  Assignment moved(Assignment allowed, Rng& rng) const;

  const ExpressionGraph& graph_;
  std::size_t knobs_ = 0, conditions_ = 0;
  std::optional<Diagram> diagram_;
  std::vector<NodeId> left_out_;
  std::vector<DiagramStep> steps_;  ///< by level: when conditions left out can be checked
  std::vector<Scalar> registers_;
  std::optional<Assignment> first_;
  Draw how_ = Draw::uniform;
  Pilot pilot_;
};

}  // namespace rooftune::space
