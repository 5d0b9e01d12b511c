#include "probe/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "os/topology.h"
#include "probe/clocks.h"
#include "probe/in_core_kernels.h"
#include "run/sampler.h"

namespace rooftune::probe {
namespace {

constexpr size_t most_listed = 10;
constexpr size_t agreeing = 3;
constexpr double cycle_tolerance = 0.01;  // the clock itself is read to 0.3 %

void pause_briefly() {
#if defined(__x86_64__)
  asm volatile("pause");
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// One thread's part of a window, on its own cache lines.
struct alignas(128) Span {
  double clock_before = 0, start = 0, end = 0, clock_after = 0;
  double computed = 0;  ///< CPU time

  double clock() const { return 0.5 * (clock_before + clock_after); }
  /// A reading is good to 0.3 %; turbo steps are 2 % and more.
  bool steady() const { return std::abs(clock_before - clock_after) <= 0.01 * clock(); }
};

Window joined(const std::vector<std::vector<Span>>& spans, size_t which) {
  double start = spans.front()[which].start, end = spans.front()[which].end, last_start = start;
  Window window;
  for (const auto& own : spans) {
    const Span& span = own[which];
    start = std::min(start, span.start);
    last_start = std::max(last_start, span.start);
    end = std::max(end, span.end);
    window.clock += span.clock() / double(spans.size());
    window.steady = window.steady && span.steady();
    window.missing = std::max(window.missing, span.end - span.start - span.computed);
  }
  window.seconds = end - start;
  window.missing = std::max(window.missing, last_start - start);
  return window;
}

/// Lets `size` threads go together; the last to arrive wakes the others. Short waits spin, longer
/// ones sleep, which saves a waiting thread's time slice for its window.
class Barrier {
 public:
  Barrier(int size, int spins) : size_(size), spins_(spins) {}
  void wait() {
    if (size_ == 1) return;
    const int turn = turn_.load();
    if (arrived_.fetch_add(1) + 1 == size_) {
      arrived_.store(0);
      turn_.fetch_add(1);
      turn_.notify_all();
      return;
    }
    for (int i = 0; i < spins_; ++i) {
      if (turn_.load(std::memory_order_acquire) != turn) return;
      pause_briefly();
    }
    turn_.wait(turn);
  }

 private:
  const int size_, spins_;
  std::atomic<int> arrived_{0};
  std::atomic<int> turn_{0};
};

}  // namespace

void Samples::add(double rate, double clock) {
  samples_.insert(std::ranges::upper_bound(samples_, rate, std::greater(), &Sample::rate),
                  {rate, clock});
}

void Samples::drop_lone_best() {
  constexpr double far = 1.10;
  if (samples_.size() <= agreeing) return;
  const bool alone = samples_[0].rate > far * samples_[1].rate &&
                     samples_[1].rate <= (1 + tolerance_) * samples_[agreeing].rate;
  if (!alone) return;
  samples_.erase(samples_.begin());
  ++dropped_;
}

bool Samples::agree() const {
  return samples_.size() >= agreeing &&
         samples_.front().rate <= (1 + tolerance_) * samples_[agreeing - 1].rate;
}

/// Whether the three windows with the most work per cycle agree.
bool Samples::agree_per_cycle() const {
  if (!cycles_ || samples_.size() < agreeing) return false;
  Numbers per_cycle;
  for (const Sample& sample : samples_) per_cycle.push_back(sample.per_cycle());
  std::partial_sort(per_cycle.begin(), per_cycle.begin() + agreeing, per_cycle.end(),
                    std::greater<>());
  const double least = per_cycle[agreeing - 1];
  return least > 0 && per_cycle[0] <= (1 + std::max(tolerance_, cycle_tolerance)) * least;
}

Estimate Samples::estimate() const {
  if (samples_.empty()) return {};
  const double best = samples_.front().rate;
  return {best, samples_[std::min(samples_.size(), agreeing) - 1].rate, best};
}

Numbers Samples::best() const {
  return members(std::views::take(samples_, most_listed), &Sample::rate);
}

void Visited::count_visit(double before) {
  ++visits;
  const bool rose = best_rate() > before * (1 + samples.tolerance() / 5);
  quiet_visits = rose || samples.windows() == 0 ? 0 : quiet_visits + 1;
}

Ceiling measured(Ceiling ceiling, const Samples& samples, const std::string& how,
                 const std::string& fault) {
  ceiling.rate = samples.estimate();
  ceiling.samples = samples.best();
  ceiling.clock = samples.clock();
  ceiling.stable = samples.reproduced() && fault.empty();
  ceiling.shown_only = !fault.empty();
  ceiling.source.kind = Source::Kind::measured;
  ceiling.source.text = how;
  if (!samples.reproduced())
    ceiling.source.text += "; its best windows disagree: the machine moved";
  else if (samples.clock_moved())
    ceiling.source.text += "; the three best windows agree in cycles, their clocks differ";
  if (samples.dropped() > 0)
    ceiling.source.text +=
        fmt::format("; {} lone windows, faster by 10 % and more, were left out", samples.dropped());
  if (!fault.empty()) ceiling.source.text += "; " + fault;
  ceiling.source.date = utc_now();
  return ceiling;
}

void keep_undisturbed(Windows& windows) {
  if (any_of(windows, &Window::undisturbed))
    std::erase_if(windows, [](const Window& window) { return !window.undisturbed(); });
}

Team::Team(const Cpus& cpus) {
  while (members_.size() < cpus.size()) members_.push_back(std::make_unique<Member>());
  for (const size_t i : indices(cpus))
    members_[i]->thread = std::thread(&Team::serve, this, int(i));
  std::atomic<int> refused{-1};
  run(size(), [&](int index) {
    const int cpu = cpus[index];
    if (!bind_thread({cpu})) refused = cpu;
    flush_denormals();
  });
  if (refused < 0) return;
  stop();
  throw Unavailable("cannot pin a thread to CPU " + std::to_string(refused), "probe",
                    "run without a changing CPU set");
}

Team::~Team() { stop(); }

void Team::stop() {
  stop_ = true;
  for (auto& member : members_) {
    member->turn.fetch_add(1);
    member->turn.notify_one();
    if (member->thread.joinable()) member->thread.join();
  }
  members_.clear();
}

void Team::serve(int index) {
  Member& member = *members_[index];
  for (int turn = 0;; ++turn) {  // every run adds one
    member.turn.wait(turn);
    if (stop_) return;
    try {
      (*work_)(index);
    } catch (...) {
      member.fault = std::current_exception();
    }
    if (left_.fetch_sub(1) == 1) left_.notify_one();
  }
}

void Team::run(int threads, const MemberWork& work) {
  work_ = &work;
  left_ = threads;
  for (int i = 0; i < threads; ++i) {
    Member& member = *members_[i];
    member.turn.fetch_add(1);
    member.turn.notify_one();
  }
  for (int left = left_.load(); left != 0; left = left_.load()) left_.wait(left);
  std::exception_ptr fault;
  for (auto& member : members_)
    if (auto other = std::exchange(member->fault, nullptr)) fault = other;
  if (fault) std::rethrow_exception(fault);
}

Windows Team::windows(int threads, int count, int clock_bits, const MemberWork& warm,
                      const MemberWork& work) {
  const size_t many = count;
  std::vector<std::vector<Span>> spans(threads, std::vector<Span>(many));
  // at the first, threads may sleep for long; the second bridges the wake-up (1 ms), so all leave
  // it running
  Barrier gather(threads, 1'000), go(threads, 20'000);
  run(threads, [&](int index) {
    warm(index);
    for (Span& span : spans[index]) {
      gather.wait();
      if (clock_bits > 128) core_clock(clock_bits);  // first, for wide vectors change the clock
      span.clock_before = core_clock(clock_bits);
      go.wait();
      const double computed = run::thread_clock();
      span.start = now();
      work(index);
      span.end = now();
      span.computed = run::thread_clock() - computed;
      span.clock_after = core_clock(clock_bits);
    }
  });
  Windows result;
  for (size_t w = 0; w < many; ++w) result.push_back(joined(spans, w));
  return result;
}

}  // namespace rooftune::probe
