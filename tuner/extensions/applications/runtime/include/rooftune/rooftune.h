// The tuned configuration of a kernel, for an application at its run time. C99; C++ has
// <rooftune/tuned_configurations.h>, Fortran rooftune.f90 and Python the module rooftune above it.
//
//   rooftune_exports* tuned = rooftune_load(NULL);          // files of ROOFTUNE_EXPORTS
//   rooftune_value problem[] = {rooftune_integer("n", n)};
//   rooftune_answer best = rooftune_look_up(tuned, "triad", NULL, problem, 1);
//   int64_t unroll = rooftune_knob_integer(&best, "unroll", 1);   // 1: without an export
//   rooftune_free(tuned);
//
// Despite any fault in the files an application goes on with its own values: no function fails,
// throws, prints or ends the process, and each takes NULL. All may be called from many threads at
// once, but for rooftune_free().
#pragma once
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define ROOFTUNE_API __attribute__((visibility("default")))
#else
#define ROOFTUNE_API
#endif

// NOLINTBEGIN(readability-identifier-naming): as C names its own
#ifdef __cplusplus
extern "C" {
#endif

/// How well an answer fits the question, the best first.
typedef enum rooftune_match {
  ROOFTUNE_EXACT = 0,          ///< tuned here for this problem
  ROOFTUNE_OTHER_PROBLEM = 1,  ///< tuned here for another problem, the nearest
  ROOFTUNE_OTHER_MACHINE = 2,  ///< tuned on another machine of the same capability class
  ROOFTUNE_DEFAULTS = 3        ///< no export can be used: the application's own values
} rooftune_match;

typedef enum rooftune_kind {
  ROOFTUNE_TRUTH = 0,    ///< in `integer`: 0 or 1
  ROOFTUNE_INTEGER = 1,  ///< in `integer`
  ROOFTUNE_REAL = 2,     ///< in `real`
  ROOFTUNE_TEXT = 3      ///< in `text`
} rooftune_kind;

/// A parameter of a problem or a knob: a name and a value.
typedef struct rooftune_value {
  const char* name;
  int kind;  ///< rooftune_kind: the valid one of the other members
  int64_t integer;
  double real;
  const char* text;
} rooftune_value;

/// The answer. Texts and knobs live as long as the exports behind it.
typedef struct rooftune_answer {
  int match;            ///< rooftune_match
  const char* reason;   ///< why it is no exact match, for a log; "" when it is
  const char* machine;  ///< id of the machine where it was tuned; "" for defaults
  const char* study;    ///< its study; "" for defaults
  const char* verdict;  ///< how good it was there: faster than the baseline, from the bound
  const void* knobs;    ///< for rooftune_knob_...(); NULL for defaults
} rooftune_answer;

/// A host as the look-up sees it. `tune probe` gives the same id and facts to the same host.
typedef struct rooftune_machine {
  const char* id;        ///< "" where it cannot be found out
  const char* model;     ///< the processor's
  const char* features;  ///< instruction sets: "sse4_2 avx fma avx2"
  const char* caches;    ///< "L1 48 KiB x 2, L2 1024 KiB x 2"
  int cores;             ///< usable by this process
  int threads;           ///< hardware threads usable by this process
  int simd_bits;
} rooftune_machine;

/// Exports of an application.
typedef struct rooftune_exports rooftune_exports;

/// Never NULL. Found out once, in some milliseconds; loading exports does so too.
ROOFTUNE_API const rooftune_machine* rooftune_this_machine(void);

/// Reads a file of `tune export --format json`, or every *.json of a folder; NULL: the files and
/// folders in the environment variable ROOFTUNE_EXPORTS, with ':' between them; "": nothing.
/// Returns NULL only when out of memory. Free it with rooftune_free().
ROOFTUNE_API rooftune_exports* rooftune_load(const char* path);
/// The same for existing exports; look-ups may go on meanwhile. Number of new faults.
ROOFTUNE_API size_t rooftune_add(rooftune_exports* exports, const char* path);
/// What is there now takes the place of all that was read before: withdrawn files are gone, and an
/// older one put back is taken. Answers given before stay valid; threads may ask meanwhile. Number
/// of new faults, the last ones: what they name is not among the exports.
ROOFTUNE_API size_t rooftune_reload(rooftune_exports* exports, const char* path);
/// No thread may use the exports or an answer of theirs any more.
ROOFTUNE_API void rooftune_free(rooftune_exports* exports);
/// Configurations read; an export for several problems counts once for each.
ROOFTUNE_API size_t rooftune_count(const rooftune_exports* exports);
/// Unreadable parts: number, and the sentence numbered `index` ("" beyond the last); it lives as
/// long as the exports.
ROOFTUNE_API size_t rooftune_fault_count(const rooftune_exports* exports);
ROOFTUNE_API const char* rooftune_fault(const rooftune_exports* exports, size_t index);

/// The configuration for (kernel, machine, problem): allocates nothing, takes less than a
/// microsecond with dozens of exports of the kernel, and gives every process with the same files on
/// the same kind of machine the same answer. `machine`: NULL, "" or "host" is this one; else the id
/// or the name of another one, a GPU for instance. Machine goes before problem: exports of this
/// machine, then those of its capability class (vectors as wide, cores and caches within a factor
/// of two); none with an instruction set missing here. Among exports of one machine the nearest
/// problem wins: fewest differing texts, then the least sum of |log ratio| of the numbers;
/// parameters outside the question fit with any value. The newest of equal studies wins.
ROOFTUNE_API rooftune_answer rooftune_look_up(const rooftune_exports* exports, const char* kernel,
                                              const char* machine, const rooftune_value* problem,
                                              size_t parameters);

/// A knob of the answer; `fallback` where it has no such knob, or one of another kind. An integer
/// is a real as well.
ROOFTUNE_API int64_t rooftune_knob_integer(const rooftune_answer* answer, const char* knob,
                                           int64_t fallback);
ROOFTUNE_API double rooftune_knob_real(const rooftune_answer* answer, const char* knob,
                                       double fallback);
ROOFTUNE_API int rooftune_knob_truth(const rooftune_answer* answer, const char* knob, int fallback);
ROOFTUNE_API const char* rooftune_knob_text(const rooftune_answer* answer, const char* knob,
                                            const char* fallback);
/// All knobs, in the order of their names.
ROOFTUNE_API size_t rooftune_knob_count(const rooftune_answer* answer);
ROOFTUNE_API rooftune_value rooftune_knob(const rooftune_answer* answer, size_t index);

/// "exact", "other problem", "other machine", "defaults".
ROOFTUNE_API const char* rooftune_match_text(int match);

static inline rooftune_value rooftune_truth(const char* name, int value) {
  const rooftune_value result = {name, ROOFTUNE_TRUTH, value != 0, 0, ""};
  return result;
}
static inline rooftune_value rooftune_integer(const char* name, int64_t value) {
  const rooftune_value result = {name, ROOFTUNE_INTEGER, value, 0, ""};
  return result;
}
static inline rooftune_value rooftune_real(const char* name, double value) {
  const rooftune_value result = {name, ROOFTUNE_REAL, 0, value, ""};
  return result;
}
static inline rooftune_value rooftune_text(const char* name, const char* value) {
  const rooftune_value result = {name, ROOFTUNE_TEXT, 0, 0, value};
  return result;
}

#ifdef __cplusplus
}
#endif
// NOLINTEND(readability-identifier-naming)
