#include "support/ptx/machine.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "support/device_code.h"

namespace rooftune::ptx {
namespace {

constexpr unsigned warp = 32;
constexpr std::size_t resident_blocks = 3;
/// One access in so many lets other threads run; one thread in so many sleeps until a barrier.
constexpr unsigned pause_interval = 53, sleeper_interval = 5;
constexpr std::uint64_t garbage = 0x7ff8dead7ff8deadull;

const char* words(Access access) {
  return access == Access::read ? "read" : access == Access::write ? "write" : "atomic operation";
}

}  // namespace

void Machine::fail(const Thread& thread, const std::string& what) const {
  const std::uint64_t* const slot = thread.registers;
  throw Fault(what + " by \"" + thread.current().text + "\" in " + kernel_->name + ", block " +
              std::to_string(slot[ctaid_x]) + "," + std::to_string(slot[ctaid_y]) + "," +
              std::to_string(slot[ctaid_z]) + " thread " + std::to_string(thread.number));
}

void Machine::run(const Function& kernel, const Shape& shape, void** arguments) {
  kernel_ = &kernel;
  shape_ = shape;
  ranges_.clear();
  parameters_.assign(kernel.parameter_bytes + 16, 0);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
    std::memcpy(parameters_.data() + kernel.parameters[i].offset, arguments[i],
                kernel.parameters[i].bytes);
  std::vector<std::uint64_t> order(std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2]);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  std::shuffle(order.begin(), order.end(), random_);
  launch_seed_ = random_();
  late_.assign(order.size(), {});
  std::vector<Block> blocks(std::min(resident_blocks, order.size()));
  for (Block& block : blocks) {
    start(block, order.back());
    order.pop_back();
  }
  bool moved = true;
  while (!blocks.empty()) {
    // Sleepers go on when nobody else can.
    const bool wakes = !std::exchange(moved, false);
    for (Block& block : blocks) {
      std::vector<Thread*> ready;
      for (Thread& thread : block.threads)
        if (thread.state == Thread::State::ready && (wakes || !sleeps(thread)))
          ready.push_back(&thread);
      std::shuffle(ready.begin(), ready.end(), random_);
      for (Thread* thread : ready) advance(*thread);
      moved = moved || !ready.empty();
    }
    if (wakes && !moved)
      for (const Thread& thread : blocks.front().threads)
        if (thread.state != Thread::State::done)
          fail(thread, "a wait without end (a barrier that some threads do not reach)");
    for (std::size_t i = 0; i < blocks.size();) {
      if (blocks[i].live > 0) {
        ++i;
      } else if (!order.empty()) {
        start(blocks[i], order.back());
        order.pop_back();
      } else {
        std::swap(blocks[i], blocks.back());
        blocks.pop_back();
        for (Block& block : blocks)
          for (Thread& thread : block.threads) thread.block = &block;
      }
    }
  }
  for (auto& late : late_) make_visible(late);
}

void Machine::start(Block& block, std::uint64_t number) {
  const auto& [x, y, z] = shape_.block;
  const std::size_t bytes = module_.static_shared + shape_.shared_bytes;
  block.number = number;
  block.shared.assign(bytes, 0xff);
  block.cells.assign(bytes / 4 + 1, {});
  block.live = std::size_t{x} * y * z;
  block.threads.resize(block.live);
  block.warps.assign((block.live + warp - 1) / warp, {});
  block.late = &late_[number];
  const auto& [gx, gy, gz] = shape_.grid;
  for (unsigned i = 0; i < block.live; ++i) {
    Thread& thread = block.threads[i];
    thread.block = &block;
    thread.number = i;
    thread.state = Thread::State::ready;
    thread.function = kernel_;
    thread.next = 0;
    thread.slots.assign(static_cast<std::size_t>(kernel_->slots), garbage);
    thread.registers = thread.slots.data();
    thread.locals.assign(kernel_->local_bytes, 0xff);
    thread.callers.clear();
    thread.epoch = thread.warp_epoch = 0;
    thread.open.clear();
    thread.groups.clear();
    const std::uint64_t specials[] = {i % x,       i / x % y,        i / x / y,        x,  y,  z,
                                      number % gx, number / gx % gy, number / gx / gy, gx, gy, gz,
                                      i % warp,    i / warp,         local_start,      0};
    std::copy(std::begin(specials), std::end(specials), thread.registers);
  }
}

