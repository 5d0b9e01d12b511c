#include "run/looks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "run/sampler.h"
#include "run/worker.h"

namespace rooftune::run {
namespace {

/// Of the time of the samples.
constexpr double share_of_looks = 0.2;
constexpr int most_looks = 64;
/// Of either kind, to compare their fastest: disturbances last, so few could all be on one side.
constexpr int enough_looks = 6;
constexpr double remembered = 2;
/// A longer call is not made for its phase alone [s].
constexpr double costly_call = 0.05;
/// Calls of about so many together make a look; the comparison costs one.
constexpr double calls_of_look = 4;
/// Calls before the poison, at most: variants that count their calls meet a look in any phase.
constexpr std::uint64_t most_before = 3;

}  // namespace

bool Looks::due(double elapsed, double call) const {
  const double next = number_ == 0 ? calls_of_look * call : seconds_ / number_;
  return number_ < most_looks && seconds_ + next <= share_of_looks * elapsed;
}

void Looks::add(double call, double all) {
  double& fastest = fastest_[number_ % kinds];
  fastest = number_ < kinds ? call : std::min(fastest, call);
  ++number_;
  seconds_ += all;
}

std::string Looks::remembers() const {
  const double same = fastest_[static_cast<int>(Kind::same)];
  const double changed = fastest_[static_cast<int>(Kind::changed)];
  if (number_ < kinds * enough_looks || changed < remembered * same) return {};
  return fmt::format(
      "a call takes {} on inputs that it has seen and {} where a few elements are others: it keeps "
      "results of earlier calls, or the CPU has learned the branches of these inputs",
      to_text(Seconds(same)), to_text(Seconds(changed)));
}

void Worker::look(const Calls& calls, double call_seconds, Looks& looks) {
  ArraySet& arrays = calls.arrays;
  const double begin = raw_clock();
  // It begins anew.
  require_finite(calls);
  const bool prepares = calls.variant.has_prepare();
  // A layout of the inputs would have to be made again: check_again does so.
  const int input = looks.kind() == Looks::Kind::changed && setup_->inputs > 1 && !prepares ? 1 : 0;
  const auto use = [&](int next) {
    arrays.use(next);
    calls.begin();
    if (prepares && arrays.updates()) calls.variant.prepare(calls.arguments);
  };
  // Update arrays are put back before every call: a quick one cannot have its inputs earlier.
  const bool early = looks.kind() == Looks::Kind::quick && !arrays.updates();
  if (early) use(input);
  if (call_seconds < costly_call)
    for (std::uint64_t i = looks.random().below(most_before); i > 0; --i) {
      restore(calls);
      calls.call();
    }
  if (!early) use(input);
  arrays.poison_some(looks.random());
  const double called = raw_clock();
  calls.call();
  const double seconds = raw_clock() - called;
  second_step(calls.variant, arrays, calls.arguments);
  check_guards(arrays, "the kernel");
  try {
    // Finish brings outputs home. It must not compute them, so other inputs change nothing.
    const bool finishes = calls.variant.has_finish() && setup_->inputs > 1;
    if (finishes) arrays.change_reads(1 - input);
    finish(calls.variant, arrays, calls.arguments);
    if (finishes) arrays.change_reads(input);
    compared(calls.task, arrays);
  } catch (VariantFault& fault) {
    if (fault.outcome == Outcome::wrong_result)
      fault.detail = "between timed calls: " + fault.detail;
    throw;
  }
  use(0);
  // The comparison has filled the caches with other data.
  if (setup_->warm) calls.call();
  looks.add(seconds, raw_clock() - begin);
}

}  // namespace rooftune::run
