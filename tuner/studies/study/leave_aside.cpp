// Readable records with impossible contents: damaged by hand, by a disk or by a tool.
#include <fmt/format.h>

#include <algorithm>

#include "study/model.h"

namespace rooftune::study {
namespace {

/// Whether every configuration of an event is of the space, and every input of the study.
class Sound {
 public:
  Sound(const SearchSpace& space, std::size_t inputs) : space_(space), inputs_(inputs) {}

  bool operator()(const Configuration& configuration) const {
    const auto has = [&](const Knob& knob) {
      return configuration.has(knob.name) &&
             std::find(knob.values.begin(), knob.values.end(), configuration.at(knob.name)) !=
                 knob.values.end();
    };
    return configuration.values().size() == space_.knobs().size() &&
           std::all_of(space_.knobs().begin(), space_.knobs().end(), has);
  }
  bool operator()(const Trial& trial) const {
    return (*this)(trial.configuration) &&
           (!trial.measurement || per_input(trial.measurement->inputs));
  }
  bool operator()(const Started& started) const { return (*this)(started.configuration); }
  bool operator()(const Race& race) const {
    const bool named = race.seconds.empty() || !race.configurations.empty();
    return named && per_input(race.inputs) && all(race.configurations) && all(race.challengers);
  }
  bool operator()(const Challenger& one) const { return (*this)(one.configuration); }
  bool operator()(const Ablation& ablation) const {
    return (*this)(ablation.baseline) && (*this)(ablation.best) && per_input(ablation.inputs) &&
           all(ablation.knobs) && all(ablation.inputs);
  }
  bool operator()(const SetBack& back) const {
    return space_.knob(back.knob) != nullptr && (!back.measured() || (*this)(back.configuration));
  }
  bool operator()(const CountedRun& run) const { return (*this)(run.configuration); }
  bool operator()(const Experiment& one) const {
    return !one.measured() || ((*this)(one.contender) && (*this)(one.other) &&
                               (one.knob.empty() || space_.knob(one.knob) != nullptr));
  }
  bool operator()(const InputExperiments& all_of_input) const {
    return all(all_of_input.experiments);
  }
  template <class T>
  bool all(const std::vector<T>& list) const {
    return std::all_of(list.begin(), list.end(), *this);
  }
  bool is_input(std::size_t input) const { return input < inputs_; }

 private:
  /// A list with one element per input, empty for a single input.
  template <class T>
  bool per_input(const std::vector<T>& list) const {
    return list.empty() || list.size() == inputs_;
  }

  const SearchSpace& space_;
  std::size_t inputs_;
};

/// The sound trials, in their order.
std::size_t keep_trials(History& history, const Sound& sound) {
  const std::size_t before = history.size();
  if (sound.all(history.trials())) return 0;
  History kept;
  for (Trial trial : history.trials()) {
    if (!sound(trial)) continue;
    trial.index = kept.size();
    kept.append(std::move(trial));
  }
  history = std::move(kept);
  return before - history.size();
}

}  // namespace

void remove_impossible_entries(StudyRecord& study, const SearchSpace& space) {
  const Sound sound(space, study.inputs());
  const auto say = [&](const char* what, std::size_t count) {
    if (count > 0)
      study.faults.push_back(fmt::format(
          "{} of \"{}\" left aside: not of this study's space and inputs", count, what));
  };
  const auto keep = [&](auto& event, const char* what) {
    if (!event || sound(*event)) return;
    event.reset();
    say(what, 1);
  };
  say("trial", keep_trials(study.history, sound));
  say("started", std::erase_if(study.started, [&](const Started& one) { return !sound(one); }));
  say("proposed", std::erase_if(study.proposed, [&](const auto& one) { return !sound(one); }));
  keep(study.race, "race");
  keep(study.ablation, "ablation");
  keep(study.published_race, "published race");
  say("counts", std::erase_if(study.counts, [&](const auto& one) {
        return !sound.is_input(one.first) || !sound.all(one.second);
      }));
  say("experiments", std::erase_if(study.experiments, [&](const auto& one) {
        return !sound.is_input(one.first) || !sound(one.second);
      }));
}

}  // namespace rooftune::study
