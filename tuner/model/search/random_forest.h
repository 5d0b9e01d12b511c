// A random forest over configurations: mean and spread of its trees' forecasts.
#pragma once
#include <vector>

#include "core/rng.h"
#include "space/search_space.h"

namespace rooftune::search {

class RandomForest {
 public:
  /// Extremely randomised trees (Geurts et al. 2006), each from a bootstrap of the observations.
  RandomForest(const std::vector<const Assignment*>& xs, const std::vector<double>& ys,
               std::size_t trees, Rng& rng);
  struct Expectation {
    double mean, deviation;
  };
  Expectation at(const Assignment& x) const;

 private:
  struct Node {
    std::uint32_t knob = 0, at_most = 0;  ///< goes left when the value number is at most this
    std::size_t left = 0, right = 0;      ///< 0: a leaf
    double mean = 0;
  };
  std::size_t grow(std::vector<Node>& tree, std::vector<std::size_t> rows, Rng& rng);
  const std::vector<const Assignment*>* xs_;
  const std::vector<double>* ys_;
  std::vector<std::vector<Node>> trees_;
};

}  // namespace rooftune::search
