#include "study/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/list.h"
#include "core/seconds_since.h"
#include "core/units.h"
#include "os/interruption.h"
#include "space/knob.h"
#include "study/findings.h"
#include "study/staircase.h"

namespace rooftune::study {
namespace {

/// Reads the machine again after the search, to show whether it changed meanwhile.
void read_anchors_again(StageContext& context) {
  if (context.end.evaluated == 0 || context.anchors_before.empty()) return;
  Texts names = members(context.anchors_before, &Ceiling::name);
  auto now = context.platform.anchors(context.study, names);
  throw_if_interrupted();
  context.recorder.append(
      AnchorReadings{context.anchors_before, std::move(now), context.anchors_between});
}

/// Records a run in place of an earlier one of this provider.
void record(StageContext& context, size_t input, CountedRun run) {
  std::vector<CountedRun> runs = context.recorder.record().counts_of(input);
  std::erase_if(runs, [&](const CountedRun& other) {
    return other.configuration == run.configuration && other.provider == run.provider;
  });
  runs.push_back(std::move(run));
  context.recorder.append(InputCounts{input, std::move(runs)});
}

/// Best and baseline, for without their counts nothing explains an answer.
constexpr size_t surely_counted = 2;

/// This provider's shortest run so far [s]: a step is like the best, not like the baseline.
double shortest(const std::vector<CountedRun>& runs, const std::string& provider) {
  double seconds = HUGE_VAL;
  for (const CountedRun& run : runs)
    if (run.provider == provider && run.counts) seconds = std::min(seconds, run.seconds);
  return std::isfinite(seconds) ? seconds : 0;
}

/// Counts on one input, within a time limit for all its runs [s]. A run likely to end later is left
/// out, with a note, unless it has a least time.
class Counting {
 public:
  /// `least`: what the run of best or baseline gets in any case [s]; 0: nothing.
  Counting(StageContext& context, size_t input, double limit, double least)
      : context_(context), input_(input), limit_(limit), least_(least) {}

  void count(const Configurations& configurations) {
    PreparedStudy& study = context_.study;
    for (const std::string& provider :
         context_.platform.counter_providers(study.spec.counters, study.on_gpu()))
      for (const size_t i : indices(configurations)) {
        throw_if_interrupted();
        const auto builders = size_t(study.spec.builders);
        if (i % builders == 0) build(configurations, i, i + builders, provider);
        count(configurations, i, provider);
      }
  }
  int without_time() const { return without_time_; }

 private:
  double left() const { return limit_ - seconds_since(begin_); }
  /// A later command tries a failed run again: its obstacle may be gone.
  bool is_counted(const Configuration& configuration, const std::string& provider) const {
    return any_of(context_.recorder.record().counts_of(input_), [&](const CountedRun& run) {
      return run.counts && run.configuration == configuration && run.provider == provider;
    });
  }

  void build(const Configurations& all, size_t begin, size_t end, const std::string& provider) {
    Configurations missing;
    for (size_t i = begin; i < std::min(end, all.size()); ++i)
      if (!is_counted(all[i], provider)) missing.push_back(all[i]);
    if (missing.size() < 2 || (context_.schedule.is_limited() && left() <= 0)) return;
    in_time(context_.schedule.is_limited() ? left() : HUGE_VAL,
            [&] { context_.study.inputs[input_]->runner->build_to_count(missing, provider); });
  }

