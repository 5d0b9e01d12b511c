// Fibers for the threads of one block. A fiber waits at a barrier; after the end of its thread it
// takes the next. A kernel without barriers needs a single fiber.
#include <array>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>
#include <vector>

#include "run/emulated_cuda.h"
#include "run/loaded_variant.h"
#include "run/sanitized_stack.h"

namespace rooftune::run {
namespace {

namespace context = boost::context;

/// Bytes of a fiber's stack: a kernel's local arrays lie here.
constexpr std::size_t stack_bytes = 256 << 10;
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

}  // namespace

struct EmulatedBlock::Fibers {
  using Lanes = std::uint64_t;  ///< one bit per lane

  /// Data exchanged among lanes of a warp; two generations, because the first to leave may give
  /// again before the last has read.
  struct Exchange {
    std::array<std::array<unsigned char, most_lanes * slot_bytes>, 2> given{};
    unsigned generation = 0;
    Lanes arrived = 0;
    std::vector<std::size_t> waiting;  ///< fibers
  };

  struct Warp {
    Lanes present = 0;                    ///< without ended ones
    std::map<Lanes, Exchange> exchanges;  ///< by their set of lanes
  };
  struct Fiber {
    context::fiber self, scheduler;
    SanitizedStack stack;
    int thread = -1;  ///< on this fiber; -1: none
  };

  CudaDevice::Thread* shown = nullptr;
  const std::function<void()>* body = nullptr;
  CudaSize size;
  std::deque<Fiber> all;
  std::deque<std::size_t> ready, idle;
  std::vector<std::size_t> at_barrier;
  std::vector<Warp> warps;
  std::vector<std::size_t> sequence;  ///< order of the threads' starts
  Rng* rng = nullptr;                 ///< draws the next to run; null: the first in the row
  std::size_t running = 0;
  int threads = 0, started = 0, ended = 0;
  int warp = 32;              ///< lanes
  SanitizedStack scheduling;  ///< of the scheduler's own stack

