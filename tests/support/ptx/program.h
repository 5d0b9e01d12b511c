// PTX decoded for execution. Written from NVIDIA's "Parallel Thread Execution ISA"; nothing here is
// shared with the emulation of CUDA in kernels/include.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace rooftune::ptx {

class Machine;
struct Thread;
struct Instruction;
struct Function;

/// What ends a launch or refuses an image, in words for the user.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A register, a constant, or both: an address with an offset.
struct Operand {
  int slot = -1;  ///< of the thread's registers; none
  std::uint64_t constant = 0;
  bool inverted = false;  ///< a predicate's complement
};

enum class Space { generic, global, shared, local, parameter };

using Handler = void (*)(Machine&, Thread&, const Instruction&);

struct Instruction {
  Handler run = nullptr;
  std::vector<Operand> operands;  ///< vectors are spread out
  Operand address;
  Operand predicate;  ///< it runs where this holds
  bool is_predicated = false;
  Space space = Space::generic;
  int elements = 1;  ///< of a load or a store
  int mode = 0;      ///< of the operation, its own enumeration or number
  bool has_second_result = false;
  std::size_t target = 0;  ///< of a branch
  Function* callee = nullptr;
  std::string text;  ///< as in the source
};

struct Parameter {
  std::string name;
  std::size_t offset = 0, bytes = 0;
};

/// Registers every frame begins with, then those it declares.
enum Slot {
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
  lane_id,
  warp_id,
  frame_start,
  carry,
  own_slots
};

struct Function {
  std::string name;
  std::vector<Parameter> parameters;
  std::size_t parameter_bytes = 0;
  std::vector<int> argument_slots;  ///< of a device function: addresses that its caller gives
  std::vector<Instruction> code;
  int slots = own_slots;
  std::size_t local_bytes = 0;
  unsigned most_threads = 1024;
};

struct Variable {
  std::vector<std::uint64_t> words;  ///< its memory, aligned
  std::size_t bytes = 0;
};

struct Module {
  std::map<std::string, std::unique_ptr<Function>> functions;
  std::map<std::string, Variable> variables;
  std::map<std::string, std::uint64_t> shared;  ///< offsets
  std::vector<std::string> dynamic_shared;      ///< names without a size: behind the others
  std::size_t static_shared = 0;
};

/// Addresses that are no host pointers begin here.
constexpr std::uint64_t shared_start = std::uint64_t{1} << 56, local_start = std::uint64_t{1} << 57,
                        parameter_start = std::uint64_t{1} << 58;

/// Throws Fault that names an unknown instruction.
std::unique_ptr<Module> parsed(const std::string& text);

/// What executes the instruction of these dot-separated words ("ld", "global", "f64"); fills in
/// what else it needs. Throws Fault for unknown words.
Handler handler(const std::vector<std::string>& words, Instruction& instruction);

}  // namespace rooftune::ptx
