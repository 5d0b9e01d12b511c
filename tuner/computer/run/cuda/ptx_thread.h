// One thread under way through decoded PTX.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/list.h"
#include "run/cuda/ptx_value.h"
#include "run/cuda/ptx_walk.h"

namespace rooftune::run::ptx {

/// Step limits: for a thread; for a warp, then no further lane is followed; for all, then no warp.
inline constexpr uint64_t most_steps = 100'000'000, few_steps = 400'000, enough_steps = 2'000'000;
inline constexpr int most_warps = 64;
/// How many accesses or branches per instruction are compared with the next lane.
inline constexpr size_t compared = 1024;

/// What an instruction did in the previous lane, to compare with this one: addresses, or branches
/// that were taken.
struct Neighbour {
  std::vector<uint64_t> did;
  size_t made = 0;
  double stride = -1;     ///< bytes from lane to lane; unknown
  bool diverges = false;  ///< one lane took the branch, the other did not
  uint64_t taken = 0;     ///< by this lane
};

/// One thread under way.
class Walker {
 public:
  Walker(const Function& function, size_t shared_bytes, const CudaLaunch& launch,
         const DeviceBytes& memory, std::vector<Neighbour>& neighbours, const CacheShares& shares)
      : function_(function),
        registers_(function.registers),
        parameters_(function.parameter_bytes + 16),
        shared_(shared_bytes + launch.shared_bytes + 16),
        local_(function.local_bytes + 16),
        memory_(memory),
        neighbours_(neighbours),
        traffic_(shares, memory),
        times_(function.code.size()),
        ready_(function.registers.size()) {
    for (const size_t k : indices(function.parameters)) {
      const size_t end = k + 1 < function.parameters.size() ? function.parameters[k + 1]
                                                            : function.parameter_bytes;
      const size_t bytes =
          launch.argument_bytes ? launch.argument_bytes[k] : end - function.parameters[k];
      std::memcpy(&parameters_[function.parameters[k]], launch.arguments[k],
                  std::min(bytes, end - function.parameters[k]));
    }
  }

  /// `apart`: lanes between this one and the neighbour.
  void place(const CudaLaunch& launch, int64_t block, int64_t thread, int64_t apart) {
    apart_ = double(apart);
    const auto put = [&](int first, int64_t x, int64_t y, int64_t z) {
      int slot = first;
      for (const int64_t value : {x, y, z}) at(slot++) = value;
    };
    const auto index = [&](int first, const CudaSize& size, int64_t flat) {
      const int64_t x = size.x, y = size.y;
      put(first, flat % x, flat / x % y, flat / (x * y));
    };
    index(tid_x, launch.block, thread);
    index(ctaid_x, launch.grid, block);
    put(ntid_x, launch.block.x, launch.block.y, launch.block.z);
    put(nctaid_x, launch.grid.x, launch.grid.y, launch.grid.z);
    registers_[laneid] = thread % 32;
    registers_[warpid] = thread / 32;
  }

  /// Throws Error when the thread does not end.
  void run() {
    for (; next_ < function_.code.size(); ++steps_) {
      if (steps_ > most_steps) throw Error("is too long to be followed");
      const Instruction& one = function_.code[next_++];
      ++times_[next_ - 1];
      if (one.predicate >= 0) {
        const bool runs = ((at(one.predicate) & 1) != 0) != one.predicate_inverted;
        if (one.op == Op::bra) decide(one, runs);
        if (!runs) continue;
      }
      if (one.op == Op::ret) return;
      if (one.op == Op::bra) {
        next_ = one.target;
      } else {
        latency_ = one.latency;
        execute(one);
        schedule(one);
      }
    }
  }

  uint64_t steps() const { return steps_; }
  const MovedByArray& moved() const { return traffic_.moved(); }

  ThreadWork work() const {
    ThreadWork sum = traffic_.sum();
    const Numbers of_warp = times_of_warp();
    double alone = 0;
    for (const size_t k : indices(times_)) {
      const double n = of_warp[k];
      const ThreadWork& cost = function_.code[k].cost;
      for (const Field field : of_code) sum.*field += n * cost.*field;
      alone += double(times_[k]) * cost.issued;
    }
    // A warp waits on both sides of its branches.
    sum.wait = std::max(block_end_, block_start_ + issued_) * sum.issued / std::max(alone, 1.0);
    return sum;
  }

 private:
  uint64_t& at(int slot) { return registers_[slot]; }
  uint64_t raw(const Instruction& one, size_t k) {
    return k < one.slots.size() ? at(one.slots[k]) : 0;
  }
  void put(const Instruction& one, size_t k, uint64_t value) { at(one.slots[k]) = value; }

  unsigned char* memory(Space space, uint64_t address, size_t bytes) {
    const auto is = [&](Space one, uint64_t start) {
      return space == one || (address & start) != 0;
    };
    std::vector<unsigned char>* const own = is(Space::local, local_start)     ? &local_
                                            : is(Space::shared, shared_start) ? &shared_
                                            : is(Space::param, param_start)   ? &parameters_
                                                                              : nullptr;
    if (!own) return memory_(address, bytes).data;
    const uint64_t offset = address & offset_mask;
    return offset + bytes <= own->size() ? &(*own)[offset] : nullptr;
  }

