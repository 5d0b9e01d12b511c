// A short list of live workers; the least recently used one is ended first.
#include "run/worker_pool.h"

#include <fmt/format.h>

#include <algorithm>

namespace rooftune::run {
namespace {

/// On a card foreign code leaks in the worker itself; renewal comes before that adds up.
constexpr int most_uses = 200;

}  // namespace

// OMP_WAIT_POLICY stays unset: libgomp then spins for about a millisecond and sleeps. Measured on
// two shared cores with small regions, this reaches the best times of "active" (1.1 us) for a tenth
// of its CPU time, while "passive" needs 29 us at best; and spinning threads of an idle worker
// would disturb the next run.
WorkerPool::Environment default_environment(int threads) {
  return {{"OMP_NUM_THREADS", std::to_string(threads)},
          {"OMP_DYNAMIC", "false"},
          {"OMP_PROC_BIND", "close"},
          {"OMP_PLACES", "cores"}};
}

WorkerPool::WorkerPool(std::filesystem::path folder, std::size_t memory_limit, std::size_t most)
    : folder_(std::move(folder)),
      memory_limit_(memory_limit),
      most_(std::max<std::size_t>(most, 1)) {}

WorkerPool::Use WorkerPool::worker(const Environment& environment, const Setup& setup,
                                   double setup_seconds) {
  const auto found = std::find_if(members_.begin(), members_.end(), [&](const Member& member) {
    return member.environment == environment;
  });
  if (found != members_.end() && ++found->uses < most_uses) {
    members_.splice(members_.begin(), members_, found);
    return {members_.front().worker.get(), {}};
  }
  if (found != members_.end()) members_.erase(found);
  // Before the new one starts: its arrays may need the memory.
  while (members_.size() >= most_) members_.pop_back();
  // Logs are reused in turn; old ones have no reader.
  const auto log = folder_ / fmt::format("worker.{}.log", serial_++ % 8);
  auto worker = std::make_unique<RemoteWorker>(environment, log, memory_limit_);
  worker->send(Action::setup, {{"setup", encode(setup)}});
  RemoteWorker::Answer answer = worker->next(setup_seconds);
  if (answer.ending) return {nullptr, answer.ending};
  if (answer.phase == Phase::fault)
    throw Error("a worker cannot be set up: " + answer.reply.value("detail", ""));
  members_.push_front({environment, std::move(worker), 1});
  return {members_.front().worker.get(), {}};
}

void WorkerPool::drop(const RemoteWorker* worker) {
  members_.remove_if([&](const Member& member) { return member.worker.get() == worker; });
}

}  // namespace rooftune::run
