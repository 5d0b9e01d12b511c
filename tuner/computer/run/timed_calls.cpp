// Calls a variant while it is timed: how many samples; looks between them; and whether an evolving
// kernel's values stay finite and its later calls take as long as the first.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "core/list.h"
#include "core/units.h"
#include "run/element.h"
#include "run/gpu_runtime.h"
#include "run/process_state.h"
#include "run/sampler.h"
#include "run/worker.h"
#include "trial/statistics.h"

namespace rooftune::run {
namespace {

/// The parent is woken at most this often while time is taken [s].
constexpr double report_interval = 0.05;
/// The share of the sampling time that looks may take, and the most looks.
constexpr double share_of_looks = 0.2;
constexpr int most_looks = 64;
/// A longer call is not made for its phase alone [s].
constexpr double costly_call = 0.05;
/// A look takes about as long as this many calls; the comparison costs one.
constexpr double calls_of_look = 4;
/// Calls before the poison, at most: variants that count their calls meet a look in any phase.
constexpr uint64_t most_before = 3;

/// Compares the first call, the second and this one, or an earlier one where calls are long.
constexpr int last_call = 50, least_last = 3;
constexpr int repetitions = 5;

/// Pairs of calls on new inputs: the fewest that give a 95 % interval, and the most where they do
/// not tell.
constexpr int least_pairs = 6, most_pairs = 31;
/// At least this many calls lie between the two in a pair: a result may be kept from the third call
/// on. A single short call is timed to this [s].
constexpr int least_between = 2;
constexpr double clock_noise = 1e-6;
/// The last one with a reference; see Setup::inputs.
constexpr int last_known_input = 2;
/// The share of the sampling time for calls that show whether the first differs from later ones.
constexpr double share_of_time = 0.2;
/// The first call finds caches and branches as nothing in an application leaves them.
constexpr double first_differs = 2, later_differs = 1.25;

/// Whether two sorted lists of times differ: beyond the noise, and by more than a factor.
bool differ(const Numbers& one, const Numbers& other, double factor) {
  const auto above = [&](const auto& a, const auto& b) {
    return b.front() > factor * a.front() && b[1] > a[repetitions - 2];
  };
  return above(one, other) || above(other, one);
}

}  // namespace

SampleList Worker::collect(const Calls& calls, int repeats, Looks& looks) {
  const Timing& wanted = calls.task.timing;
  SampleList samples;
  const double begin = raw_clock();
  Json batch = Json::array();
  double reported = raw_clock();
  const auto report = [&] {
    replies_.send(Phase::samples, {{"samples", batch}});
    batch = Json::array();
    reported = raw_clock();
  };
  const auto collect_enough = [&](const Timing& timing) {
    const double started = raw_clock();
    const auto are_all = [&] {
      const double elapsed = raw_clock() - started;
      return are_enough(samples, timing, elapsed) ||
             (gpu_ && are_enough_on_card(samples, timing, elapsed));
    };
    while (!are_all()) {
      const int before = repeats;
      const Sample one = filled_sample(calls, repeats);
      if (repeats != before) {
        samples.clear();
        batch = Json::array();
      }
      samples.push_back(one);
      batch.push_back(encode(samples.back()));
      if (raw_clock() - reported > report_interval) report();
      if (!gpu_ && looks.due(raw_clock() - begin, one.seconds)) look(calls, one.seconds, looks);
    }
  };
  collect_enough(wanted);
  // One more try before the parent calls it unstable.
  if (is_irreproducible(samples, wanted.min_samples)) {
    Timing more = wanted;
    more.min_samples += int(samples.size());
    more.max_samples += int(samples.size());
    collect_enough(more);
  }
  report();
  if (!gpu_ && looks.number() == 0 && !cannot_win(samples, wanted))
    look(calls, samples.back().seconds, looks);
  return samples;
}

bool Looks::due(double elapsed, double call) const {
  const double next = number_ == 0 ? calls_of_look * call : seconds_ / number_;
  return number_ < most_looks && seconds_ + next <= share_of_looks * elapsed;
}

void Looks::add(double seconds) {
  ++number_;
  seconds_ += seconds;
}

void Worker::begin_on(int input, const Calls& calls) {
  calls.arrays.use(input);
  calls.begin();
  calls.variant.prepare(calls.arguments);
  const int threads = calls.task.team.threads;
  setup_->warm ? calls.arrays.read_through(threads) : flush_caches(threads);
}

void Worker::know_teams(const Task& task) {
  for (const int threads : {task.placement.touch_threads, task.team.threads}) {
    std::vector<pid_t> members(std::max(threads, 1));
    openmp_->parallel(threads, [&](int member, int) { members[member] = gettid(); });
    team_.insert(members.begin(), members.end());
  }
}

double Worker::call_on(int input, const Calls& calls) {
  // The variant's own threads may work before the call.
  const ThreadTimes before = cpu_seconds_beside(team_);
  begin_on(input, calls);
  const double begin = raw_clock();
  calls.call();
  const double seconds = raw_clock() - begin;
  // Another team size may have brought new members.
  know_teams(calls.task);
  return seconds + cpu_seconds_since(before, team_);
}

void Worker::call_until(double sampled, double last, double limit, const Calls& calls) {
  const double begin = raw_clock();
  const int least = last < costly_call ? least_between : 0;
  const auto is_slow = [&] { return last > forbidden_memory * sampled + clock_noise; };
  for (int i = 0; i < least || (is_slow() && raw_clock() - begin < limit); ++i) {
    restore(calls);
    const double called = raw_clock();
    calls.call();
    last = raw_clock() - called;
  }
}

void Worker::renew(const Calls& calls, const SampleList& samples, double begin) {
  constexpr double share = 0.3;
  // An entrant to a race has been timed in a trial.
  const double timed = std::max(raw_clock() - begin, calls.task.timing.trial_seconds);
  const double sampled = std::ranges::min(samples, {}, &Sample::seconds).seconds;
  const auto factor = remembers(calls, sampled, share * timed);
  replies_.send(Phase::renewed, {{"remembers", encode(factor)}});
}

std::optional<Estimate> Worker::remembers(const Calls& calls, double sampled, double limit) {
  // The steps in a time loop take their arrays in turn, and each has the results of the other.
  if (gpu_ || setup_->keeps_inputs || !calls.arrays.renews() || !calls.exchanged.empty()) return {};
  const Timing& timing = calls.task.timing;
  const bool leads = !timing.incumbent || sampled < *timing.incumbent;
  if (prepare_seconds_ > (leads ? timing.trial_seconds : limit / 2)) return {};
  const double begin = raw_clock();
  Numbers ratios;
  std::optional<Estimate> ratio;
  const auto is_decided = [&] {
    return ratio && (ratio->high < doubtful_memory || ratio->low > forbidden_memory);
  };
  for (int pair = 1; pair <= most_pairs && !is_decided(); ++pair) {
    // The same work comes before both calls, and leaves everything alike.
    const int input = last_known_input + pair;
    const double first = call_on(input, calls);
    if (2 * least_pairs * (raw_clock() - begin) > limit && ratios.empty() &&
        first < forbidden_memory * sampled)
      return {};
    call_until(sampled, first, limit / least_pairs, calls);
    const double again = call_on(input, calls);
    ratios.push_back(std::abs(first - again) < clock_noise ? 1 : first / again);
    // Each pair gets a new time limit.
    replies_.send(Phase::noted, {{"note", ""}});
    if (pair >= least_pairs) ratio = median_ratio(ratios, 0.95);
    const double likely = (raw_clock() - begin) / pair * std::max(pair + 1, least_pairs);
    if (likely > limit && (ratio || quantile(ratios, 0.5) < forbidden_memory)) break;
  }
  // Without poison in the outputs a call is right, too.
  call_on(setup_->inputs - 1, calls);
  check_guards(calls.arrays);
  told("between timed calls: ", [&] {
    finish(calls.variant, calls.arrays, calls.arguments);
    compared(calls.task, calls.arrays);
  });
  return ratio;
}

void Worker::look(const Calls& calls, double call_seconds, Looks& looks) {
  ArraySet& arrays = calls.arrays;
  const double begin = raw_clock();
  // The evolving kernel begins anew.
  require_finite(calls);
  const bool prepares = calls.variant.has_prepare();
  // check_again makes a costly layout for other inputs, once.
  const bool changes = !prepares || prepare_seconds_ <= costly_call;
  const int input = looks.kind() == Looks::Kind::changed && setup_->inputs > 1 && changes ? 1 : 0;
  const auto use = [&](int next) {
    const bool other = next != arrays.input();
    arrays.use(next);
    calls.begin();
    if (prepares && (other || arrays.updates())) calls.variant.prepare(calls.arguments);
  };
  // Update arrays are put back before every call: a quick look cannot set its inputs earlier.
  const bool early = looks.kind() == Looks::Kind::quick && !arrays.updates();
  if (early) use(input);
  if (call_seconds < costly_call)
    for (uint64_t i = looks.random().below(most_before); i > 0; --i) {
      restore(calls);
      calls.call();
    }
  if (!early) use(input);
  // Where inputs differ, what was not computed shows without poison.
  if (input == 0 || looks.random().below(2) == 0) arrays.poison_some(looks.random());
  calls.call();
  second_step(calls.variant, arrays, calls.arguments);
  check_guards(arrays);
  told("between timed calls: ", [&] {
    // Finish brings outputs home. It must not compute them, so other inputs change nothing.
    const bool finishes = calls.variant.has_finish() && setup_->inputs > 1;
    if (finishes) arrays.change_reads(1 - input);
    finish(calls.variant, arrays, calls.arguments);
    if (finishes) arrays.change_reads(input);
    compared(calls.task, arrays);
  });
  use(0);
  // The comparison has filled the caches with other data.
  if (setup_->warm) calls.call();
  looks.add(raw_clock() - begin);
}

void Worker::require_finite(const Calls& calls) const {
  if (!setup_->evolves || !calls.arrays.updates()) return;
  finish(calls.variant, calls.arrays, calls.arguments);
  if (const std::string fault = not_finite(calls.arrays, calls.task.team.threads); !fault.empty())
    throw VariantFault{Outcome::wrong_result, fault + " after calls that go on from each other"};
}

std::string Worker::not_finite(const ArraySet& arrays, int threads) const {
  for (const GuardedArray& array : arrays.arrays()) {
    const Slot& slot = array.slot();
    if (!slot.is(Argument::Access::update)) continue;
    std::string fault;
    with_type(slot.argument.type, [&]<class T>(T*) {
      const T* const values = static_cast<const T*>(array.data());
      std::atomic<int64_t> first = slot.count;
      openmp_->parallel_for(threads, slot.count, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < std::min<int64_t>(end, first); ++i)
          if (!std::isfinite(size_of(values[i]))) first = i;
      });
      if (first < slot.count)
        fault = fmt::format("array {}: element {} of {} is {}", slot.argument.name, first.load(),
                            slot.count, shown(slot.argument.type, values[first]));
    });
    if (!fault.empty()) return fault;
  }
  return {};
}

std::string Worker::ageing(const Calls& calls, double call_seconds) {
  if (!setup_->evolves || !calls.arrays.updates()) return {};
  const double most =
      share_of_time * calls.task.timing.trial_seconds / (repetitions * call_seconds);
  const int last = int(std::min<double>(last_call, most));
  if (last < least_last) return {};
  std::array<Numbers, 3> times;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    begin_on(0, calls);
    for (int number = 1; number <= last; ++number) {
      const bool timed = number <= 2 || number == last;
      if (timed && !setup_->warm) flush_caches(calls.task.team.threads);
      const double begin = raw_clock();
      calls.call();
      if (timed) times[std::min(number, 3) - 1].push_back(raw_clock() - begin);
    }
  }
  check_guards(calls.arrays);
  for (auto& seconds : times) sort(seconds);
  const auto& [first, second, later] = times;
  if (!differ(first, second, first_differs) && !differ(first, later, first_differs) &&
      !differ(second, later, later_differs))
    return {};
  const auto text = [](const Numbers& seconds) { return to_text(Seconds(seconds.front())); };
  return fmt::format(
      "calls go on from each other, and the first takes {}, the second {}, number {} {}",
      text(first), text(second), last, text(later));
}

}  // namespace rooftune::run
