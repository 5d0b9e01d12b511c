// The stages after a search: race of the fastest against the baseline, set-back of the winner's
// knobs one by one, and promotion into the race of a variant that is faster without one.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "study/search_loop.h"
#include "trial/ablation.h"
#include "trial/evaluator.h"

namespace rooftune::study {

class Finals {
 public:
  /// Tries a configuration promoted for the given reason.
  using Evaluate = std::function<void(const Configuration&, const std::string& because)>;
  using Show = std::function<void(Progress::Phase phase)>;
  /// The fewest rounds with an interval for five.
  static constexpr int least_rounds = 10;
  Finals(const SearchSetting& setting, const SearchOptions& options, const Schedule& schedule,
         Evaluate evaluate, Show show)
      : setting_(setting),
        options_(options),
        schedule_(schedule),
        evaluate_(std::move(evaluate)),
        show_(std::move(show)) {}
  /// Records a race and an ablation unless the record has valid ones. Throws Interrupted; completed
  /// parts are on record then.
  void run();

 private:
  const StudyRecord& record() const { return setting_.recorder.record(); }
  /// run() as long as nothing is refuted.
  void conclude();
  std::optional<Race> race();
  /// The rounds of a race of valid configurations; nullopt after a refutation. Without rounds it
  /// has a fault: the reason for none.
  std::optional<Race> raced(Race race);
  double left_for_race() const;  ///< [s]
  std::optional<Ablation> ablation() const;
  /// The ablation of the race's winner; nullptr when there is none.
  const Ablation* known_ablation() const;
  /// Tries a variant faster than the winner without one of its knobs and races it; false without a
  /// new one to race, or where it cannot be raced.
  bool promote();

  const SearchSetting& setting_;
  const SearchOptions& options_;
  const Schedule& schedule_;
  Evaluate evaluate_;
  Show show_;
  double raced_ = 0;     ///< time of all races so far [s]
  double set_back_ = 0;  ///< time of the latest set-backs [s]
};

}  // namespace rooftune::study