  /// Counts the i-th configuration. Best and baseline have their least time in any case; otherwise
  /// each gets its share of the time left.
  void count(const Configurations& all, size_t i, const std::string& provider) {
    const Configuration& configuration = all[i];
    if (is_counted(configuration, provider)) return;
    PreparedInput& here = *context_.study.inputs[input_];
    CountedRun run{configuration, provider, std::nullopt, no_time, 0};
    const double least = i < surely_counted ? least_ : 0;
    // In less time, the provider may count a smaller part of the call.
    if (least <= 0 && (left() <= 0 ||
                       left() < shortest(context_.recorder.record().counts_of(input_), provider))) {
      ++without_time_;
    } else {
      context_.say_of(input_, fmt::format("counting with {}: {}", provider,
                                          difference_text(configuration, here.space->baseline())));
      const double kept = i + 1 < surely_counted && all.size() > i + 1 ? least_ : 0;
      const CountingTime time{std::max(left() / double(all.size() - i), least),
                              std::max(left() - kept, least)};
      const bool ended = in_time(context_.schedule.is_limited() ? time.limit : HUGE_VAL, [&] {
        run = here.runner->count(configuration, provider, here.roofline, time);
      });
      if (!ended) run.seconds = time.limit;
      if (!run.counts && run.seconds >= time.limit)
        run.absent_because += fmt::format(", with the {} that the budget left; {}",
                                          to_text(Seconds(time.limit)), cure(configuration));
    }
    record(context_, input_, std::move(run));
  }

  /// Says how much time counting would have needed.
  std::string cure(const Configuration& configuration) const {
    const History& history = context_.recorder.record().history;
    const Trial* trial = history.find(configuration);
    if (!trial || !trial->ok() || context_.study.objective)
      return "a longer --budget or a smaller problem can be counted";
    const double likely = likely_to_count(*trial, pace(history), 1);
    return fmt::format(
        "a call of {} likely takes {} to count: --budget {:.0f}s keeps as much for best and "
        "baseline, and a smaller problem takes less",
        to_text(Seconds(trial->seconds())), to_text(Seconds(likely)),
        std::ceil(Schedule::budget_to_count(2 * likely)));
  }

  StageContext& context_;
  size_t input_;
  double limit_, least_;
  int without_time_ = 0;
  SteadyClock::time_point begin_ = SteadyClock::now();
};

/// Records the time that the chosen configurations' compiled code can reach on a card.
void tell_reach(StageContext& context, const Configurations& chosen) {
  for (const size_t i : indices(context.study.inputs))
    for (const Configuration& configuration : chosen) {
      throw_if_interrupted();
      PreparedInput& here = *context.study.inputs[i];
      auto reach = here.runner->call_time(configuration, here.roofline, here.bound.time);
      if (!reach) continue;
      record(context, i, {configuration, compiled_code, std::nullopt, {}, 0, std::move(reach)});
    }
}

/// Counts best and baseline on every input with each chosen provider, unless an earlier run did,
/// and the other stairs while there is time.
void count(StageContext& context) {
  const StudyRecord& record = context.recorder.record();
  const Configuration& baseline = context.study.first().space->baseline();
  const auto chosen = worth_counting(record, baseline);
  // What race and staircase left for them, by the same forecast.
  Schedule& schedule = context.schedule;
  schedule.keep_for_counts(likely_to_count(record, baseline, context.study.spec.builders));
  const auto inputs = double(context.study.inputs.size());
  const double each = schedule.for_counts(0) / inputs /
                      double(std::clamp<size_t>(chosen.size(), 1, surely_counted));
  for (const size_t i : indices(context.study.inputs)) {
    Counting counting(context, i, schedule.left_for(Part::counts) / (inputs - double(i)), each);
    counting.count(chosen);
    if (counting.without_time() > 0)
      context.say_of(
          i, fmt::format("runs not counted: {}, since {}", counting.without_time(), no_time));
  }
  if (context.study.on_gpu()) tell_reach(context, chosen);
}

}  // namespace

void StageContext::say_of(size_t input, const std::string& text) const {
  say(study.objective ? study.inputs[input]->model.name + ": " + text : text);
}

void run_stages(StageContext& context) {
  for (const auto stage : {read_anchors_again, count}) {
    throw_if_interrupted();
    stage(context);
  }
  throw_if_interrupted();
}

}  // namespace rooftune::study
