// Blocks one after the other, device memory between guard zones.
#include "run/emulated_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <cstring>
#include <deque>
#include <stdexcept>

#include "core/list.h"
#include "run/loaded_variant.h"
#include "run/sampler.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace rooftune::run {

/// One stack: its address, and AddressSanitizer's record while another stack runs; nothing without
/// the sanitizer. At every switch the old stack calls `leave` before, and the stack that now runs
/// calls `arrive` after.
class SanitizedStack {
 public:
  /// `bottom`: its lowest address.
  void lies_at(const void* bottom, size_t bytes) {
    bottom_ = bottom;
    bytes_ = bytes;
  }
  /// The running stack is this one, and `next` will be.
  void leave([[maybe_unused]] const SanitizedStack& next) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&kept_, next.bottom_, next.bytes_);
#endif
  }
  /// The running stack is this one, and `finished`, left for the last time, is gone.
  void forget([[maybe_unused]] SanitizedStack& finished) {
#if defined(__SANITIZE_ADDRESS__)
    // The sanitizer drops its record only for the running stack: `finished` runs, for no longer
    // than these calls.
    leave(finished);
    __sanitizer_finish_switch_fiber(finished.kept_, nullptr, nullptr);
    __sanitizer_start_switch_fiber(nullptr, bottom_, bytes_);
    __sanitizer_finish_switch_fiber(kept_, nullptr, nullptr);
#endif
  }
  /// The running stack is this one again, or for the first time. `left`, the one before, gets its
  /// address.
  void arrive([[maybe_unused]] SanitizedStack& left) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(kept_, &left.bottom_, &left.bytes_);
#endif
  }

 private:
  const void* bottom_ = nullptr;
  size_t bytes_ = 0;
  [[maybe_unused]] void* kept_ = nullptr;
};

namespace {

namespace context = boost::context;

/// Bytes in the stack of a fiber: local arrays of a kernel lie here.
constexpr size_t stack_bytes = 256 << 10;
constexpr int most_lanes = 64, slot_bytes = 16;

/// Stacks of one size; reports their addresses to the sanitizer.
class StackSource {
 public:
  explicit StackSource(SanitizedStack& stack) : stack_(&stack) {}
  context::stack_context allocate() {
    const context::stack_context made = context::fixedsize_stack(stack_bytes).allocate();
    stack_->lies_at(static_cast<const char*>(made.sp) - made.size, made.size);
    return made;
  }
  void deallocate(context::stack_context& made) noexcept {
    context::fixedsize_stack(stack_bytes).deallocate(made);
  }

 private:
  SanitizedStack* stack_;
};

/// Fresh memory holds a NaN as float and as double, to expose uses of unwritten data.
constexpr int fresh_byte = 0xFF;
/// Blocks in a persistent grid: enough to meet each other, few enough to walk on.
constexpr int most_resident = 2;

Slot device_slot(int number, int64_t bytes) {
  Slot slot;
  slot.argument.name = fmt::format("number {} on the device", number);
  slot.argument.type = Argument::Type::float64;
  slot.argument.pointer = true;
  slot.count = (bytes + 7) / 8;
  return slot;
}

/// 0 to size - 1: ascending, or as `rng` draws it where there is one.
Indices emulated_order(size_t size, Rng* rng) {
  if (rng) return shuffled(size, Rng(rng->next(), 0));
  return all_places(size);
}

}  // namespace

/// The threads of one block, run as fibers. A fiber waits at a barrier; when its thread has ended
/// it takes the next. A kernel without barriers needs a single fiber.
class EmulatedBlock {
 public:
  /// `warp`: its lanes, at most 64.
  explicit EmulatedBlock(int warp) : warp_(warp) {
    if (warp < 1 || warp > most_lanes) throw std::invalid_argument("a warp has 1 to 64 lanes");
  }
  /// A fiber is unwound on its own stack.
  ~EmulatedBlock() {
    for (Fiber& fiber : all_) {
      scheduling_.leave(fiber.stack);
      fiber.self = {};
      scheduling_.arrive(fiber.stack);
      scheduling_.forget(fiber.stack);
    }
  }