void Machine::advance(Thread& thread) {
  thread.paused = false;
  while (thread.state == Thread::State::ready && !thread.paused) {
    const Instruction& one = thread.function->code[thread.next++];
    if (!one.is_predicated || thread.get<bool>(one.predicate)) one.run(*this, thread, one);
  }
}

bool Machine::sleeps(const Thread& thread) const {
  std::uint64_t mixed =
      launch_seed_ +
      0x9e3779b97f4a7c15ull * (thread.block->number * 1024 + thread.number + 7777 * thread.epoch);
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ull;
  return (mixed >> 33) % sleeper_interval == 0;
}

void Machine::perhaps_pause(Thread& thread) { thread.paused = random_() % pause_interval == 0; }

void Machine::enter(Thread& thread, const Instruction& call) {
  const Function& callee = *call.callee;
  thread.callers.push_back({thread.function, thread.next,
                            static_cast<std::size_t>(thread.registers - thread.slots.data()),
                            static_cast<std::size_t>(thread.registers[frame_start] - local_start)});
  std::vector<std::uint64_t> arguments;
  for (const Operand& operand : call.operands) arguments.push_back(thread.bits(operand));
  const std::size_t begin = thread.slots.size(), locals = (thread.locals.size() + 15) / 16 * 16;
  thread.slots.resize(begin + static_cast<std::size_t>(callee.slots), garbage);
  thread.locals.resize(locals + callee.local_bytes, 0xff);
  std::uint64_t* const caller = thread.slots.data() + thread.callers.back().slots;
  thread.registers = thread.slots.data() + begin;
  std::copy(caller, caller + own_slots, thread.registers);
  thread.registers[frame_start] = local_start + locals;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    thread.registers[callee.argument_slots[i]] = arguments[i];
  thread.function = &callee;
  thread.next = 0;
}

void Machine::leave(Thread& thread) {
  if (!thread.callers.empty()) {
    const Frame frame = thread.callers.back();
    thread.callers.pop_back();
    thread.slots.resize(static_cast<std::size_t>(thread.registers - thread.slots.data()));
    thread.locals.resize(static_cast<std::size_t>(thread.registers[frame_start] - local_start));
    thread.registers = thread.slots.data() + frame.slots;
    thread.function = frame.function;
    thread.next = frame.next;
    return;
  }
  thread.state = Thread::State::done;
  Block& block = *thread.block;
  --block.live;
  release_warp(block, thread.number / warp);
  for (const Thread& other : block.threads)
    if (other.state == Thread::State::at_barrier) return release_barrier(block, other.barrier);
}

// ---- Memory

unsigned char* Machine::memory(Thread& thread, Space& space, std::uint64_t address,
                               std::size_t bytes, Access access) {
  if (space == Space::shared) {
    address = (address & 0xffffffffu) + shared_start;
  } else if (address < shared_start) {
    space = Space::global;
  }
  const auto wrong = [&](const char* what) {
    fail(thread, std::string(words(access)) + " of " + std::to_string(bytes) + " bytes " + what);
  };
  if (address % bytes != 0) wrong("that are not aligned");
  const auto inside = [&](std::vector<unsigned char>& all, std::uint64_t start) {
    if (address - start + bytes > all.size()) wrong("outside its memory of this kind");
    return all.data() + (address - start);
  };
  if (address >= parameter_start) {
    space = Space::parameter;
    return inside(parameters_, parameter_start);
  }
  if (address >= local_start) {
    space = Space::local;
    return inside(thread.locals, local_start);
  }
  perhaps_pause(thread);
  if (address >= shared_start) {
    space = Space::shared;
    unsigned char* const at = inside(thread.block->shared, shared_start);
    touch(thread, address - shared_start, bytes, access);
    return at;
  }
  auto& [begin, end] = ranges_[&thread.current()];
  if (address < begin || address + bytes > end) {
    const test::DeviceArray array = test::device_array(address);
    begin = array.start;
    end = array.start + array.bytes;
    for (const auto& [name, variable] : module_.variables) {
      const auto start = reinterpret_cast<std::uint64_t>(variable.words.data());
      if (address >= start && address < start + variable.bytes) {
        begin = start;
        end = start + variable.bytes;
      }
    }
    if (address < begin || address + bytes > end) wrong("outside every array");
  }
  return reinterpret_cast<unsigned char*>(address);
}

