// From a worker's replies, and its end, to an outcome.
#include "run/remote_worker.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include "core/list.h"
#include "core/pattern.h"
#include "core/seconds_since.h"
#include "core/text.h"
#include "core/units.h"
#include "os/interruption.h"
#include "os/paths.h"
#include "os/process_tree.h"
#include "run/metric.h"

namespace rooftune::run {
namespace {

/// The variants in a race live in one worker, and any thread-local variables at fixed offsets (as
/// in a counted variant) come from a 512-byte reserve in glibc. Half-MiB buffers occur; the 8 MiB
/// stack of every thread gives the room.
std::string with_room_for_thread_locals() {
  const std::string own = environment_text("GLIBC_TUNABLES");
  return own + (own.empty() ? "" : ":") + "glibc.rtld.optional_static_tls=2097152";
}

Command worker_command(const NamedTexts& environment, size_t memory_limit,
                       const fs::path& directory) {
  Command command;
  command.argv = {fs::absolute(worker_program()).string(), "worker"};
  command.directory = directory;
  if (!directory.empty()) fs::create_directory(directory);
  command.environment = environment;
  command.environment["GLIBC_TUNABLES"] = with_room_for_thread_locals();
  // These would change a kernel's run without the study's knowledge.
  command.without = Pattern(" ").split(
      "OMP_NUM_THREADS OMP_SCHEDULE OMP_DYNAMIC OMP_PROC_BIND OMP_PLACES OMP_WAIT_POLICY "
      "OMP_STACKSIZE OMP_THREAD_LIMIT OMP_NESTED OMP_DISPLAY_ENV OMP_MAX_ACTIVE_LEVELS "
      "GOMP_CPU_AFFINITY GOMP_SPINCOUNT GOMP_STACKSIZE KMP_AFFINITY KMP_BLOCKTIME");
  command.bounds.memory = memory_limit;
  command.kept_output = 4 << 10;
  command.keeps_end = true;
  return command;
}

/// Bytes per second for filling and comparing on the slowest machine imaginable; a virtual
/// machine's huge pages are that slow at first touch.
constexpr double slowest_memory = 50e6;
constexpr double limit_seconds = 30;

class Exchange {
 public:
  Exchange(RemoteWorker& worker, const StepLimits& limits, Action action)
      : worker_(worker),
        limits_(limits),
        action_(action),
        phase_(action == Action::sample                            ? Phase::calibrated
               : action == Action::check || action == Action::look ? Phase::checking
                                                                   : Phase::requested) {}
  WorkerReply run() {
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

 private:
  /// How long the reply after `phase_` may take [s].
  double limit() const {
    using enum Phase;
    const double memory = limit_seconds + limits_.memory_bytes_moved / slowest_memory;
    switch (phase_) {
      case requested:
        return memory + limits_.call_seconds;
      case allocated:
      case loaded:
        return limits_.foreign_seconds;
      case prepared:
        return limits_.call_seconds;
      case called:
        return memory + limits_.foreign_seconds;
      default:
        break;
    }
    if (action_ == Action::count) return limits_.counting_seconds;
    // Besides two calls on new inputs, each after a fill and a conversion, this covers a share of
    // the trial.
    if (phase_ == noted) return 2 * (memory + limits_.foreign_seconds + limits_.call_seconds);
    if (phase_ == checking) return memory + 2 * limits_.foreign_seconds + limits_.call_seconds;
    if (phase_ == done || phase_ == fault) return limit_seconds;
    // A few tries or samples with at least one call each; before each the caches may be flushed.
    return 4 * limits_.call_seconds + 5;
  }
  std::string place() const {
    using enum Phase;
    static const std::map<Phase, const char*> places{{requested, "while its arrays were allocated"},
                                                     {allocated, "while it was loaded"},
                                                     {loaded, "in prepare"},
                                                     {prepared, "in the first call"},
                                                     {called, "in finish"},
                                                     {noted, "in calls on new inputs"},
                                                     {checking, "in the call after it was timed"},
                                                     {checked, "at its end"},
                                                     {done, "at its end"}};
    if (const auto found = places.find(phase_); found != places.end()) return found->second;
    if (phase_ == validated)
      return action_ == Action::count ? "while counted" : "while the number of calls was found";
    return fmt::format("while timed, after {} samples", reply_.measured.samples.size());
  }
  /// False when the reply was the last one.
  bool follow(Phase phase, const Json& message) {
    using enum Phase;
    switch (phase) {
      case fault:
        take_fault(message);
        break;
      case ended:
        take_end(message);
        break;
      case allocated:
        reply_.detail = member<std::string>(message, "note");
        break;
      case prepared:
        reply_.measured.prepare_seconds = member<double>(message, "seconds");
        break;
      case validated:
        reply_.measured.max_error = member<double>(message, "max_error");
        reply_.measured.prepare_seconds = member<double>(message, "prepare_seconds");
        reply_.validate_seconds = seconds_since(begin_);
        validated_ = SteadyClock::now();
        break;
      case calibrated:
        // Samples with another call count do not mix with the next ones.
        reply_.measured.repeats = member<int>(message, "repeats");
        reply_.measured.samples.clear();
        break;
      case noted:
        if (const auto note = member<std::string>(message, "note"); !note.empty())
          join(reply_.detail, note, "; ");
        break;
      case renewed:
        reply_.measured.remembers = member<std::optional<Estimate>>(message, "remembers");
        break;
      case counted:
        reply_.counts = member<Counts>(message, "counts");
        break;
      case samples:
        for (const Sample& one : member<SampleList>(message, "samples"))
          reply_.measured.samples.push_back(one);
        break;
      default:
        break;
    }
    phase_ = phase;
    if (action_ == Action::trial) return phase != ended;
    return phase != done && phase != fault;
  }
  void break_off(const Ending& ending) {
    reply_.ending = ending;
    if (ending.outcome == Outcome::timed_out) {
      const std::string rule = phase_ == Phase::prepared ? limits_.call_rule : std::string();
      reply_.detail = fmt::format("no end within {:.3g} s {}{}", limit(), place(), rule);
      return;
    }
    reply_.detail = ending.how + " " + place();
    // Arrays too large for the memory are up to the configuration.
    if (phase_ == Phase::requested && ending.outcome == Outcome::crashed)
      reply_.ending->from_outside = true;
  }
  /// Problem and reference have passed: a fault with an outcome is the configuration's, any other
  /// the worker's own.
  void take_fault(const Json& message) {
    const auto word = member<std::optional<std::string>>(message, "outcome");
    const std::string where = message.value("where", "");
    const std::string detail =
        (where.empty() ? "" : where + ": ") + member<std::string>(message, "detail");
    reply_.ending =
        Ending{word ? enumerator<Outcome>("outcome", *word) : Outcome::crashed, detail, !word};
    reply_.detail = detail;
  }
  /// The process of a trial has ended; its last reply stands, unless it never came.
  void take_end(const Json& message) {
    if (phase_ != Phase::done && !reply_.ending)
      break_off(worker_.ending(exit_status(member<int>(message, "status"))));
    if (const auto files = member<Texts>(message, "files"); !files.empty())
      join(reply_.detail, "leaves files in the working directory: " + joined(files), "; ");
  }

  RemoteWorker& worker_;
  const StepLimits& limits_;
  WorkerReply reply_;
  Action action_;
  Phase phase_;  ///< reached so far
  SteadyClock::time_point begin_ = SteadyClock::now(), validated_ = begin_;
};

/// On a card foreign code leaks in the worker itself; renewal comes before that adds up.
constexpr int most_uses = 200;

}  // namespace

RemoteWorker::RemoteWorker(const NamedTexts& environment, size_t memory_limit, bool guest)
    : oom_kills_(oom_kills()),
      child_(worker_command(environment, memory_limit,
                            guest ? fs::path() : scratch_.path() / "run")) {}

RemoteWorker::~RemoteWorker() {
  child_.kill();
  remove_shared_names(child_.pid());
}

void RemoteWorker::send(Action action, Json body) {
  body["do"] = word(action);
  body["sequence"] = ++sequence_;
  // Output before this request explains no end that follows.
  child_.forget_output();
  child_.send(json_text(body));
}

RemoteWorker::Answer RemoteWorker::next(double seconds) {
  const auto limit = std::chrono::milliseconds(int64_t(std::ceil(seconds * 1e3)));
  const Child::Reply reply = child_.receive(limit);
  if (reply.event != Child::Event::line) return {{}, end(reply)};
  try {
    Json json = parse_json(reply.line, "worker");
    if (json.is_object() && json.value("sequence", int64_t{-1}) == sequence_ &&
        json.contains("phase")) {
      const auto phase = member<Phase>(json, "phase");
      return {std::move(json), {}, phase};
    }
  } catch (const std::exception&) {
    // Falls through: the variant wrote this line, which is no reply.
  }
  child_.kill();
  ended_ = true;
  return {{}, Ending{Outcome::crashed, "something else wrote to the worker's replies", false}};
}

Ending RemoteWorker::end(const Child::Reply& reply) {
  ended_ = true;
  const ExitStatus status = child_.kill();
  if (reply.event == Child::Event::ended) return ending(status);
  if (reply.event == Child::Event::timed_out) return {Outcome::timed_out, status.text()};
  return {Outcome::out_of_memory, reply.line};
}

Ending RemoteWorker::ending(const ExitStatus& status) {
  throw_if_all_were_asked_to_end(status.signal);
  Ending ending;
  ending.how = status.text();
  const std::string words = last_line(child_.output());
  const bool was_killed = status.signal == SIGKILL;
  const bool for_memory = was_killed && oom_kills() != oom_kills_;
  oom_kills_ = oom_kills();
  if (for_memory || contains(words, "std::bad_alloc")) ending.outcome = Outcome::out_of_memory;
  if (for_memory) ending.how = "killed by the system for lack of memory";
  ending.from_outside = was_killed && !for_memory;
  if (!words.empty() && !was_killed) ending.how += "; it printed: " + words;
  return ending;
}

WorkerReply request(RemoteWorker& worker, Action action, Json body, const StepLimits& limits) {
  worker.send(action, std::move(body));
  return Exchange(worker, limits, action).run();
}

WorkerPool::WorkerPool(size_t memory_limit, size_t most)
    : memory_limit_(memory_limit), most_(std::max<size_t>(most, 1)) {}

WorkerPool::Use WorkerPool::worker(const Environment& environment, const Setup& setup,
                                   double setup_seconds) {
  const auto found = std::ranges::find(members_, environment, &Member::environment);
  if (found != members_.end() && ++found->uses < most_uses) {
    members_.splice(members_.begin(), members_, found);
    return {members_.front().worker.get(), {}, members_.front().uses};
  }
  if (found != members_.end()) members_.erase(found);
  // Before the new one starts: its arrays may need the memory.
  while (members_.size() >= most_) members_.pop_back();
  auto worker = std::make_unique<RemoteWorker>(environment, memory_limit_);
  worker->send(Action::setup, {{"setup", encode(setup)}});
  RemoteWorker::Answer answer = worker->next(setup_seconds);
  if (answer.ending) return {nullptr, answer.ending};
  if (answer.phase == Phase::fault)
    throw Unavailable("a worker cannot be set up: " + answer.reply.value("detail", ""));
  members_.push_front({environment, std::move(worker), 1});
  return {members_.front().worker.get(), {}};
}

void WorkerPool::drop(const RemoteWorker* worker) {
  members_.remove_if([&](const Member& member) { return member.worker.get() == worker; });
}

}  // namespace rooftune::run
