// A variant's own machine code with counting: the compiler's assembly with a trace of blocks and
// addresses woven in. The counted code is the timed code, by the same flags, source and compiler;
// only x86-64 in AT&T syntax is understood.
#pragma once
#include <string>

#include "instrumentation/module.h"

namespace rooftune::instrumentation {

/// Part of the key of a counting artefact: changes with the woven code.
inline constexpr const char* weaving_version = "6";
/// Symbols of a counting artefact. The trace hook is called with a Cursor and the bytes wanted
/// whenever a thread's trace is full; it empties it and moves the cursor.
inline constexpr const char* trace_hook_symbol = "rt_count_hook";
/// TraceTable as JSON.
inline constexpr const char* trace_table_symbol = "rt_count_table";

/// The assembly with its trace, its runtime and its table. Every block appends one word with its
/// number and then the words of its steps.
/// Throws Error for assembly of another kind.
std::string counting_assembly(const std::string& assembly);

}  // namespace rooftune::instrumentation