  /// Runs body() once per thread; `shown` is the running thread's place. Threads go on in ascending
  /// order, or after every barrier and shuffle in an order drawn by `rng`. Throws VariantFault when
  /// threads wait for ended ones.
  void run(const CudaSize& size, CudaDevice::Thread& shown, const Callback& body, Rng* rng) {
    shown_ = &shown;
    body_ = &body;
    rng_ = rng;
    begin(size);
    while (ended_ < threads_) {
      if (starts_next()) {
        resume(free_fiber());
      } else if (!ready_.empty()) {
        if (rng_) std::swap(ready_.front(), ready_[rng_->below(ready_.size())]);
        const size_t next = ready_.front();
        ready_.pop_front();
        resume(next);
      } else {
        throw VariantFault{
            Outcome::crashed,
            "threads of a block wait at a barrier or shuffle that others never reach"};
      }
    }
  }
  void barrier() {
    at_barrier_.push_back(running_);
    open_barrier();
    wait();
  }
  const unsigned char* exchange(uint64_t mask, const void* mine, int bytes) {
    const int thread = all_[running_].thread, lane = thread % warp_;
    Warp& its = warps_[thread / warp_];
    mask &= ~uint64_t{0} >> (most_lanes - warp_);
    Exchange& exchange = its.exchanges[mask];
    auto& given = exchange.given[exchange.generation % 2];
    std::memcpy(&given[lane * slot_bytes], mine, bytes);
    exchange.arrived |= Lanes{1} << lane;
    exchange.waiting.push_back(running_);
    complete_exchange(mask, its.present, exchange);
    wait();
    return given.data();
  }

 private:
  using Lanes = uint64_t;  ///< one bit per lane

  /// Data that lanes in a warp exchange; two generations, because the first to leave may give again
  /// before the last has read.
  struct Exchange {
    std::array<std::array<unsigned char, most_lanes * slot_bytes>, 2> given{};
    unsigned generation = 0;
    Lanes arrived = 0;
    Indices waiting;  ///< fibers
  };

  struct Warp {
    Lanes present = 0;                    ///< without ended ones
    std::map<Lanes, Exchange> exchanges;  ///< by the lanes that take part
  };
  struct Fiber {
    context::fiber self, scheduler;
    SanitizedStack stack;
    int thread = -1;  ///< on this fiber; -1: none
  };

  void begin(const CudaSize& block) {
    size_ = block;
    threads_ = int(block.volume());
    started_ = ended_ = 0;
    sequence_ = emulated_order(threads_, rng_);
    warps_.assign((threads_ + warp_ - 1) / warp_, {});
    for (int thread = 0; thread < threads_; ++thread)
      warps_[thread / warp_].present |= Lanes{1} << (thread % warp_);
  }
  void place(int thread) {
    const auto flat = unsigned(thread);
    shown_->thread = CudaSize(flat % size_.x, flat / size_.x % size_.y, flat / (size_.x * size_.y));
    shown_->lane = thread % warp_;
  }
  void resume(size_t fiber) {
    running_ = fiber;
    if (all_[fiber].thread >= 0) place(all_[fiber].thread);
    scheduling_.leave(all_[fiber].stack);
    all_[fiber].self = std::move(all_[fiber].self).resume();
    scheduling_.arrive(all_[fiber].stack);
  }
  /// Gives the processor back until this fiber is ready again.
  void wait() {
    Fiber& fiber = all_[running_];
    fiber.stack.leave(scheduling_);
    fiber.scheduler = std::move(fiber.scheduler).resume();
    fiber.stack.arrive(scheduling_);
  }
  void end_thread() {
    const int thread = all_[running_].thread;
    all_[running_].thread = -1;
    ++ended_;
    Warp& its = warps_[thread / warp_];
    its.present &= ~(Lanes{1} << (thread % warp_));
    for (auto& [mask, exchange] : its.exchanges) complete_exchange(mask, its.present, exchange);
    open_barrier();
  }
  void open_barrier() {
    if (at_barrier_.empty() || int(at_barrier_.size()) + ended_ < threads_) return;
    append(ready_, at_barrier_);
    at_barrier_.clear();
  }
  /// Ended lanes are not waited for, as on the card since Volta.
  void complete_exchange(Lanes mask, Lanes present, Exchange& exchange) {
    if (exchange.waiting.empty() || (mask & present & ~exchange.arrived) != 0) return;
    append(ready_, exchange.waiting);
    exchange.waiting.clear();
    exchange.arrived = 0;
    ++exchange.generation;
  }
  size_t free_fiber() {
    if (!idle_.empty()) {
      const size_t fiber = idle_.front();
      idle_.pop_front();
      return fiber;
    }
    Fiber& fiber = all_.emplace_back();
    fiber.self = context::fiber(std::allocator_arg, StackSource(fiber.stack),
                                [this, &fiber](context::fiber&& scheduler) {
                                  fiber.stack.arrive(scheduling_);
                                  fiber.scheduler = std::move(scheduler);
                                  work(fiber);
                                  return std::move(fiber.scheduler);
                                });
    return all_.size() - 1;
  }
  /// Whether a new thread goes before the ready ones.
  bool starts_next() const {
    return started_ < threads_ && (ready_.empty() || (rng_ && rng_->below(2) == 0));
  }
  void work(Fiber& fiber) {
    for (;;) {
      while (rng_ ? starts_next() : started_ < threads_) {
        fiber.thread = int(sequence_[started_++]);
        place(fiber.thread);
        (*body_)();
        end_thread();
      }
      idle_.push_back(running_);
      wait();
    }
  }