  uint64_t address_of(const Instruction& one) { return at(one.address) + one.offset; }

  void remember(size_t number, uint64_t what) {
    if (number >= compared) return;
    mine.resize(std::max(mine.size(), next_));
    mine[next_ - 1].push_back(what);
  }

  /// Results come in data order, as an assembler arranges what lies between branches.
  void schedule(const Instruction& one) {
    double start = block_start_;
    const auto await = [&](int slot) {
      if (slot >= 0) start = std::max(start, ready_[slot]);
    };
    for (size_t k = one.results; k < one.slots.size(); ++k) await(one.slots[k]);
    await(one.address);
    await(one.predicate);
    const double end = start + latency_;
    for (size_t k = 0; k < size_t(one.results) && k < one.slots.size(); ++k)
      ready_[one.slots[k]] = end;
    // A load's result may come later: the instruction that needs it waits.
    if (one.op != Op::ld) block_end_ = std::max(block_end_, end);
    issued_ += one.cost.issued;
    if (one.branches_inside) end_block(end);
  }

  /// What follows waits for the block's results, and for what the branch depends on.
  void end_block(double known_at) {
    block_start_ = block_end_ = std::max({block_end_, block_start_ + issued_, known_at});
    issued_ = 0;
  }

  void decide(const Instruction& one, bool taken) {
    end_block(ready_[one.predicate]);
    Neighbour& known = neighbours_[next_ - 1];
    const size_t number = known.made++;
    if (number < known.did.size() && (known.did[number] != 0) != taken) known.diverges = true;
    known.taken += taken ? 1 : 0;
    remember(number, taken ? 1 : 0);
  }

  /// How often a warp executes each instruction: where its lanes differ on a branch both sides
  /// count, each as likely as 32 independent lanes have one that takes it.
  Numbers times_of_warp() const {
    Numbers result(times_.begin(), times_.end());
    for (const size_t b : indices(times_)) {
      const Neighbour& known = neighbours_[b];
      if (!known.diverges || function_.code[b].target <= b) continue;
      const uint64_t taken = known.taken, passed = times_[b] - taken;
      widen(result, function_.code[b].target, taken, times_[b]);
      widen(result, b + 1, passed, times_[b]);
    }
    return result;
  }

  /// Weighs the branch side that begins here and that a lane took `side` times out of `all`.
  void widen(Numbers& result, size_t begin, uint64_t side, uint64_t all) const {
    if (side == 0) return;
    const double share = double(side) / double(all);
    const double factor = (1 - std::pow(1 - share, lanes)) / share;
    for (size_t k = begin; k < times_.size() && times_[k] <= side; ++k) {
      result[k] *= factor;
      const Instruction& one = function_.code[k];
      const bool leaves = one.op == Op::ret || (one.op == Op::bra && one.predicate < 0 &&
                                                (one.target <= k || times_[one.target] > side));
      if (leaves) return;
    }
  }

  /// Counts an access, beside that of the previous lane, and its latency.
  void touch(Access one) {
    if (one.space == Space::param) return;
    if (one.address & shared_start) one.space = Space::shared;
    if (one.address & local_start) one.space = Space::local;
    if (one.space == Space::shared) one.address &= offset_mask;
    Neighbour& known = neighbours_[next_ - 1];
    const size_t number = known.made++;
    if (number < known.did.size())
      known.stride = std::fabs(double(one.address) - double(known.did[number])) / apart_;
    remember(number, one.address);
    one.stride = one.space == Space::local || known.stride < 0 ? double(one.bytes) : known.stride;
    latency_ = traffic_.add(one);
  }

  void load(const Instruction& one) {
    const size_t each = one.type.bytes(), count = one.slots.size();
    const uint64_t address = address_of(one);
    const unsigned char* const from = memory(one.space, address, count * each);
    touch({Access::load, one.space, one.type, address, count * each});
    for (size_t k = 0; k < count; ++k) {
      uint64_t bits = 0;
      if (from) std::memcpy(&bits, from + k * each, each);
      put(one, k, one.type.kind == 'f' ? bits : whole(bits, one.type));
    }
  }

  void store(const Instruction& one) {
    const size_t each = one.type.bytes(), count = one.slots.size();
    const uint64_t address = address_of(one);
    unsigned char* const to = memory(one.space, address, count * each);
    touch({Access::store, one.space, one.type, address, count * each, 0, false});
    for (size_t k = 0; k < count && to; ++k) {
      const uint64_t bits = raw(one, k);
      std::memcpy(to + k * each, &bits, each);
    }
  }

