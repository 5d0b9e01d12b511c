// The countable effects of one x86-64 instruction: accesses of memory and floating-point
// operations.
#pragma once
#include <string>
#include <vector>

#include "instrumentation/instruction.h"
#include "instrumentation/trace.h"

namespace rooftune::instrumentation {

/// One access: a step without the words that it leaves. `element` and `lanes` are needed with a
/// mask, or with indices.
struct Access : TraceStep {
  std::string operand;  ///< "8(%rsp,%rax,8)"
  /// Non-empty: only its active lanes (a mask register, or the sign bits of a vector register).
  std::string mask;
  std::string indices;  ///< gather, scatter: vector register of indices
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

}  // namespace rooftune::instrumentation
