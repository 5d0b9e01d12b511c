// What follows a search: the fastest raced against the baseline, the winner's knobs set back one by
// one, and what turns out faster without one of them promoted into the race.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "study/search_loop.h"
#include "trial/ablation.h"
#include "trial/race.h"

namespace rooftune::study {

class Finals {
 public:
  /// Tries a configuration that is promoted for the reason given.
  using Evaluate = std::function<void(const Configuration&, const std::string& because)>;
  using Show = std::function<void(const std::string& phase)>;
  /// A race needs so many, however long they take.
  static constexpr int least_rounds = 12;
  Finals(const SearchSetting& setting, const SearchOptions& options, const Schedule& schedule,
         Evaluate evaluate, Show show)
      : setting_(setting),
        options_(options),
        schedule_(schedule),
        evaluate_(std::move(evaluate)),
        show_(std::move(show)) {}
  /// Records a race and an ablation where the record has none that stands. Throws Interrupted; what
  /// was completed is on record then.
  void run();

 private:
  const StudyRecord& record() const { return setting_.recorder.record(); }
  /// run() as long as nothing is refuted.
  void conclude();
  std::optional<Race> race() const;
  /// The rounds of a race whose configurations stand; nullopt when somebody is refuted. Without
  /// rounds it has a fault: why none was completed.
  std::optional<Race> raced(Race race) const;
  std::optional<Ablation> ablation() const;
  /// The ablation of the race's winner; nullptr when there is none.
  const Ablation* known_ablation() const;
  /// Tries what is faster than the winner without one of its knobs and races it; false when there
  /// is nothing that was not raced for that before, or it cannot be raced.
  bool promote();

  const SearchSetting& setting_;
  const SearchOptions& options_;
  const Schedule& schedule_;
  Evaluate evaluate_;
  Show show_;
};

}  // namespace rooftune::study
