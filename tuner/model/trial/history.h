// The trials of a study so far, in order; the only state of a search.
#pragma once
#include <map>
#include <vector>

#include "trial/trial.h"

namespace rooftune::trial {

class History {
 public:
  void append(Trial trial);
  /// Turns its ok trials into wrong results.
  void refute(const Configuration& configuration, const std::string& detail);
  std::size_t size() const { return trials_.size(); }
  const std::vector<Trial>& trials() const { return trials_; }
  bool tried(const Configuration& configuration) const;
  /// The latest trial of a configuration; nullptr when never tried.
  const Trial* find(const Configuration& configuration) const;
  /// Fastest ok trial by Estimate::value; nullptr when none is ok.
  const Trial* best() const;
  Cost cost() const;
  /// The trials proposed by the search: the view of a strategy, so later trials do not change how
  /// it would have gone on.
  History proposed() const;
  std::map<Outcome, int> counts() const;
  /// ok trials, fastest first, at most n; of a configuration with several, the fastest.
  std::vector<const Trial*> fastest(std::size_t n) const;
  /// Each trial better than all before it, first to last.
  std::vector<const Trial*> incumbents() const;
  /// A hash of the first `n` trials (configurations, outcomes, times), n <= size(): equal
  /// beginnings have equal fingerprints, so a state derived from one need not be derived again.
  std::uint64_t fingerprint(std::size_t n) const;

 private:
  std::vector<Trial> trials_;
  std::map<std::string, std::size_t> by_key_;
  std::vector<std::uint64_t> fingerprints_;  ///< after each trial
};

}  // namespace rooftune::trial
