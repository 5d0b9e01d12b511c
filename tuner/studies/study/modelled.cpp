// A search that runs nothing: the strategy proposes, the machine's model tells the compiled code's
// time. On a card it precedes the search that measures.
#include "study/modelled.h"

#include <algorithm>

#include "core/list.h"
#include "core/seconds_since.h"
#include "os/interruption.h"
#include "study/knowledge.h"

namespace rooftune::study {
namespace {

Trial as_trial(const Configuration& configuration, const std::optional<CallTime>& time) {
  Trial trial;
  trial.configuration = configuration;
  trial.outcome = time ? Outcome::ok : Outcome::pruned;
  if (time) {
    Measurement& measured = trial.measurement.emplace();
    measured.seconds = Estimate::exact(time->time.value());
    measured.best = measured.median = time->time.value();
  }
  return trial;
}

}  // namespace

ModelledTimes modelled(PreparedStudy& study, const Configurations& first, size_t most,
                       double seconds) {
  ModelledTimes result;
  if (!study.on_gpu() || study.objective) return result;
  const PreparedInput& input = study.first();
  const SearchSpace& space = *input.space;
  const auto strategy = make_strategy(study.spec.strategy, knowledge_of(study));
  const auto begin = SteadyClock::now();
  Configurations next{space.baseline()};
  for (const Configuration& one : first) add_once(next, one);
  History history;
  bool known = false;
  const auto batch = size_t(std::max(study.spec.builders, 1));
  do {
    strategy->fill(next, std::min(batch, most - std::min(most, history.size())), space, history,
                   study.spec.seed);
    if (next.empty()) break;
    input.runner->build_to_model(next);
    for (const Configuration& configuration : next) {
      throw_if_interrupted();
      // Judged by the compiled code alone: the problem's bound, the same for all, would make them
      // equal.
      const auto time = input.runner->call_time(configuration, input.roofline, Seconds(0));
      Trial trial = as_trial(configuration, time);
      trial.index = history.size();
      history.append(trial);
      result.push_back({configuration, time ? time->time.value() : 0});
      known = known || time;
    }
    next.clear();
  } while (known && seconds_since(begin) <= seconds);
  return result;
}

}  // namespace rooftune::study
