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
  Exchange(RemoteWorker& worker, const StepLimits& limits, Action action)
      : worker_(worker),
        limits_(limits),
        action_(action),
        phase_(action == Action::sample  ? Phase::calibrated
               : action == Action::check ? Phase::checking
                                         : Phase::requested) {}
  WorkerReply run();

 private:
  /// By the worker or by a tool around it.
  bool counts() const { return action_ == Action::count || action_ == Action::launch; }
  double limit() const;
  std::string place() const;
  bool follow(Phase phase, const Json& message);
  void break_off(const Ending& ending);
  void take_fault(const Json& message);
  void take_end(const Json& message);

  RemoteWorker& worker_;
  const StepLimits& limits_;
  WorkerReply reply_;
  Action action_;
  Phase phase_;  ///< reached so far
  Clock::time_point begin_ = Clock::now(), validated_ = begin_;
};

/// For the reply after `phase_`.
double Exchange::limit() const {
  const double memory = limit_seconds + limits_.memory_bytes_moved / slowest_memory;
  switch (phase_) {
    case Phase::requested:
      return memory + limits_.call_seconds;
    case Phase::allocated:
    case Phase::loaded:
      return limits_.foreign_seconds;
    case Phase::prepared:
      return limits_.call_seconds;
    case Phase::called:
      return memory + limits_.foreign_seconds;
    default:
      break;
  }
  if (counts()) return limits_.counting_seconds;
  if (phase_ == Phase::checking) return memory + 2 * limits_.foreign_seconds + limits_.call_seconds;
  if (phase_ == Phase::done || phase_ == Phase::fault) return limit_seconds;
  // A few tries or samples of at least one call each; a flush of the caches may precede each.
  return 4 * limits_.call_seconds + 5;
}

std::string Exchange::place() const {
  switch (phase_) {
    case Phase::requested:
      return "while its arrays were allocated";
    case Phase::allocated:
      return "while it was loaded";
    case Phase::loaded:
      return "in prepare";
    case Phase::prepared:
      return "in the first call";
    case Phase::called:
      return "in finish";
    case Phase::validated:
      return counts() ? "while counted" : "while the number of calls was found";
    case Phase::checking:
      return "in the call after it was timed";
    case Phase::checked:
    case Phase::done:
      return "at its end";
    default:
      return fmt::format("while timed, after {} samples", reply_.samples.size());
  }
}

void Exchange::break_off(const Ending& ending) {
  reply_.ending = ending;
  if (ending.outcome == Outcome::timed_out) {
    const std::string rule = phase_ == Phase::prepared ? limits_.call_rule : std::string();
    reply_.detail = fmt::format("no end within {:.3g} s {}{}", limit(), place(), rule);
    return;
  }
  reply_.detail = ending.how + " " + place();
}

/// Problem and reference have passed: a fault now is the configuration's.
void Exchange::take_fault(const Json& message) {
  const auto word = member<std::optional<std::string>>(message, "outcome");
  const std::string where = message.value("where", "");
  const std::string detail =
      (where.empty() ? "" : where + ": ") + member<std::string>(message, "detail");
  reply_.ending =
      Ending{word ? enumerator<Outcome>("outcome", *word) : Outcome::crashed, detail, false};
  reply_.detail = detail;
}

/// The process of a trial has ended; its last reply stands, unless it never came.
void Exchange::take_end(const Json& message) {
  if (phase_ != Phase::done && !reply_.ending)
    break_off(worker_.ending(exit_status(member<int>(message, "status"))));
}

/// False when the reply was the last one.
bool Exchange::follow(Phase phase, const Json& message) {
  switch (phase) {
    case Phase::fault:
      take_fault(message);
      break;
    case Phase::ended:
      take_end(message);
      break;
    case Phase::allocated:
      reply_.detail = member<std::string>(message, "note");
      break;
    case Phase::prepared:
      reply_.prepare_seconds = member<double>(message, "seconds");
      break;
    case Phase::called:
    case Phase::launched:
      reply_.call_seconds = member<double>(message, "seconds");
      break;
    case Phase::validated:
      reply_.max_error = member<double>(message, "max_error");
      reply_.validate_seconds = seconds_since(begin_);
      validated_ = Clock::now();
      break;
    case Phase::calibrated:
      // Samples of another number of calls do not mix with the next ones.
      reply_.repeats = member<int>(message, "repeats");
      reply_.samples.clear();
      break;
    case Phase::counted:
      reply_.counts = decoded<Counts>(message.at("counts"), "counts");
      break;
    case Phase::samples:
      for (const Sample& one : member<std::vector<Sample>>(message, "samples"))
        reply_.samples.push_back(one);
      break;
    case Phase::device:
      reply_.card = member<std::optional<CardState>>(message, "state");
      break;
    default:
      break;
  }
  phase_ = phase;
  if (action_ == Action::trial) return phase != Phase::ended;
  return phase != Phase::done && phase != Phase::fault;
}

WorkerReply Exchange::run() {
  for (bool more = true; more;) {
    const RemoteWorker::Answer answer = worker_.next(limit());
    if (answer.ending) {
      break_off(*answer.ending);
      break;
    }
    more = follow(answer.phase, answer.reply);
  }
  if (reply_.validate_seconds > 0)
    reply_.time_seconds = seconds_since(validated_);
  else
    reply_.validate_seconds = seconds_since(begin_);
  return reply_;
}

}  // namespace

WorkerReply request(RemoteWorker& worker, Action action, Json body, const StepLimits& limits) {
  worker.send(action, std::move(body));
  return Exchange(worker, limits, action).run();
}

}  // namespace rooftune::run
