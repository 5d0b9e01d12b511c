// A worker as its parent sees it: requests, replies, and the reason for missing replies. An ended
// worker is not used again.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "os/subprocess.h"
#include "run/message.h"

namespace rooftune::run {

/// Why a worker's answer broke off.
struct Ending {
  Outcome outcome = Outcome::crashed;
  std::string how;            ///< "killed by SIGSEGV (invalid memory access)"
  bool from_outside = false;  ///< killed from outside, and not for its memory
};

class RemoteWorker {
 public:
  /// `tool`: words and environment before the worker's own; it passes descriptors 3 and 4 on, and
  /// the output of both is in the log.
  RemoteWorker(const std::map<std::string, std::string>& environment,
               const std::filesystem::path& log, std::size_t memory_limit,
               const Command& tool = {});
  /// Sends a request; nothing else may be under way. Its loss shows at the next reply.
  void send(Action action, Json body);
  /// The next reply, or why there is none; the worker has ended then.
  struct Answer {
    Json reply;
    std::optional<Ending> ending;
    Phase phase = Phase::requested;  ///< of the reply
  };
  Answer next(double seconds);
  /// The reason for this end of the worker's code.
  Ending ending(const ExitStatus& status);
  bool ended() const { return ended_; }
  std::size_t resident() const { return child_.resident(); }
  pid_t pid() const { return child_.pid(); }

 private:
  Ending end(Child::Event event);

  std::size_t memory_limit_;
  std::int64_t oom_kills_;
  Child child_;
  std::int64_t sequence_ = 0;
  bool ended_ = false;
};

}  // namespace rooftune::run
