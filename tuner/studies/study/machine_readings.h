// Readings of the machine during a search: some milliseconds of its ceilings now and then.
#pragma once
#include <chrono>
#include <memory>
#include <vector>

#include "core/rng.h"
#include "study/platform.h"

namespace rooftune::study {

class MachineReadings {
 public:
  /// `roofs` may be nullptr: then nothing is read.
  MachineReadings(std::unique_ptr<Roofs> roofs, std::uint64_t seed)
      : roofs_(std::move(roofs)), rng_(seed, 0), next_(Clock::now() + pause()) {
    if (roofs_) rates_.resize(roofs_->names().size());
  }
  /// Reads all of them at moments drawn at random, one to five seconds apart: reading takes less
  /// than a hundredth of the time.
  void read_if_due();
  /// The median of each ceiling's readings, from the slowest tenth to the fastest.
  std::vector<Ceiling> summary() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::duration pause() {
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(1 + 4 * rng_.unit()));
  }

  std::unique_ptr<Roofs> roofs_;
  Rng rng_;
  Clock::time_point next_;
  std::vector<std::vector<double>> rates_;  ///< by ceiling
};

}  // namespace rooftune::study
