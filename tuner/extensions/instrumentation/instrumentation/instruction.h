// One x86-64 instruction in AT&T syntax: mnemonic and operands, without interpretation.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/list.h"

namespace rooftune::instrumentation {

struct Operand {
  std::string text;        ///< without decorations: "8(%rsp)", "%zmm1", "$3", "memcpy@PLT"
  std::string mask;        ///< "%k1" for {%k1}; empty: none
  bool broadcast = false;  ///< {1to8}
  bool is_register() const { return !text.empty() && text[0] == '%' && !is_memory(); }
  /// In parentheses, or a bare symbol (a branch reads it as its target).
  bool is_memory() const;
};

struct Instruction {
  Texts prefixes;  ///< lock, rep, ...
  std::string mnemonic;
  std::vector<Operand> operands;
  /// Whether the mnemonic is in the list, which blanks separate.
  bool is(std::string_view mnemonics) const { return is_among(mnemonic, mnemonics); }
  bool is_call() const { return is("call callq"); }
  bool is_jump() const { return !mnemonic.empty() && mnemonic[0] == 'j'; }
  /// The code behind it runs only after a jump there or after other code.
  bool ends_block() const { return is_call() || is_jump() || is("ret retq ud2 hlt"); }
  bool repeats() const;  ///< rep, repz or repnz before it
};
using Instructions = std::vector<Instruction>;

/// nullopt for a line without an instruction (label, directive, nothing).
std::optional<Instruction> parse_instruction(std::string_view line);

struct Register {
  std::string whole;  ///< one name for all its parts: "ax" for %eax and %al, "v3" for %zmm3
  int bytes = 0;      ///< 64 for %zmm3, 4 for %eax; 0: a mask register, or none
  bool is_vector() const { return bytes >= 16; }
};
/// The register that the text names; 0 bytes for another text.
Register register_of(std::string_view text);

}  // namespace rooftune::instrumentation
