// What one x86-64 instruction does that can be counted: memory accesses and operations.
#pragma once
#include <string>
#include <vector>

#include "instrumentation/instruction.h"
#include "instrumentation/trace.h"

namespace rooftune::instrumentation {

/// One access: a step, without the words that it leaves in the trace. `element` and `lanes` are
/// needed with a mask, or with indices.
struct Access : TraceStep {
  std::string operand;  ///< "8(%rsp,%rax,8)"
  /// Non-empty: only its active lanes (a mask register, or a vector register's sign bits).
  std::string mask;
  std::string indices;  ///< gather, scatter: the vector register with the indices
};

/// `lanes` operations of one kind; with a mask only in its active lanes.
struct Operations {
  std::string precision, kind;
  int lanes = 1;
  std::string mask;
};

/// What one instruction does that can be counted.
struct Effect {
  std::vector<Access> accesses;
  std::vector<Operations> operations;
  /// Operations on whole numbers, addresses too: precision and kind as in IntegerKind; scalar ones
  /// are all "int64", for one unit does them.
  std::vector<Operations> integers;
  bool unknown = false;  ///< it accesses memory or computes in an unknown way
};

/// Never throws: marks unknown instructions.
Effect effect_of(const Instruction& instruction);

}  // namespace rooftune::instrumentation