  /// A copy to shared memory.
  void bring(const Instruction& one) {
    const auto bytes = size_t(raw(one, 2));
    const uint64_t source = address_of(one), target = raw(one, 0) + raw(one, 1);
    touch({Access::load, Space::global, {}, source, std::max<size_t>(bytes, 1), 0, false});
    touch({Access::store, Space::shared, {}, target, std::max<size_t>(bytes, 1), 0, false});
    const unsigned char* const from = memory(Space::global, source, bytes);
    unsigned char* const to = memory(Space::shared, target, bytes);
    if (from && to) std::memcpy(to, from, bytes);
  }

  void atomic(const Instruction& one) {
    const size_t each = one.type.bytes();
    const uint64_t address = address_of(one);
    unsigned char* const place = memory(one.space, address, each);
    const bool returns = one.slots.size() > (one.mode == int(Atomic::cas) ? 2 : 1);
    touch({Access::atomic, one.space, one.type, address, each, 0, returns});
    uint64_t old = 0;
    if (place) std::memcpy(&old, place, each);
    const uint64_t given = raw(one, one.slots.size() - 1);
    uint64_t now = old;
    if (one.mode == int(Atomic::add)) {
      Instruction sum = one;
      sum.op = Op::arithmetic;
      sum.does = operation("add");
      now = result(sum, old, given, 0);
    } else if (one.mode == int(Atomic::exch)) {
      now = given;
    }
    if (place) std::memcpy(place, &now, each);
    if (returns) put(one, 0, old);
  }

  void compare(const Instruction& one) {
    const size_t first = one.results;
    const uint64_t a = raw(one, first), b = raw(one, first + 1);
    const bool here = holds(one, a, b);
    const bool other = ((raw(one, first + 2) & 1) != 0) != one.inverted;
    const auto joined = [&](bool value) {
      if (one.mode & with_and) return value && other;
      if (one.mode & with_or) return value || other;
      return value;
    };
    put(one, 0, joined(here));
    if (one.results > 1) put(one, 1, joined(!here));
  }

  void execute(const Instruction& one) {
    using enum Op;
    switch (one.op) {
      case ld:
        return load(one);
      case st:
        return store(one);
      case atom:
        return atomic(one);
      case copy:
        return bring(one);
      case setp:
        return compare(one);
      case mov:
        return put(one, 0, raw(one, 1));
      case cvt:
        return put(one, 0, converted(one, raw(one, 1)));
      case selp:
        return put(one, 0, raw(one, ((raw(one, 3) & 1) != 0) != one.inverted ? 1 : 2));
      case shfl:
        put(one, 0, raw(one, one.results));
        if (one.results > 1) put(one, 1, 1);
        return;
      case vote:
        return put(one, 0, raw(one, 1));
      case ballot:
        return put(one, 0, one.slots.size() > 1 && !(raw(one, 1) & 1) ? 0 : ~0u);
      case join:
      case split:
        return rearrange(one);
      case insert:
        return put(one, 0, inserted(one));
      case unknown:
      case tensor:
        for (int k = 0; k < one.results && k < int(one.slots.size()); ++k) put(one, k, 0);
        return;
      case bra:
      case call:
      case ret:
      case barrier:
      case nothing:
        return;
      default:
        break;
    }
    put(one, 0, result(one, raw(one, 1), raw(one, 2), raw(one, 3)));
  }

  /// Inserts so many bits from the first into the second, from a place on.
  uint64_t inserted(const Instruction& one) {
    const uint64_t place = raw(one, 3) & 255, length = raw(one, 4) & 255;
    if (place >= uint64_t(one.type.bits) || length == 0) return raw(one, 2);
    const uint64_t ones = length >= 64 ? ~uint64_t{0} : (uint64_t{1} << length) - 1;
    const uint64_t there = ones << place;
    return whole((raw(one, 2) & ~there) | (raw(one, 1) << place & there), one.type);
  }

  void rearrange(const Instruction& one) {
    const size_t parts = one.slots.size() - 1;
    const int bits = one.type.bits / int(parts);
    const Type part{'b', bits};
    if (one.op == Op::split)
      for (size_t k = 0; k < parts; ++k) put(one, k, whole(raw(one, parts) >> bits * int(k), part));
    uint64_t all = 0;
    if (one.op == Op::join) {
      for (size_t k = 0; k < parts; ++k) all |= whole(raw(one, k + 1), part) << bits * int(k);
      put(one, 0, all);
    }
  }

 public:
  std::vector<std::vector<uint64_t>> mine;  ///< what it did, by instruction

 private:
  const Function& function_;
  std::vector<uint64_t> registers_;
  std::vector<unsigned char> parameters_, shared_, local_;
  const DeviceBytes& memory_;
  std::vector<Neighbour>& neighbours_;
  Traffic traffic_;
  std::vector<uint64_t> times_;
  size_t next_ = 0;
  uint64_t steps_ = 0;
  double apart_ = 1;
  Numbers ready_;       ///< by register: the cycle from which it can be read
  double latency_ = 0;  ///< the instruction at hand's
  /// The code between two branches: its first cycle, the cycle of its last result, its
  /// instructions.
  double block_start_ = 0, block_end_ = 0, issued_ = 0;
};

}  // namespace rooftune::run::ptx