  Fibers() = default;
  ~Fibers();
  void begin(const CudaSize& block);
  void place(int thread);
  void resume(std::size_t fiber);
  void wait();
  void end_thread();
  void open_barrier();
  void complete_exchange(Lanes mask, Lanes present, Exchange& exchange);
  std::size_t free_fiber();
  bool starts_next() const;
  std::size_t next_ready();
  void work(Fiber& fiber);
};

/// A fiber is unwound on its own stack.
EmulatedBlock::Fibers::~Fibers() {
  for (Fiber& fiber : all) {
    scheduling.leave(fiber.stack);
    fiber.self = {};
    scheduling.arrive(fiber.stack);
    scheduling.forget(fiber.stack);
  }
}

void EmulatedBlock::Fibers::begin(const CudaSize& block) {
  size = block;
  threads = static_cast<int>(block.volume());
  started = ended = 0;
  sequence = emulated_order(static_cast<std::size_t>(threads), rng);
  warps.assign(static_cast<std::size_t>((threads + warp - 1) / warp), {});
  for (int thread = 0; thread < threads; ++thread)
    warps[static_cast<std::size_t>(thread / warp)].present |= Lanes{1} << (thread % warp);
}

void EmulatedBlock::Fibers::place(int thread) {
  const auto flat = static_cast<unsigned>(thread);
  shown->thread = CudaSize(flat % size.x, flat / size.x % size.y, flat / (size.x * size.y));
  shown->lane = thread % warp;
}

void EmulatedBlock::Fibers::resume(std::size_t fiber) {
  running = fiber;
  if (all[fiber].thread >= 0) place(all[fiber].thread);
  scheduling.leave(all[fiber].stack);
  all[fiber].self = std::move(all[fiber].self).resume();
  scheduling.arrive(all[fiber].stack);
}

/// Gives the processor back until this fiber is ready again.
void EmulatedBlock::Fibers::wait() {
  Fiber& fiber = all[running];
  fiber.stack.leave(scheduling);
  fiber.scheduler = std::move(fiber.scheduler).resume();
  fiber.stack.arrive(scheduling);
}

void EmulatedBlock::Fibers::open_barrier() {
  if (at_barrier.empty() || static_cast<int>(at_barrier.size()) + ended < threads) return;
  ready.insert(ready.end(), at_barrier.begin(), at_barrier.end());
  at_barrier.clear();
}

/// No waiting for ended lanes, as on the card since Volta.
void EmulatedBlock::Fibers::complete_exchange(Lanes mask, Lanes present, Exchange& exchange) {
  if (exchange.waiting.empty() || (mask & present & ~exchange.arrived) != 0) return;
  ready.insert(ready.end(), exchange.waiting.begin(), exchange.waiting.end());
  exchange.waiting.clear();
  exchange.arrived = 0;
  ++exchange.generation;
}

void EmulatedBlock::Fibers::end_thread() {
  const int thread = all[running].thread;
  all[running].thread = -1;
  ++ended;
  Warp& its = warps[static_cast<std::size_t>(thread / warp)];
  its.present &= ~(Lanes{1} << (thread % warp));
  for (auto& [mask, exchange] : its.exchanges) complete_exchange(mask, its.present, exchange);
  open_barrier();
}

/// Whether a new thread goes before the ready ones.
bool EmulatedBlock::Fibers::starts_next() const {
  return started < threads && (ready.empty() || (rng && rng->below(2) == 0));
}

std::size_t EmulatedBlock::Fibers::next_ready() {
  if (rng) std::swap(ready.front(), ready[rng->below(ready.size())]);
  const std::size_t next = ready.front();
  ready.pop_front();
  return next;
}

void EmulatedBlock::Fibers::work(Fiber& fiber) {
  for (;;) {
    while (rng ? starts_next() : started < threads) {
      fiber.thread = static_cast<int>(sequence[static_cast<std::size_t>(started++)]);
      place(fiber.thread);
      (*body)();
      end_thread();
    }
    idle.push_back(running);
    wait();
  }
}

std::size_t EmulatedBlock::Fibers::free_fiber() {
  if (!idle.empty()) {
    const std::size_t fiber = idle.front();
    idle.pop_front();
    return fiber;
  }
  Fiber& fiber = all.emplace_back();
  fiber.self = context::fiber(std::allocator_arg, StackSource(fiber.stack),
                              [this, &fiber](context::fiber&& scheduler) {
                                fiber.stack.arrive(scheduling);
                                fiber.scheduler = std::move(scheduler);
                                work(fiber);
                                return std::move(fiber.scheduler);
                              });
  return all.size() - 1;
}

EmulatedBlock::EmulatedBlock(int warp) : fibers_(std::make_unique<Fibers>()) {
  if (warp < 1 || warp > most_lanes) throw std::invalid_argument("a warp has 1 to 64 lanes");
  fibers_->warp = warp;
}
EmulatedBlock::~EmulatedBlock() = default;

void EmulatedBlock::run(const CudaSize& size, CudaDevice::Thread& shown,
                        const std::function<void()>& body, Rng* rng) {
  Fibers& fibers = *fibers_;
  fibers.shown = &shown;
  fibers.body = &body;
  fibers.rng = rng;
  fibers.begin(size);
  while (fibers.ended < fibers.threads) {
    if (fibers.starts_next()) {
      fibers.resume(fibers.free_fiber());
    } else if (!fibers.ready.empty()) {
      fibers.resume(fibers.next_ready());
    } else {
      throw VariantFault{Outcome::crashed,
                         "threads of a block wait at a barrier or shuffle that others never reach"};
    }
  }
}

void EmulatedBlock::barrier() {
  Fibers& fibers = *fibers_;
  fibers.at_barrier.push_back(fibers.running);
  fibers.open_barrier();
  fibers.wait();
}

const unsigned char* EmulatedBlock::exchange(std::uint64_t mask, const void* mine, int bytes) {
  Fibers& fibers = *fibers_;
  const int thread = fibers.all[fibers.running].thread, lane = thread % fibers.warp;
  auto& warp = fibers.warps[static_cast<std::size_t>(thread / fibers.warp)];
  mask &= ~std::uint64_t{0} >> (most_lanes - fibers.warp);
  auto& exchange = warp.exchanges[mask];
  auto& given = exchange.given[exchange.generation % 2];
  std::memcpy(&given[static_cast<std::size_t>(lane * slot_bytes)], mine,
              static_cast<std::size_t>(bytes));
  exchange.arrived |= Fibers::Lanes{1} << lane;
  exchange.waiting.push_back(fibers.running);
  fibers.complete_exchange(mask, warp.present, exchange);
  fibers.wait();
  return given.data();
}

}  // namespace rooftune::run
