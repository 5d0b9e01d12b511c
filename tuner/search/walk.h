// A local search as its history tells it: where it stands, how often it restarted, which knobs
// helped. Nothing else is remembered, so that a resumed search is the search that was never
// stopped.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>

#include "space/search_space.h"
#include "trial/history.h"

namespace rooftune {

/// The knob by which `to` is a neighbour of `from`: it differs, and whatever else differs depends
/// on it through `active` and stands at its default. Empty when there is none.
std::string changed_knob(const SearchSpace& space, const Configuration& from,
                         const Configuration& to);

class Walk {
 public:
  /// Replays `history`: O(trials x knobs).
  Walk(const SearchSpace& space, const History& history);

  /// The trial whose neighbours are being tried; nullptr when the last start failed.
  const Trial* here() const { return here_; }
  std::size_t restarts() const { return restarts_; }
  /// Mean logarithmic speed-up per try of a knob; a knob never tried has the prior. Always
  /// positive.
  double usefulness(const std::string& knob) const;
  /// Holds a value that failed twice where only it was changed, and that failed more often than it
  /// ran.
  bool doubtful(const Configuration& configuration) const;

 private:
  struct Experience {
    double tries = 0, gain = 0;
  };
  void step(const std::string& knob, const Trial& trial);
  void judge_values(const History& history);

  const SearchSpace& space_;
  const Trial* here_ = nullptr;
  std::size_t restarts_ = 0;
  std::map<std::string, Experience> experience_;
  std::map<std::pair<std::string, Value>, int> failures_;
  std::set<std::pair<std::string, Value>> doubtful_;
};

/// Faster than the incumbent beyond the noise: its whole interval is, or it is by a hundredth.
bool improves(const Trial& trial, const Trial& incumbent);

}  // namespace rooftune
