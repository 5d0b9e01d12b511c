// PTX decoded for a walk. Every operand is a register of the thread: constants and special
// registers have their own. Written from NVIDIA's "Parallel Thread Execution ISA".
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "roofline/launch_time.h"

namespace rooftune::run::ptx {

enum class Op {
  add,
  sub,
  mul,
  mul_hi,
  mul_wide,
  mad,
  mad_hi,
  mad_wide,
  div,
  rem,
  neg,
  abs,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shl,
  shr,
  popc,
  clz,
  bfe,
  setp,
  selp,
  mov,
  join,
  split,
  cvt,
  sqrt,
  rcp,
  rsqrt,
  ld,
  st,
  atom,
  copy,
  shfl,
  vote,
  ballot,
  bra,
  call,
  ret,
  nothing
};
enum class Space { generic, global, shared, local, param };
enum class Atomic { add, exch, cas, min, max, other };

struct Type {
  char kind = 'b';  ///< u s f b, p of a predicate
  int bits = 32;
  std::size_t bytes() const { return bits < 8 ? 1 : static_cast<std::size_t>(bits) / 8; }
};

/// Slots of the registers that every thread begins with.
enum Special : int {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nothing_read,
  first_free
};

struct Instruction {
  Op op = Op::nothing;
  Type type, from;         ///< of the result; of a conversion's source
  std::vector<int> slots;  ///< results first; spread out where they are vectors
  int results = 1;         ///< 0 of a store
  int predicate = -1;
  bool predicate_inverted = false;
  int address = -1;  ///< slot; of memory
  std::int64_t offset = 0;
  Space space = Space::generic;
  int mode = 0;           ///< comparison, rounding, Atomic
  bool inverted = false;  ///< the predicate of selp, or the one that setp joins
  std::size_t target = 0;
  roofline::ThreadWork cost;
  double latency = 0;  ///< cycles until its result is there, but for what memory takes
};

/// Comparisons; those of unordered numbers add `unordered`.
enum Compare { eq, ne, lt, le, gt, ge, num, nan, unordered = 8, with_and = 16, with_or = 32 };
enum Rounding { unrounded, nearest, zero, down, up };

struct Function {
  std::vector<Instruction> code;
  std::vector<std::uint64_t> registers;  ///< as a thread begins: constants are there
  std::vector<std::size_t> parameters;   ///< offsets of a kernel's
  std::size_t parameter_bytes = 0, local_bytes = 0;
};

struct Code {
  std::map<std::string, Function> kernels;
  std::deque<std::vector<unsigned char>> variables;  ///< of the module
  std::map<std::string, std::uint64_t> addresses;    ///< theirs, and of shared memory
  std::size_t shared_bytes = 0;
};

/// Addresses of a thread's own and its block's memory begin here.
inline constexpr std::uint64_t shared_start = std::uint64_t{1} << 56,
                               local_start = std::uint64_t{1} << 57,
                               param_start = std::uint64_t{1} << 58, offset_mask = 0xffffff;

/// Fills in cost and latency. `is_fast`: an approximation.
void weigh(Instruction& one, bool is_fast, bool is_barrier);
/// Throws Error that names an unknown instruction.
Code decoded(const std::string& text);

}  // namespace rooftune::run::ptx
