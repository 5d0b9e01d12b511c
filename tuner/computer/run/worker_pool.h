// Workers kept from trial to trial, one per environment, until a trial ends badly.
#pragma once
#include <algorithm>
#include <list>
#include <map>
#include <memory>

#include "run/remote_worker.h"

namespace rooftune::run {

class WorkerPool {
 public:
  using Environment = std::map<std::string, std::string>;
  /// `most`: workers alive at a time. Logs go to `folder`.
  WorkerPool(std::filesystem::path folder, std::size_t memory_limit, std::size_t most);
  /// A worker set up for `environment`, started when there is none. `setup_seconds`: its limit.
  struct Use {
    RemoteWorker* worker;  ///< null when it could not be started; see ending
    std::optional<Ending> ending;
  };
  Use worker(const Environment& environment, const Setup& setup, double setup_seconds);
  void drop(const RemoteWorker* worker);
  /// Changes how many workers may be alive, at least one.
  void keep(std::size_t most) { most_ = std::max<std::size_t>(most, 1); }
  void clear() { members_.clear(); }

 private:
  struct Member {
    Environment environment;
    std::unique_ptr<RemoteWorker> worker;
    int uses = 0;
  };
  std::filesystem::path folder_;
  std::size_t memory_limit_, most_;
  std::list<Member> members_;  ///< last used first
  int serial_ = 0;
};

/// A worker's environment without knobs for it.
WorkerPool::Environment default_environment(int threads);

}  // namespace rooftune::run
