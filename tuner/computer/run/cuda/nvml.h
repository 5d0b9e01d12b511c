// Readings of NVIDIA's management library about a card at work. It sets nothing.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "trial/trial.h"

namespace rooftune::run {

class Nvml {
 public:
  /// The card with this UUID (as nvidia-smi prints it); nothing without the library.
  static std::optional<Nvml> of(const std::string& uuid);
  /// Clocks, temperature, power, and the reasons for a reduced clock, idleness excepted. Leaves the
  /// variant's fields empty.
  CardState state() const;
  /// Energy used by the whole card since its driver was loaded [J]; 0 without a counter (before
  /// Volta). Cards update it every 20 to 100 ms.
  double joules() const;
  /// Processes computing on the card outside this program.
  int others() const;

 private:
  explicit Nvml(void* card) : card_(card) {}
  void* card_;
};

/// Energy per call of back-to-back calls, from one update of the card's counter to another.
class EnergyMeter {
 public:
  explicit EnergyMeter(const Nvml& card) : card_(card), last_{card.joules(), 0} {}
  /// So many calls have ended since the last query.
  void count(int calls);
  /// From one update to the next, so far.
  int parts() const { return static_cast<int>(parts_.size()); }
  /// Of all parts together; the interval is that of their median. nullopt: fewer than two updates
  /// of the counter.
  std::optional<Estimate> joules_per_call() const;

 private:
  struct Reading {
    double joules = 0;
    double calls = 0;  ///< so far
  };
  const Nvml& card_;
  Reading first_, last_;
  double calls_ = 0;
  std::vector<double> parts_;  ///< joules per call
};

}  // namespace rooftune::run
