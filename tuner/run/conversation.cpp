// Follows a worker from phase to phase; the phase that did not come tells where it failed.
#include "run/conversation.h"

#include <fmt/format.h>

#include <chrono>

#include "core/seconds_since.h"

namespace rooftune {
namespace {

using Clock = std::chrono::steady_clock;

/// Bytes per second that filling and comparing reach on the slowest machine we think of; huge pages
/// of a virtual machine are that slow at first touch.
constexpr double slowest_memory = 50e6;
constexpr double patience_seconds = 30;

class Talk {
 public:
  Talk(RemoteWorker& worker, const StepLimits& limits, const std::string& action)
      : worker_(worker),
        limits_(limits),
        action_(action),
        phase_(action == "sample" ? "calibrated" : "requested") {}
  Heard run();

 private:
  /// Here or by a tool around the worker.
  bool counts() const { return action_ == "count" || action_ == "launch"; }
  double limit() const;
  std::string place() const;
  bool follow(const Json& reply);
  void break_off(const Ending& ending);
  void take_fault(const Json& reply);

  RemoteWorker& worker_;
  const StepLimits& limits_;
  Heard heard_;
  std::string action_;
  std::string phase_;  ///< reached so far
  Clock::time_point begin_ = Clock::now(), validated_ = begin_;
};

/// For the reply after `phase_`.
double Talk::limit() const {
  const double memory = patience_seconds + limits_.memory_bytes_moved / slowest_memory;
  if (phase_ == "requested") return memory + limits_.call_seconds;
  if (phase_ == "allocated" || phase_ == "loaded") return limits_.foreign_seconds;
  if (phase_ == "prepared") return limits_.call_seconds;
  if (phase_ == "called") return memory + limits_.foreign_seconds;
  if (counts()) return limits_.counting_seconds;
  // A few tries or samples of at least one call each; a flush of the caches may precede each.
  return 4 * limits_.call_seconds + 5;
}

std::string Talk::place() const {
  if (phase_ == "requested") return "while its arrays were allocated";
  if (phase_ == "allocated") return "while it was loaded";
  if (phase_ == "loaded") return "in prepare";
  if (phase_ == "prepared") return "in the first call";
  if (phase_ == "called") return "in finish";
  if (phase_ == "validated" && counts()) return "while counted";
  if (phase_ == "validated") return "while the number of calls was found";
  return fmt::format("while timed, after {} samples", heard_.samples.size());
}

void Talk::break_off(const Ending& ending) {
  heard_.ending = ending;
  if (ending.outcome == Outcome::timed_out) {
    const std::string rule = phase_ == "prepared" ? limits_.call_rule : std::string();
    heard_.detail = fmt::format("no end within {:.3g} s {}{}", limit(), place(), rule);
    return;
  }
  heard_.detail = ending.how + " " + place();
}

void Talk::take_fault(const Json& reply) {
  const std::string word = reply.at("outcome").get<std::string>();
  const std::string detail = reply.at("detail").get<std::string>();
  if (word == user_fault) throw Error(detail, reply.value("where", ""), reply.value("hint", ""));
  heard_.ending = Ending{outcome(word), detail, false};
  heard_.detail = detail;
}

/// False when the reply was the last one.
bool Talk::follow(const Json& reply) {
  const std::string phase = reply.at("phase").get<std::string>();
  if (phase == "fault") {
    take_fault(reply);
    return false;
  }
  if (phase == "allocated") heard_.detail = reply.at("note").get<std::string>();
  if (phase == "prepared") heard_.prepare_seconds = reply.at("seconds").get<double>();
  if (phase == "called") heard_.call_seconds = reply.at("seconds").get<double>();
  if (phase == "validated") {
    heard_.max_error = reply.at("max_error").get<double>();
    heard_.validate_seconds = seconds_since(begin_);
    validated_ = Clock::now();
  }
  if (phase == "calibrated") {
    // Samples of another number of calls do not mix with what comes.
    heard_.repeats = reply.at("repeats").get<int>();
    heard_.samples.clear();
  }
  if (phase == "launched") heard_.call_seconds = reply.at("seconds").get<double>();
  if (phase == "counted") heard_.counts = counts_from_json(reply.at("counts"), "counts");
  if (phase == "samples")
    for (const Json& one : reply.at("samples")) heard_.samples.push_back(sample_from_json(one));
  if (phase == "device" && reply.at("state").is_object()) {
    const Json& state = reply.at("state");
    heard_.card = CardState{state.value("sm_mhz", 0.0), state.value("memory_mhz", 0.0),
                            state.value("celsius", 0.0), state.value("watts", 0.0),
                            state.value("throttled", std::int64_t{0})};
  }
  phase_ = phase;
  return phase != "done";
}

Heard Talk::run() {
  for (bool more = true; more;) {
    const RemoteWorker::Answer answer = worker_.next(limit());
    if (answer.ending) {
      break_off(*answer.ending);
      break;
    }
    more = follow(answer.reply);
  }
  if (heard_.validate_seconds > 0)
    heard_.time_seconds = seconds_since(validated_);
  else
    heard_.validate_seconds = seconds_since(begin_);
  return heard_;
}

}  // namespace

Heard converse(RemoteWorker& worker, const std::string& action, Json body,
               const StepLimits& limits) {
  worker.request(action, std::move(body));
  return Talk(worker, limits, action).run();
}

}  // namespace rooftune
