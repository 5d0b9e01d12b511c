// An evaluator as a layer on another one.
#pragma once
#include "trial/evaluator.h"

namespace rooftune::trial {

/// `Kind` is an Evaluator; the target builds, evaluates and races for it.
template <class Kind>
class Forwarding : public Kind {
 public:
  void build(const std::vector<Configuration>& configurations) override {
    target().build(configurations);
  }
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override {
    return target().evaluate(configuration, incumbent);
  }
  Rounds race(const std::vector<Configuration>& configurations, int rounds, std::uint64_t seed,
              const Between& between) override {
    return target().race(configurations, rounds, seed, between);
  }

 private:
  virtual Evaluator& target() = 0;
};

}  // namespace rooftune::trial