/// Two threads touch the same bytes, one of them writes, and no barrier lies between.
void Machine::touch(Thread& thread, std::uint64_t offset, std::size_t bytes, Access access) {
  const Cell::Touch mine{static_cast<int>(thread.number), thread.epoch, thread.warp_epoch};
  const auto clashes = [&](const Cell::Touch& other) {
    if (other.thread < 0 || other.thread == mine.thread || other.epoch != mine.epoch) return false;
    const bool one_warp = static_cast<unsigned>(other.thread) / warp == thread.number / warp;
    return !one_warp || other.warp_epoch == mine.warp_epoch;
  };
  // Neighbours within four bytes do not meet.
  for (std::uint64_t i = offset / 4; bytes >= 4 && i < (offset + bytes) / 4; ++i) {
    Cell& cell = thread.block->cells[i];
    const bool both_atomic = access == Access::atomic && cell.by_atomic;
    const Cell::Touch* other = nullptr;
    if (!both_atomic && clashes(cell.writer)) other = &cell.writer;
    if (access != Access::read)
      for (const Cell::Touch* reader : {&cell.reader, &cell.other_reader})
        if (clashes(*reader)) other = reader;
    if (other) fail(thread, "a race in shared memory with thread " + std::to_string(other->thread));
    if (access != Access::read) {
      cell.writer = mine;
      cell.by_atomic = access == Access::atomic;
    } else if (cell.reader.thread != mine.thread || cell.reader.epoch != mine.epoch) {
      cell.other_reader = std::exchange(cell.reader, mine);
    } else {
      cell.reader = mine;
    }
  }
}

void Machine::load(Thread& thread, Space space, std::uint64_t address, void* to,
                   std::size_t bytes) {
  std::memcpy(to, memory(thread, space, address, bytes, Access::read), bytes);
  if (space != Space::global || thread.block->late->empty()) return;
  for (std::size_t i = 0; i < bytes; ++i) {
    const auto found = thread.block->late->find((address + i) / 8);
    if (found != thread.block->late->end() && found->second.mask >> (address + i) % 8 & 1)
      static_cast<unsigned char*>(to)[i] = found->second.bytes[(address + i) % 8];
  }
}

void Machine::store(Thread& thread, Space space, std::uint64_t address, const void* from,
                    std::size_t bytes, bool at_once) {
  unsigned char* const to = memory(thread, space, address, bytes, Access::write);
  if (space != Space::global || at_once) {
    std::memcpy(to, from, bytes);
    return;
  }
  for (std::size_t i = 0; i < bytes; ++i) {
    Late& late = (*thread.block->late)[(address + i) / 8];
    late.bytes[(address + i) % 8] = static_cast<const unsigned char*>(from)[i];
    late.mask |= 1u << (address + i) % 8;
  }
}

unsigned char* Machine::atomic(Thread& thread, Space space, std::uint64_t address,
                               std::size_t bytes) {
  unsigned char* const at = memory(thread, space, address, bytes, Access::atomic);
  if (space == Space::global)
    if (const auto found = thread.block->late->find(address / 8);
        found != thread.block->late->end()) {
      std::unordered_map<std::uint64_t, Late> one{*found};
      thread.block->late->erase(found);
      make_visible(one);
    }
  return at;
}

