// The strategy "local": greedy steps from the baseline, knobs with past gains first.
#pragma once
#include <vector>

#include "search/moves.h"
#include "search/search_state.h"

namespace rooftune::search {

/// When no neighbour is left it restarts: from a perturbation of the best or from anywhere, in
/// turn.
class Local : public SearchState {
 public:
  explicit Local(const SearchSpace& the_space);
  void add(const Observation& trial) override;
  std::optional<std::uint64_t> propose(Rng& rng) const override;

  /// The trial whose neighbours are being tried; nullptr when the last start failed.
  const Observation* here() const { return here_ ? &all()[*here_] : nullptr; }
  std::size_t restarts() const { return restarts_; }
  /// Mean logarithmic speed-up per try of a knob; an untried knob has the prior. Always positive,
  /// so no knob is ever out.
  double usefulness(std::size_t knob) const;
  /// Holds a value with two failures as the only change, and more failures than successes.
  bool unreliable(const Assignment& point) const;

 private:
  struct Experience {
    double tries = 0, gain = 0;
  };
  /// Of one value of a knob.
  struct Reliability {
    int failures = 0;  ///< where nothing else was changed
    int runs = 0;      ///< anywhere
  };
  void step(std::size_t knob, const Observation& trial);
  std::optional<std::uint64_t> neighbour(Rng& rng) const;
  std::optional<std::uint64_t> restart(Rng& rng) const;

  ChangedKnob changed_knob_;
  std::uint64_t baseline_;
  std::optional<std::size_t> here_;  ///< number of the trial
  bool started_ = false;
  std::size_t restarts_ = 0;
  std::vector<Experience> experience_;                 ///< by knob
  std::vector<std::vector<Reliability>> reliability_;  ///< by knob and value
};

/// Faster than the incumbent beyond the noise: its whole interval is, or it is by a hundredth.
bool improves(const Observation& trial, const Observation& incumbent);

}  // namespace rooftune::search