  CudaDevice::Thread* shown_ = nullptr;
  const Callback* body_ = nullptr;
  CudaSize size_;
  std::deque<Fiber> all_;
  std::deque<size_t> ready_, idle_;
  Indices at_barrier_;
  std::vector<Warp> warps_;
  Indices sequence_;    ///< the order in which threads start
  Rng* rng_ = nullptr;  ///< draws the next to run; null: the first in the row
  size_t running_ = 0;
  int threads_ = 0, started_ = 0, ended_ = 0;
  int warp_ = 32;              ///< lanes
  SanitizedStack scheduling_;  ///< the scheduler's own stack
};

EmulatedCuda::EmulatedCuda(const CudaProperties& properties, uint64_t seed)
    : properties_(properties),
      seed_(seed),
      block_(std::make_unique<EmulatedBlock>(properties.warp)) {
  // A persistent grid has to walk on also where the problem is a small one.
  properties_.multiprocessors = 1;
  thread = &place_;
}

EmulatedCuda::~EmulatedCuda() = default;

void EmulatedCuda::barrier() { block_->barrier(); }

const unsigned char* EmulatedCuda::exchange(uint64_t mask, const void* mine, int bytes) {
  return block_->exchange(mask, mine, bytes);
}

void* EmulatedCuda::allocate(int64_t bytes) {
  GuardedArray array(device_slot(++allocations_, bytes), 0, false);
  void* const start = array.data();
  std::memset(start, fresh_byte, array.bytes());
  memory_[user_].emplace(start, std::move(array));
  return start;
}

void EmulatedCuda::release(void* start) noexcept { memory_[user_].erase(start); }

void EmulatedCuda::launch(const CudaLaunch& launch) {
  check_launch(launch, properties_);
  if (!launch.run_thread)
    throw VariantFault{
        Outcome::crashed,
        std::string(launch.kernel) +
            " cannot be emulated: its source is for cards only; tune it where a card is (--machine "
            "auto), or see what --dry-run tells of it"};
  shared_memory_.resize(launch.shared_bytes / sizeof(std::max_align_t) + 1);
  shared = shared_memory_.data();
  place_.block_size = launch.block;
  place_.grid_size = launch.grid;
  const Callback body = [&] { launch.run_thread(launch.arguments); };
  const int64_t row = launch.grid.x, plane = row * launch.grid.y;
  Rng* const rng = random_ ? &rng_ : nullptr;
  for (const size_t each : emulated_order(launch.grid.volume(), rng)) {
    const int64_t block = each;
    place_.block = CudaSize(block % row, block % plane / row, block / plane);
    block_->run(launch.block, place_, body, rng);
  }
}

int EmulatedCuda::resident_blocks(const char*, int threads, int64_t) {
  return std::clamp(properties_.threads_per_multiprocessor / std::max(threads, 1), 1,
                    most_resident);
}

double EmulatedCuda::seconds(const Callback& calls) {
  run_in_random_order(true);
  const double begin = raw_clock();
  calls();
  return raw_clock() - begin;
}

std::string EmulatedCuda::circumstances() const {
  return random_ ? fmt::format("with threads and blocks in the random order of seed {}: ", seed_)
                 : std::string();
}

std::string EmulatedCuda::damage() {
  for (const auto& [start, array] : memory_[user_])
    if (std::string found = array.damage(); !found.empty()) return found;
  return {};
}

}  // namespace rooftune::run
