// One x86-64 instruction in AT&T syntax: mnemonic and operands, without interpretation, and its
// countable effects: accesses of memory and floating-point operations.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/list.h"
#include "instrumentation/trace.h"

namespace rooftune::instrumentation {

struct Operand {
  std::string text;        ///< without decorations: "8(%rsp)", "%zmm1", "$3", "memcpy@PLT"
  std::string mask;        ///< "%k1" of {%k1}; empty: none
  bool broadcast = false;  ///< {1to8}
  bool is_register() const { return !text.empty() && text[0] == '%' && !is_memory(); }
  /// In parentheses, or a bare symbol (a branch reads it as its target).
  bool is_memory() const;
};

struct Instruction {
  Texts prefixes;  ///< lock, rep, ...
  std::string mnemonic;
  std::vector<Operand> operands;
  /// Whether it is one of those between blanks.
  bool is(std::string_view mnemonics) const { return is_among(mnemonic, mnemonics); }
  bool is_call() const { return is("call callq"); }
  bool is_jump() const { return !mnemonic.empty() && mnemonic[0] == 'j'; }
  bool is_return() const { return is("ret retq ud2 hlt"); }
  /// The code behind it runs only after a jump there or after other code.
  bool ends_block() const { return is_call() || is_jump() || is_return(); }
  bool repeats() const;  ///< rep, repz or repnz before it
};

/// nullopt for a line without an instruction (label, directive, nothing).
std::optional<Instruction> parse_instruction(std::string_view line);

struct Register {
  std::string whole;  ///< one name for all its parts: "ax" of %eax and %al, "v3" of %zmm3
  int bytes = 0;      ///< 64 of %zmm3, 4 of %eax; 0: a mask register, or none
  bool is_vector() const { return bytes >= 16; }
};
/// Without bytes for another text.
Register register_of(std::string_view text);

/// One access. `mask` non-empty: only its active lanes (a mask register, or the sign bits of a
/// vector register).
struct Access {
  using Kind = TraceStep::Kind;
  Kind kind = Kind::load;  ///< load, store, streamed or prefetch
  std::string operand;     ///< "8(%rsp,%rax,8)"
  int bytes = 0;           ///< of all lanes
  int element = 0;         ///< bytes of a lane; needed with a mask
  std::string mask;
  bool compressed = false;  ///< active lanes lie side by side
  std::string indices;      ///< gather, scatter: vector register of indices
  int lanes = 0, scale = 1, index_bytes = 0;
};

/// `lanes` operations of one kind; with a mask only its active ones.
struct Operations {
  std::string precision, kind;
  int lanes = 1;
  std::string mask;
};

/// Countable effects of one instruction.
struct Effect {
  std::vector<Access> accesses;
  std::vector<Operations> operations;
  /// Operations on whole numbers, addresses too: precision and kind as in IntegerKind; those of one
  /// lane are all "int64", as one unit does them.
  std::vector<Operations> integers;
  bool unknown = false;  ///< it accesses memory or computes in an unknown way
};

/// Never throws: marks unknown instructions.
Effect effect_of(const Instruction& instruction);

/// Links of a chain by their number: "loads" for an address, else precision and kind ("fp64 fma").
using Chain = std::map<std::string, uint64_t>;
/// The longest chain of registers that an iteration of a loop takes over from the one before. Empty
/// for none worth a word, as a counter. Values that go through memory are not followed.
Chain longest_chain(const std::vector<Instruction>& body);

/// The number of the block behind each label.
using LabelledBlocks = std::map<std::string, size_t, std::less<>>;
/// Chains of the innermost loops, by the block that closes each with a jump back.
std::map<size_t, Chain> chains_of_loops(const std::vector<std::vector<Instruction>>& blocks,
                                        const LabelledBlocks& labels);

}  // namespace rooftune::instrumentation
