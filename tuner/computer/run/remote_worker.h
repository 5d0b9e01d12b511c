// Workers as their parent sees them: requests, replies with a time limit each, the reason for
// missing replies. An ended worker is not used again.
#pragma once
#include <algorithm>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "os/subprocess.h"
#include "os/temporary_directory.h"
#include "run/message.h"

namespace rooftune::run {

/// Why a worker's answer broke off.
struct Ending {
  Outcome outcome = Outcome::crashed;
  std::string how;  ///< "killed by SIGSEGV (invalid memory access)"
  /// It says nothing about the variant by itself: a kill from outside, and not for its memory; an
  /// end before any code from the variant ran; a fault in the worker's own work, such as a file
  /// that it cannot read.
  bool from_outside = false;
};

class RemoteWorker {
 public:
  /// Its working directory is its own empty folder, removed with it; a `guest` works in ours.
  RemoteWorker(const NamedTexts& environment, size_t memory_limit, bool guest = false);
  ~RemoteWorker();
  /// Sends a request; nothing else may be under way. Its loss shows at the next reply.
  void send(Action action, Json body);
  /// The next reply, or why there is none; the worker has ended then.
  struct Answer {
    Json reply;
    std::optional<Ending> ending;
    Phase phase = Phase::requested;  ///< the reply's
  };
  Answer next(double seconds);
  /// Why the worker's code ended so.
  Ending ending(const ExitStatus& status);
  bool ended() const { return ended_; }

 private:
  Ending end(const Child::Reply& reply);

  int64_t oom_kills_;
  TemporaryDirectory scratch_;
  Child child_;
  int64_t sequence_ = 0;
  bool ended_ = false;
};

/// A worker's answer about one configuration.
struct WorkerReply {
  std::optional<Ending> ending;  ///< absent: it came to its end
  std::string detail;            ///< a bad end's, with where it happened; a good one's is a note
  Measurement measured;          ///< as sent, without statistics
  double validate_seconds = 0, time_seconds = 0;
  std::optional<Counts> counts;
  bool shares_card = false;  ///< its process has served earlier variants
};

/// Limits for the steps in one request [s].
struct StepLimits {
  double memory_bytes_moved = 0;  ///< by filling and comparing all arrays
  double foreign_seconds = 60;    ///< loading, prepare, finish
  double call_seconds = 60;       ///< one kernel call
  double counting_seconds = 300;  ///< all counted calls together
  std::string call_rule;          ///< how call_seconds came about
};

/// Sends a request and follows its replies to the end. After a bad one a worker is used no more,
/// unless the request was a trial and the worker has not ended.
WorkerReply request(RemoteWorker& worker, Action action, Json body, const StepLimits& limits);

/// Workers kept from trial to trial, one per environment, until a trial ends badly.
class WorkerPool {
 public:
  using Environment = NamedTexts;
  /// `most`: workers alive at a time.
  WorkerPool(size_t memory_limit, size_t most);
  /// A worker set up for `environment`, started when there is none. `setup_seconds`: its limit.
  struct Use {
    RemoteWorker* worker;  ///< null when it could not be started; see ending
    std::optional<Ending> ending;
    int uses = 1;  ///< this one included
  };
  Use worker(const Environment& environment, const Setup& setup, double setup_seconds);
  void drop(const RemoteWorker* worker);
  /// Changes how many workers may be alive, at least one.
  void keep(size_t most) { most_ = std::max<size_t>(most, 1); }
  void clear() { members_.clear(); }

 private:
  struct Member {
    Environment environment;
    std::unique_ptr<RemoteWorker> worker;
    int uses = 0;
  };
  size_t memory_limit_, most_;
  std::list<Member> members_;  ///< last used first
};

}  // namespace rooftune::run
