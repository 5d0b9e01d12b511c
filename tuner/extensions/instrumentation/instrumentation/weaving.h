// The woven code: a variant's assembly with code that writes a trace.
#pragma once
#include <cstddef>
#include <string>

#include "core/modules.h"

namespace rooftune::instrumentation {

/// Goes into a counting artefact's key: changes with the woven code.
inline constexpr const char* weaving_version = "8";
/// Symbols in a counting artefact. The trace hook is called with a Cursor and the bytes wanted
/// whenever a thread's trace is full; it empties the trace and moves the cursor.
inline constexpr const char* trace_hook_symbol = "rt_count_hook";
/// TraceTable as JSON.
inline constexpr const char* trace_table_symbol = "rt_count_table";

/// The assembly with its trace, its runtime and its table. Every block appends its number as one
/// word, then its steps' words. Throws Error for assembly without x86-64 code.
std::string counting_assembly(const std::string& assembly);

/// What each file defines once: each thread's cursor, refill, hook, and a spare buffer for the
/// largest block, used while there is no hook.
std::string trace_runtime(size_t most_words);

}  // namespace rooftune::instrumentation
