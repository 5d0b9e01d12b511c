// Duration of a configuration's trial, learnt from the trials so far: a search that waits for
// compilers looks for improvement per second.
#pragma once
#include <set>
#include <vector>

#include "search/search_state.h"

namespace rooftune::search {

/// Building and running separately: a built variant needs only the run. Logarithms of both are sums
/// of each value's contribution, shrunk towards none, as trials are few.
class TrialCost {
 public:
  explicit TrialCost(const SearchSpace& space);
  void learn(const std::vector<Observation>& trials);
  /// False for trials without a duration, as in a replay.
  bool known() const { return run_.known; }
  /// [s]
  double operator()(const Assignment& point) const;

 private:
  struct Effects {
    bool known = false;
    double mean = 0;                          ///< of the logarithms of seconds
    std::vector<std::vector<double>> values;  ///< by knob and value
    double seconds(const Assignment& point) const;
  };
  using Measured = std::vector<std::pair<const Assignment*, double>>;
  Effects effects_of(const Measured& seconds, const std::vector<std::size_t>& knobs) const;
  /// The values of the knobs visible to a compiler.
  Assignment built_from(const Assignment& point) const;

  std::vector<std::size_t> counts_;          ///< values by knob
  std::vector<std::size_t> all_, compiled_;  ///< knobs; those visible to a compiler
  Effects build_, run_;
  std::set<Assignment> built_;
};

}  // namespace rooftune::search
