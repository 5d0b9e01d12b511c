// One x86-64 instruction in AT&T syntax as text: mnemonic and operands, without interpretation.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/module.h"

namespace rooftune::instrumentation {

struct Operand {
  std::string text;        ///< without decorations: "8(%rsp)", "%zmm1", "$3", "memcpy@PLT"
  std::string mask;        ///< "%k1" of {%k1}; empty: none
  bool broadcast = false;  ///< {1to8}
  bool is_register() const { return !text.empty() && text[0] == '%' && !is_memory(); }
  bool is_immediate() const { return !text.empty() && text[0] == '$'; }
  /// In parentheses, or a bare symbol (a branch reads it as its target).
  bool is_memory() const;
};

struct Instruction {
  std::vector<std::string> prefixes;  ///< lock, rep, ...
  std::string mnemonic;
  std::vector<Operand> operands;
  bool is_call() const { return mnemonic == "call" || mnemonic == "callq"; }
  bool is_jump() const { return !mnemonic.empty() && mnemonic[0] == 'j'; }
  bool is_return() const;
  /// The code behind it runs only after a jump there or after other code.
  bool ends_block() const;
  bool repeats() const;  ///< rep, repz or repnz before it
  bool reads_flags() const;
  bool sets_all_flags() const;  ///< for any operands
};

/// nullopt for a line without an instruction (label, directive, nothing).
std::optional<Instruction> parse_instruction(std::string_view line);

/// Bytes of a register: 64 for %zmm3, 4 for %eax, 0 for a mask register or no register.
int register_bytes(std::string_view name);
/// True for %xmm, %ymm and %zmm.
bool is_vector_register(std::string_view name);

}  // namespace rooftune::instrumentation
