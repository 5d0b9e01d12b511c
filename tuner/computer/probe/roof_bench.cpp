#include "probe/roof_bench.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <thread>

#include "probe/bench.h"
#include "probe/in_core_kernels.h"

namespace rooftune::probe {
namespace {

std::vector<Ceiling> runnable(const Machine& machine, const std::vector<std::string>& names) {
  std::vector<Ceiling> all;
  for (const std::string& name : names)
    if (const Ceiling* ceiling = ceiling_named(machine.ceilings, name);
        ceiling && misses_of(*ceiling) == 0)
      all.push_back(*ceiling);
  return all;
}

double rate_now(Bench& bench, Subject& subject) {
  std::vector<double> rates;
  // Windows far too short are thrown away.
  for (int tries = 0; rates.empty() && tries < 4; ++tries) {
    subject.samples.restart();
    bench.visit(subject);
    rates = subject.samples.best();
  }
  return rates.empty() ? 0 : rates[rates.size() / 2];
}

}  // namespace

/// A bench pins its thread, so it has one of its own.
struct RoofBench::Runner {
  ~Runner() {
    give({});
    thread_.join();
  }
  /// Runs it on the bench's thread; rethrows its exception.
  void run(std::function<void()> work) {
    std::packaged_task<void()> task(std::move(work));
    auto done = task.get_future();
    give([&] { task(); });
    done.get();
  }
  void make(const Machine& machine, const std::vector<std::string>& wanted);

  std::unique_ptr<Bench> bench;
  std::vector<Subject> subjects;
  std::vector<std::string> names;

 private:
  void give(std::function<void()> job) {
    job_ = std::move(job);
    turn_.fetch_add(1);
    turn_.notify_one();
  }
  void serve() {
    for (int turn = 0;; ++turn) {
      turn_.wait(turn);
      if (!job_) break;
      job_();
    }
    subjects.clear();
    bench.reset();
  }

  std::function<void()> job_;
  std::atomic<int> turn_{0};
  std::thread thread_{&Runner::serve, this};
};

void RoofBench::Runner::make(const Machine& machine, const std::vector<std::string>& wanted) {
  const std::vector<Ceiling> all = runnable(machine, wanted);
  if (all.empty() || in_core_kernels(cpu_features()).empty()) return;
  bench = bench_for(all);
  for (const Ceiling& ceiling : all)
    if (auto subject = bench->subject(ceiling)) {
      subjects.push_back(std::move(*subject));
      names.push_back(ceiling.name);
    }
}

RoofBench::RoofBench(const Machine& machine, const std::vector<std::string>& names)
    : runner_(std::make_unique<Runner>()) {
  runner_->run([&] { runner_->make(machine, names); });
}

RoofBench::~RoofBench() = default;

const std::vector<std::string>& RoofBench::names() const { return runner_->names; }

std::vector<double> RoofBench::rates() {
  std::vector<double> rates;
  runner_->run([&] {
    for (Subject& subject : runner_->subjects) rates.push_back(rate_now(*runner_->bench, subject));
  });
  return rates;
}

}  // namespace rooftune::probe
