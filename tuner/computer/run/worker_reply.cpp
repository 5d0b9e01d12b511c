// A worker's progress from phase to phase; the first missing phase names the place of a failure.
#include "run/worker_reply.h"

#include <fmt/format.h>

#include <chrono>

#include "core/seconds_since.h"

namespace rooftune::run {
namespace {

using Clock = std::chrono::steady_clock;

/// Bytes per second of filling and comparing on the slowest machine imaginable; huge pages of a
/// virtual machine are that slow at first touch.
constexpr double slowest_memory = 50e6;
constexpr double limit_seconds = 30;

class Exchange {
 public:
  Exchange(RemoteWorker& worker, const StepLimits& limits, const std::string& action)
      : worker_(worker),
        limits_(limits),
        action_(action),
        phase_(action == "sample"  ? "calibrated"
               : action == "check" ? "checking"
                                   : "requested") {}
  WorkerReply run();

 private:
  /// By the worker or by a tool around it.
  bool counts() const { return action_ == "count" || action_ == "launch"; }
  double limit() const;
  std::string place() const;
  bool follow(const Json& message);
  void break_off(const Ending& ending);
  void take_fault(const Json& message);
  void take_end(const Json& message);

  RemoteWorker& worker_;
  const StepLimits& limits_;
  WorkerReply reply_;
  std::string action_;
  std::string phase_;  ///< reached so far
  Clock::time_point begin_ = Clock::now(), validated_ = begin_;
};

/// For the reply after `phase_`.
double Exchange::limit() const {
  const double memory = limit_seconds + limits_.memory_bytes_moved / slowest_memory;
  if (phase_ == "requested") return memory + limits_.call_seconds;
  if (phase_ == "allocated" || phase_ == "loaded") return limits_.foreign_seconds;
  if (phase_ == "prepared") return limits_.call_seconds;
  if (phase_ == "called") return memory + limits_.foreign_seconds;
  if (counts()) return limits_.counting_seconds;
  if (phase_ == "checking") return memory + 2 * limits_.foreign_seconds + limits_.call_seconds;
  if (phase_ == "done" || phase_ == "fault") return limit_seconds;
  // A few tries or samples of at least one call each; a flush of the caches may precede each.
  return 4 * limits_.call_seconds + 5;
}

std::string Exchange::place() const {
  if (phase_ == "requested") return "while its arrays were allocated";
  if (phase_ == "allocated") return "while it was loaded";
  if (phase_ == "loaded") return "in prepare";
  if (phase_ == "prepared") return "in the first call";
  if (phase_ == "called") return "in finish";
  if (phase_ == "validated" && counts()) return "while counted";
  if (phase_ == "validated") return "while the number of calls was found";
  if (phase_ == "checking") return "in the call after it was timed";
  if (phase_ == "checked" || phase_ == "done") return "at its end";
  return fmt::format("while timed, after {} samples", reply_.samples.size());
}

void Exchange::break_off(const Ending& ending) {
  reply_.ending = ending;
  if (ending.outcome == Outcome::timed_out) {
    const std::string rule = phase_ == "prepared" ? limits_.call_rule : std::string();
    reply_.detail = fmt::format("no end within {:.3g} s {}{}", limit(), place(), rule);
    return;
  }
  reply_.detail = ending.how + " " + place();
}

/// Problem and reference have passed: a fault now is the configuration's.
void Exchange::take_fault(const Json& message) {
  const std::string word = member<std::string>(message, "outcome");
  const std::string where = message.value("where", "");
  const std::string detail =
      (where.empty() ? "" : where + ": ") + member<std::string>(message, "detail");
  reply_.ending = Ending{word == user_fault ? Outcome::crashed : outcome(word), detail, false};
  reply_.detail = detail;
}

/// The process of a trial has ended; its last reply stands, unless it never came.
void Exchange::take_end(const Json& message) {
  if (phase_ != "done" && !reply_.ending)
    break_off(worker_.ending(exit_status(member<int>(message, "status"))));
}

/// False when the reply was the last one.
bool Exchange::follow(const Json& message) {
  const std::string phase = member<std::string>(message, "phase");
  if (phase == "fault") take_fault(message);
  if (phase == "ended") take_end(message);
  if (phase == "allocated") reply_.detail = member<std::string>(message, "note");
  if (phase == "prepared") reply_.prepare_seconds = member<double>(message, "seconds");
  if (phase == "called") reply_.call_seconds = member<double>(message, "seconds");
  if (phase == "validated") {
    reply_.max_error = member<double>(message, "max_error");
    reply_.validate_seconds = seconds_since(begin_);
    validated_ = Clock::now();
  }
  if (phase == "calibrated") {
    // Earlier samples of another number of calls do not mix with later ones.
    reply_.repeats = member<int>(message, "repeats");
    reply_.samples.clear();
  }
  if (phase == "launched") reply_.call_seconds = member<double>(message, "seconds");
  if (phase == "counted") reply_.counts = counts_from_json(message.at("counts"), "counts");
  if (phase == "samples")
    for (const Sample& one : member<std::vector<Sample>>(message, "samples"))
      reply_.samples.push_back(one);
  if (phase == "device") reply_.card = member<std::optional<CardState>>(message, "state");
  phase_ = phase;
  return action_ == "trial" ? phase != "ended" : phase != "done" && phase != "fault";
}

WorkerReply Exchange::run() {
  for (bool more = true; more;) {
    const RemoteWorker::Answer answer = worker_.next(limit());
    if (answer.ending) {
      break_off(*answer.ending);
      break;
    }
    more = follow(answer.reply);
  }
  if (reply_.validate_seconds > 0)
    reply_.time_seconds = seconds_since(validated_);
  else
    reply_.validate_seconds = seconds_since(begin_);
  return reply_;
}

}  // namespace

WorkerReply request(RemoteWorker& worker, const std::string& action, Json body,
                    const StepLimits& limits) {
  worker.send(action, std::move(body));
  return Exchange(worker, limits, action).run();
}

}  // namespace rooftune::run