void Machine::make_visible(std::unordered_map<std::uint64_t, Late>& late) {
  for (const auto& [number, one] : late)
    for (std::uint64_t i = 0; i < 8; ++i)
      if (one.mask >> i & 1) reinterpret_cast<unsigned char*>(8 * number)[i] = one.bytes[i];
  late.clear();
}

void Machine::fence(Thread& thread) { make_visible(*thread.block->late); }

// ---- Waiting

void Machine::wait_at_barrier(Thread& thread, std::uint64_t barrier, std::uint64_t threads) {
  thread.state = Thread::State::at_barrier;
  thread.barrier = barrier;
  thread.expected = threads;
  release_barrier(*thread.block, barrier);
}

void Machine::release_barrier(Block& block, std::uint64_t barrier) {
  std::vector<Thread*> waiting;
  for (Thread& thread : block.threads)
    if (thread.state == Thread::State::at_barrier && thread.barrier == barrier)
      waiting.push_back(&thread);
  if (waiting.empty()) return;
  const std::uint64_t expected = waiting.front()->expected;
  if (waiting.size() < (expected > 0 ? expected : block.live)) return;
  for (std::size_t i = 1; i < waiting.size(); ++i)
    if (waiting[i]->number / warp == waiting[i - 1]->number / warp &&
        &waiting[i]->current() != &waiting[i - 1]->current())
      fail(*waiting[i], "threads of one warp wait at different barriers");
  for (Thread* thread : waiting) {
    thread->state = Thread::State::ready;
    ++thread->epoch;
    thread->warp_epoch = 0;
  }
}

void Machine::meet_warp(Thread& thread, std::uint32_t mask) {
  Block& block = *thread.block;
  Warp& meeting = block.warps[thread.number / warp];
  const std::uint32_t own = 1u << thread.number % warp;
  if (!(mask & own)) fail(thread, "a mask without the thread's own lane");
  if (meeting.arrived != 0 && meeting.mask != mask) fail(thread, "different masks in one warp");
  meeting.mask = mask;
  meeting.arrived |= own;
  thread.state = Thread::State::in_warp;
  release_warp(block, thread.number / warp);
}

void Machine::release_warp(Block& block, std::size_t number) {
  Warp& meeting = block.warps[number];
  std::uint32_t there = 0;
  for (unsigned lane = 0; lane < warp && number * warp + lane < block.threads.size(); ++lane)
    if (block.threads[number * warp + lane].state != Thread::State::done) there |= 1u << lane;
  if (meeting.arrived == 0 || (meeting.mask & there) != meeting.arrived) return;
  std::array<Thread*, warp> lanes{};
  const Instruction* common = nullptr;
  for (unsigned lane = 0; lane < warp; ++lane)
    if (meeting.arrived >> lane & 1) {
      lanes[lane] = &block.threads[number * warp + lane];
      const Instruction& one = lanes[lane]->current();
      if (common && common->run != one.run)
        fail(*lanes[lane], "lanes meet at different operations");
      common = &one;
    }
  meeting.arrived = 0;
  ptx::exchange(*this, lanes);
  for (Thread* thread : lanes)
    if (thread) thread->state = Thread::State::ready;
}

// ---- Asynchronous copies

void Machine::copy(Thread& thread, const Copy& copy) {
  // The hardware is free to do it now or at the wait.
  if (random_() % 2 == 0) return land(thread, copy);
  thread.open.push_back(copy);
}

void Machine::commit(Thread& thread) { thread.groups.push_back(std::exchange(thread.open, {})); }

void Machine::wait_for_copies(Thread& thread, std::size_t left) {
  while (thread.groups.size() > left) {
    for (const Copy& copy : thread.groups.front()) land(thread, copy);
    thread.groups.pop_front();
  }
}

void Machine::land(Thread& thread, const Copy& copy) {
  std::array<unsigned char, 16> bytes{};
  if (copy.read > 0) load(thread, Space::global, copy.global, bytes.data(), copy.read);
  store(thread, Space::shared, copy.shared, bytes.data(), copy.bytes, true);
}

}  // namespace rooftune::ptx
