// A variant's own machine code with counting: the compiler's assembly with a trace of blocks and
// addresses woven in. The counted code is the timed code, by the same flags, source and compiler;
// only x86-64 in AT&T syntax is understood.
#pragma once
#include <string>
#include <vector>

#include "instrumentation/module.h"

namespace rooftune::instrumentation {

/// Part of the key of a counting artefact: changes with the woven code.
inline constexpr const char* weaving_version = "4";
/// Symbols of a counting artefact. The trace hook is called with a Cursor and the bytes wanted
/// whenever a thread's trace is full; it empties it and moves the cursor.
inline constexpr const char* trace_hook_symbol = "rt_count_hook";
/// One line per block of code: "ID token token ..."; see docs/formats.md.
inline constexpr const char* trace_table_symbol = "rt_count_table";

/// The assembly with its trace, its runtime and its table. Every block appends one word with its
/// number and then the words of its tokens:
///   ld:N st:N nt:N pf:N   load, store, streamed store, prefetch of N bytes: an address
///   ldm:N:E stm:N:E       the same under a mask, elements of E bytes: an address, a mask
///   ldc:N:E stc:N:E       compressed: the active elements lie side by side
///   ga:E:L:S:I:W sc:...   gather, scatter: L elements of E bytes, indices of I bytes scaled by S:
///                         a base, W words of indices, a mask
///   copy fill             a copying call (to, from, bytes), a filling one (to, bytes)
///   op:P:K:L opm:P:K:L    L operations of kind K in precision P; opm: a mask
///   in:N call:F un:M      no word: instructions, a call of F, an unknown instruction M
/// Throws Error for assembly of another kind.
std::string counting_assembly(const std::string& assembly);

}  // namespace rooftune::instrumentation
