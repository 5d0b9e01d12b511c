// The allowed assignments of a space and numbers for them, in one of several representations. The
// graph must outlive them.
#pragma once
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "space/diagram.h"
#include "space/relaxed_diagram.h"
#include "space/search_space.h"

namespace rooftune::space {

/// 64-bit numbers for assignments of a space too large to number.
/// An assignment of at most 64 bits is its own number. Others are numbered by a hash and kept, so
/// the number leads back: some 40 bytes and the packed values for each one asked for.
class AssignmentNames {
 public:
  /// `values`: number of values by knob.
  explicit AssignmentNames(const std::vector<std::size_t>& values);
  /// The same number for equal assignments, different ones for others. (Only if two hashes collide
  /// does it depend on the order of the calls.)
  std::uint64_t number(const Assignment& assignment) const;
  /// nullopt for a number not given before.
  std::optional<Assignment> assignment(std::uint64_t number) const;

 private:
  using Packed = std::vector<std::uint64_t>;
  Packed packed(const Assignment& assignment) const;
  std::optional<Assignment> unpacked(const std::uint64_t* words) const;

  struct Field {
    std::size_t word;
    int shift, bits;
    std::size_t values;
  };
  std::vector<Field> fields_;
  std::size_t words_ = 1;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::uint64_t, std::size_t> known_;  ///< number -> place in kept_
  mutable std::vector<std::uint64_t> kept_;
};

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
