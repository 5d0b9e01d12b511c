// The woven code: the assembly of a variant with its trace.
#pragma once
#include <cstddef>
#include <string>

#include "core/modules.h"

namespace rooftune::instrumentation {

/// Part of the key of a counting artefact: changes with the woven code.
inline constexpr const char* weaving_version = "8";
/// Symbols of a counting artefact. The trace hook is called with a Cursor and the bytes wanted
/// whenever a thread's trace is full; it empties it and moves the cursor.
inline constexpr const char* trace_hook_symbol = "rt_count_hook";
/// TraceTable as JSON.
inline constexpr const char* trace_table_symbol = "rt_count_table";

/// The assembly with its trace, its runtime and its table. Every block appends one word with its
/// number and then the words of its steps.
/// Throws Error for assembly of another kind.
std::string counting_assembly(const std::string& assembly);

/// Definitions once per file: the cursor of each thread, refill, hook, and a spare buffer for the
/// largest block, used while there is no hook.
std::string trace_runtime(size_t most_words);

}  // namespace rooftune::instrumentation
