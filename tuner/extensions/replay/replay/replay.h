// A recorded space as if it were measured now: the recorded time of a configuration, with the
// recorded noise where the record has repeats.
// At least one result must have run.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "replay/module.h"
#include "replay/recording.h"
#include "trial/evaluator.h"

namespace rooftune::replay {

class Replay : public Evaluator {
 public:
  /// Throws Error when nothing in the recording ran. Seeds differ in their noise.
  Replay(const Recording& recording, std::uint64_t seed);
  /// Shares the prepared parts; other noise.
  Replay(const Replay& other, std::uint64_t seed);

  const SearchSpace& space() const { return record_->space; }
  /// The recorded time [s] of the configuration with this index; nullopt when it failed.
  std::optional<double> truth(std::uint64_t index) const { return record_->truth[index]; }
  /// The least recorded time [s] and where it was.
  double optimum() const { return record_->optimum; }
  std::uint64_t optimum_index() const { return record_->optimum_index; }
  /// Recorded times of all that ran, ascending.
  std::vector<double> times() const;

  /// The repeats are drawn anew from the recorded ones (bootstrap), always the same for one seed
  /// and configuration; a configuration without a record is refused.
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override;
  Rounds race(const std::vector<Configuration>& configurations, int rounds, std::uint64_t seed,
              const Between& between = {}) override;

 private:
  struct Record {
    explicit Record(const Recording& recording);
    SearchSpace space;
    std::vector<RecordedResult> results;  ///< by index in the space
    std::vector<std::optional<double>> truth;
    double optimum = 0;
    std::uint64_t optimum_index = 0;
  };
  double drawn(const RecordedResult& result, Rng& rng, std::vector<double>& repeats) const;

  std::shared_ptr<const Record> record_;
  std::uint64_t seed_;
};

}  // namespace rooftune::replay
