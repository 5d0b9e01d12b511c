// PTX decoded for a walk. Every operand is a register of the thread: constants and special
// registers have their own. Written from NVIDIA's "Parallel Thread Execution ISA".
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/list.h"
#include "roofline/launch_time.h"

namespace rooftune::run::ptx {

using roofline::ThreadWork;

/// What a thread does by its instructions alone, wherever its addresses lead.
using Field = double ThreadWork::*;
inline constexpr Field of_code[] = {&ThreadWork::fp64,    &ThreadWork::fp32,   &ThreadWork::integer,
                                    &ThreadWork::special, &ThreadWork::memory, &ThreadWork::issued,
                                    &ThreadWork::tensor,  &ThreadWork::wait};

enum class Op {
  arithmetic,
  wide,    ///< multiplies to twice the bits
  choice,  ///< between two operands
  shift,   ///< the second operand says by how many bits
  bits,    ///< counts them
  insert,  ///< bits into others, at a place
  setp,
  selp,
  mov,
  join,
  split,
  cvt,
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
  barrier,
  tensor,   ///< a matrix product; no element's value is known
  unknown,  ///< one instruction, whose result is taken for 0
  nothing
};
enum class Space { generic, global, shared, local, param };
enum class Atomic { other, add, exch, cas };

struct Type {
  char kind = 'b';  ///< u s f b; p for a predicate
  int bits = 32;
  size_t bytes() const { return bits < 8 ? 1 : bits / 8; }
};

/// Register slots that every thread begins with, sizes and places in the order x, y, z.
enum Special { tid_x, ntid_x = 3, ctaid_x = 6, nctaid_x = 9, laneid = 12, warpid, first_free = 15 };

/// What instructions compute from up to three operands, and what the assembler makes from them.
struct Operation {
  const char* words;  ///< their names
  Op op = Op::arithmetic;
  double (*real)(double a, double b, double c) = nullptr;
  uint64_t (*whole)(uint64_t a, uint64_t b, uint64_t c, const Type& type) = nullptr;
  double reals = 1;              ///< instructions for reals
  double wholes = 1, wides = 2;  ///< for integers, and for 64-bit ones
  int refinements = 0;           ///< for 64-bit reals, after a first value from the special pipe
};

struct Instruction {
  Op op = Op::nothing;
  const Operation* does = nullptr;  ///< the operation, where the result is a number
  Type type, from;                  ///< the result's; a conversion's source has its own
  std::vector<int> slots;           ///< results first; spread out where they are vectors
  int results = 1;                  ///< 0 for a store
  int predicate = -1;
  bool predicate_inverted = false;
  int address = -1;  ///< slot that addresses memory
  int64_t offset = 0;
  Space space = Space::generic;
  int mode = 0;           ///< comparison, rounding, Atomic
  bool inverted = false;  ///< selp's predicate, or the one that setp joins
  size_t target = 0;
  ThreadWork cost;
  double latency = 0;  ///< cycles until its result is there, but for what memory takes
  /// To a slow path: the assembler moves no other instruction across.
  bool branches_inside = false;
};

/// Comparisons; those for unordered numbers add `unordered`.
enum Compare { eq, ne, lt, le, gt, ge, num, nan, unordered = 8, with_and = 16, with_or = 32 };
enum Rounding { nearest = 1, zero, down, up };

struct Function {
  std::vector<Instruction> code;
  std::vector<uint64_t> registers;  ///< as a thread begins: constants are there
  std::vector<size_t> parameters;   ///< offsets of a kernel's parameters
  size_t parameter_bytes = 0, local_bytes = 0;
};

struct Code {
  std::map<std::string, Function> kernels;
  std::deque<std::vector<unsigned char>> variables;  ///< the module's
  std::map<std::string, uint64_t> addresses;         ///< theirs, and shared memory's
  TextSet unknown;  ///< instructions, functions and special registers named in its kernels
  size_t shared_bytes = 0;
};

/// Where the addresses of a block's and a thread's own memory begin.
inline constexpr uint64_t shared_start = uint64_t{1} << 56, local_start = uint64_t{1} << 57,
                          param_start = uint64_t{1} << 58, offset_mask = 0xffffff;

/// An unknown instruction counts as one for the integer pipe. Throws Error that names what is no
/// PTX at all.
Code decoded(const std::string& text);

}  // namespace rooftune::run::ptx
