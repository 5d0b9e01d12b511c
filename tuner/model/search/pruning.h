// Configurations that cannot win, and the proof: a least time, from ceilings and walls, above the
// best measured time by more than the noise. Trials test the proofs: a trial faster than its own
// least time disproves some assumption, no matter which, and ends all pruning.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "core/list.h"
#include "roofline/roofline.h"
#include "space/search_space.h"
#include "trial/trial.h"

namespace rooftune::search {

/// A time that a configuration cannot beat, and why.
struct LeastTime {
  Seconds time{0};
  std::string because;  ///< "DRAM traffic of 134 MB (least) with at most 1 thread at \"...\""
};

/// Margin on the fastest rates seen, where they decide that a variant is left out: a bound can take
/// an error back, but here it would silently lose the best.
inline constexpr double rate_margin = 0.05;

/// nullopt where nothing is certain.
using LeastTimeOf = std::function<std::optional<LeastTime>(const Configuration&)>;

/// A study's least times, from the thread knob and the stated movements: the bound under that
/// restriction, less rate_margin. The references must outlive it.
LeastTimeOf least_times(const SearchSpace& space, const LeastMovements& movements,
                        const Roofline& roofline);

/// The knobs behind a least time.
TextSet bound_knobs(const SearchSpace& space, const LeastMovements& movements);

/// The least bound that any configuration has, over all values that the knobs behind a bound may
/// take (forbidden combinations among them). nullopt where these are too many, where nothing is
/// stated, and on a GPU.
std::optional<RestrictedBound> space_bound(const SearchSpace& space,
                                           const LeastMovements& movements,
                                           const Roofline& roofline);

class Pruning {
 public:
  /// An empty `least` proves nothing.
  Pruning(const SearchSpace& space, LeastTimeOf least) : space_(space), least_(std::move(least)) {}

  /// Why a configuration cannot beat the best by more than the noise; empty when it may. Reads the
  /// new trials first.
  std::string proof(const Configuration& configuration, const History& history);
  /// A configuration that a disproved proof pruned; nullptr without one.
  const Configuration* reopened(const History& history);
  /// Whether every untried configuration is proven slower; may answer "no" early in a large space.
  bool certain(const History& history);
  /// The trial faster than its own least time, in words; empty without one.
  const std::string& refutation() const { return refutation_; }
  uint64_t proven() const { return proven_; }  ///< untried, passed by `certain`

 private:
  void learn(const History& history);

  const SearchSpace& space_;
  LeastTimeOf least_;
  std::string refutation_;
  size_t learnt_ = 0;
  uint64_t cursor_ = 0, proven_ = 0;
};

}  // namespace rooftune::search
