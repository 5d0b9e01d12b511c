// Readings of NVIDIA's management library about a card at work. It sets nothing.
#pragma once
#include <optional>
#include <string>

#include "trial/trial.h"

namespace rooftune::run {

class Nvml {
 public:
  /// The card with this UUID (as nvidia-smi prints it); nothing without the library.
  static std::optional<Nvml> of(const std::string& uuid);
  /// Clocks, temperature, power, and the reasons for a reduced clock, idleness excepted. Leaves the
  /// variant's fields empty.
  CardState state() const;
  /// Processes computing on the card outside this program.
  int others() const;

 private:
  explicit Nvml(void* card) : card_(card) {}
  void* card_;
};

}  // namespace rooftune::run
