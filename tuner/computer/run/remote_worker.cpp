// From the end of a worker to an outcome.
#include "run/remote_worker.h"

#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include "core/text.h"
#include "core/units.h"
#include "os/interruption.h"
#include "os/paths.h"
#include "os/process_tree.h"

namespace rooftune::run {
namespace {

constexpr std::size_t log_bytes = 1 << 20;

/// Variables not passed on: they would change a kernel's run without the study's knowledge.
const std::vector<std::string>& not_passed_on() {
  static const std::vector<std::string> names = {
      "OMP_NUM_THREADS", "OMP_SCHEDULE",    "OMP_DYNAMIC",           "OMP_PROC_BIND",
      "OMP_PLACES",      "OMP_WAIT_POLICY", "OMP_STACKSIZE",         "OMP_THREAD_LIMIT",
      "OMP_NESTED",      "OMP_DISPLAY_ENV", "OMP_MAX_ACTIVE_LEVELS", "GOMP_CPU_AFFINITY",
      "GOMP_SPINCOUNT",  "GOMP_STACKSIZE",  "KMP_AFFINITY",          "KMP_BLOCKTIME"};
  return names;
}

/// The variants of a race live in one worker, and any thread-local variables at fixed offsets (as
/// in a counted variant) come out of glibc's reserve of 512 bytes. Buffers of half a MiB occur;
/// every thread's stack of 8 MiB gives the room.
std::string with_room_for_thread_locals() {
  const char* const own = std::getenv("GLIBC_TUNABLES");
  return (own && *own ? std::string(own) + ":" : "") + "glibc.rtld.optional_static_tls=2097152";
}

Command worker_command(const std::map<std::string, std::string>& environment, const Command& tool) {
  Command command;
  command.argv = tool.argv;
  command.argv.insert(command.argv.end(), {worker_program().string(), "worker"});
  command.environment = environment;
  command.environment.insert(tool.environment.begin(), tool.environment.end());
  command.environment["GLIBC_TUNABLES"] = with_room_for_thread_locals();
  command.without = not_passed_on();
  return command;
}

/// The last line with text, for a person's diagnosis.
std::string last_line(const std::string& output) {
  std::istringstream lines(output);
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  return last.substr(0, 200);
}

}  // namespace

RemoteWorker::RemoteWorker(const std::map<std::string, std::string>& environment,
                           const std::filesystem::path& log, std::size_t memory_limit,
                           const Command& tool)
    : memory_limit_(memory_limit),
      oom_kills_(oom_kills()),
      child_(worker_command(environment, tool), log, log_bytes) {}

void RemoteWorker::send(Action action, Json body) {
  body["do"] = word(action);
  body["sequence"] = ++sequence_;
  // Output before this request explains none of its ends.
  child_.forget_output();
  child_.send(json_text(body));
}

RemoteWorker::Answer RemoteWorker::next(double seconds) {
  const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1e3)));
  const Child::Reply reply = child_.receive(limit, memory_limit_);
  if (reply.event != Child::Event::line) return {{}, end(reply.event)};
  try {
    Json json = parse_json(reply.line, "worker");
    if (json.is_object() && json.value("sequence", std::int64_t{-1}) == sequence_ &&
        json.contains("phase")) {
      const auto phase = member<Phase>(json, "phase");
      return {std::move(json), {}, phase};
    }
  } catch (const std::exception&) {
    // Falls through: a line that is no reply of ours was written by the variant.
  }
  end(Child::Event::timed_out);
  return {{}, Ending{Outcome::crashed, "something else wrote to the worker's replies", false}};
}

Ending RemoteWorker::end(Child::Event event) {
  ended_ = true;
  const bool natural = event == Child::Event::ended;
  const ExitStatus status = natural ? child_.wait() : child_.kill();
  if (natural) return ending(status);
  Ending cut;
  cut.how = status.text();
  if (event == Child::Event::timed_out) cut.outcome = Outcome::timed_out;
  if (event == Child::Event::over_memory) {
    cut.outcome = Outcome::out_of_memory;
    cut.how =
        fmt::format("more than {} of memory", to_text(Bytes(static_cast<double>(memory_limit_))));
  }
  return cut;
}

Ending RemoteWorker::ending(const ExitStatus& status) {
  throw_if_all_were_asked_to_end(status.signal);
  Ending ending;
  ending.how = status.text();
  const std::string words = last_line(plain_text(child_.output_tail(4096)));
  const bool was_killed = status.signal == SIGKILL;
  const bool for_memory = was_killed && oom_kills() != oom_kills_;
  oom_kills_ = oom_kills();
  if (for_memory || words.find("std::bad_alloc") != std::string::npos)
    ending.outcome = Outcome::out_of_memory;
  if (for_memory) ending.how = "killed by the system for lack of memory";
  ending.from_outside = was_killed && !for_memory;
  if (!words.empty() && !was_killed) ending.how += "; it printed: " + words;
  return ending;
}

}  // namespace rooftune::run
