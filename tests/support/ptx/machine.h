// A card that executes decoded PTX thread by thread, in random order: threads change at barriers,
// within warps and at random accesses to memory; a few sleep as long as others can go on. What a
// block stores is late: other blocks see it after a fence of the block, or when the launch ends.
#pragma once
#include <bit>
#include <deque>
#include <random>
#include <type_traits>
#include <unordered_map>

#include "support/ptx/program.h"

namespace rooftune::ptx {

struct Block;

/// Of cp.async: bytes that land at their wait, or at once.
struct Copy {
  const Instruction* from;
  std::uint64_t shared, global;
  std::size_t bytes, read;
};

struct Frame {
  const Function* function;
  std::size_t next, slots, locals;  ///< where it goes on; where its memory begins
};

struct Thread {
  enum class State { ready, at_barrier, in_warp, done };

  Block* block = nullptr;
  unsigned number = 0;  ///< in the block
  State state = State::ready;
  bool paused = false;
  const Function* function = nullptr;
  std::size_t next = 0;
  std::uint64_t* registers = nullptr;
  std::vector<std::uint64_t> slots;
  std::vector<unsigned char> locals;
  std::vector<Frame> callers;
  std::uint64_t barrier = 0, expected = 0;
  unsigned epoch = 0, warp_epoch = 0;  ///< barriers passed, and waits of the warp since
  std::vector<Copy> open;
  std::deque<std::vector<Copy>> groups;

  const Instruction& current() const { return function->code[next - 1]; }
  std::uint64_t bits(const Operand& operand) const {
    return (operand.slot < 0 ? 0 : registers[operand.slot]) + operand.constant;
  }
  template <class T>
  T get(const Operand& operand) const {
    if constexpr (std::is_same_v<T, bool>)
      return ((bits(operand) & 1) != 0) != operand.inverted;
    else if constexpr (std::is_same_v<T, double>)
      return std::bit_cast<double>(bits(operand));
    else if constexpr (std::is_same_v<T, float>)
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits(operand)));
    else
      return static_cast<T>(bits(operand));
  }
  /// Narrow values fill the register, with their sign where they have one.
  template <class T>
  void put(const Operand& operand, T value) {
    if (operand.slot < 0) return;
    std::uint64_t& to = registers[operand.slot];
    if constexpr (std::is_same_v<T, double>)
      to = std::bit_cast<std::uint64_t>(value);
    else if constexpr (std::is_same_v<T, float>)
      to = std::bit_cast<std::uint32_t>(value);
    else if constexpr (std::is_signed_v<T>)
      to = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    else
      to = static_cast<std::uint64_t>(value);
  }
};

enum class Access { read, write, atomic };

/// Who touched four bytes of shared memory last.
struct Cell {
  struct Touch {
    int thread = -1;
    unsigned epoch = 0, warp_epoch = 0;
  };
  Touch writer, reader, other_reader;
  bool by_atomic = false;
};

struct Warp {
  std::uint32_t arrived = 0, mask = 0;
};

/// Eight bytes that other blocks do not see yet.
struct Late {
  std::array<unsigned char, 8> bytes{};
  unsigned mask = 0;
};

struct Block {
  std::uint64_t number = 0;
  std::vector<unsigned char> shared;
  std::vector<Cell> cells;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::size_t live = 0;
  std::unordered_map<std::uint64_t, Late>* late = nullptr;
};

struct Shape {
  std::array<unsigned, 3> grid{}, block{};
  std::size_t shared_bytes = 0;  ///< dynamic
};

class Machine {
 public:
  Machine(Module& module, std::uint64_t seed) : module_(module), random_(seed) {}

  /// Runs all blocks to their end. Throws Fault.
  void run(const Function& kernel, const Shape& shape, void** arguments);

  // Instructions of `thread`.
  [[noreturn]] void fail(const Thread& thread, const std::string& what) const;
  void load(Thread& thread, Space space, std::uint64_t address, void* to, std::size_t bytes);
  void store(Thread& thread, Space space, std::uint64_t address, const void* from,
             std::size_t bytes, bool at_once);
  /// Memory that an atomic operation may change in place.
  unsigned char* atomic(Thread& thread, Space space, std::uint64_t address, std::size_t bytes);
  void fence(Thread& thread);
  void enter(Thread& thread, const Instruction& call);
  void leave(Thread& thread);
  void wait_at_barrier(Thread& thread, std::uint64_t barrier, std::uint64_t threads);
  void meet_warp(Thread& thread, std::uint32_t mask);
  void copy(Thread& thread, const Copy& copy);
  void commit(Thread& thread);
  void wait_for_copies(Thread& thread, std::size_t left);

 private:
  void start(Block& block, std::uint64_t number);
  void advance(Thread& thread);
  bool sleeps(const Thread& thread) const;
  void release_barrier(Block& block, std::uint64_t barrier);
  void release_warp(Block& block, std::size_t warp);
  void land(Thread& thread, const Copy& copy);
  void touch(Thread& thread, std::uint64_t offset, std::size_t bytes, Access access);
  void make_visible(std::unordered_map<std::uint64_t, Late>& late);
  /// Checks bounds and alignment; `space` becomes what the address is in.
  unsigned char* memory(Thread& thread, Space& space, std::uint64_t address, std::size_t bytes,
                        Access access);
  void perhaps_pause(Thread& thread);

  Module& module_;
  std::mt19937_64 random_;
  std::uint64_t launch_seed_ = 0;
  const Function* kernel_ = nullptr;
  Shape shape_;
  std::vector<unsigned char> parameters_;
  std::vector<std::unordered_map<std::uint64_t, Late>> late_;  ///< of each block
  std::unordered_map<const Instruction*, std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

/// What the lanes of a warp that have met (the others are null) give each other.
void exchange(Machine& machine, const std::array<Thread*, 32>& lanes);

}  // namespace rooftune::ptx
