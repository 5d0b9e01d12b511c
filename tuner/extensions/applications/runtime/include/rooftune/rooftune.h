// A kernel's tuned configuration, for an application at its run time. C99; C++ has
// <rooftune/tuned_configurations.h>, Fortran rooftune.f90 and Python the module rooftune above it.
//
//   rooftune_exports* tuned = rooftune_load(NULL);          // files of ROOFTUNE_EXPORTS
//   rooftune_value problem[] = {rooftune_integer("n", n)};
//   rooftune_answer best = rooftune_look_up(tuned, "triad", NULL, problem, 1);
//   int64_t unroll = rooftune_knob_integer(&best, "unroll", 1);   // 1: without an export
//   rooftune_free(tuned);
//
// Whatever is wrong in the files, an application goes on with its own values: no function fails,
// throws, prints or ends the process, and each takes NULL. All but rooftune_free() may be called
// from many threads at once.
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
  ROOFTUNE_OTHER_MACHINE = 2,  ///< tuned on another machine in the same capability class
  ROOFTUNE_DEFAULTS = 3        ///< no export can be used: the application's own values
} rooftune_match;

typedef enum rooftune_kind {
  ROOFTUNE_TRUTH = 0,    ///< in `integer`: 0 or 1
  ROOFTUNE_INTEGER = 1,  ///< in `integer`
  ROOFTUNE_REAL = 2,     ///< in `real`
  ROOFTUNE_TEXT = 3      ///< in `text`
} rooftune_kind;

/// A problem's parameter or a knob: a name and a value.
typedef struct rooftune_value {
  const char* name;
  int kind;  ///< rooftune_kind: which other member is valid
  int64_t integer;
  double real;
  const char* text;
} rooftune_value;

/// The answer. Texts and knobs live as long as the exports behind it.
typedef struct rooftune_answer {
  int match;            ///< rooftune_match
  const char* reason;   ///< why it is no exact match, for a log; "" when it is
  const char* machine;  ///< the id of the machine that tuned it; "" for defaults
  const char* study;    ///< its study; "" for defaults
  const char* verdict;  ///< how good it was there, against the baseline and the bound
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

/// An application's exports.
typedef struct rooftune_exports rooftune_exports;

/// Never NULL. The first call examines the host, in some milliseconds; so does loading exports.
ROOFTUNE_API const rooftune_machine* rooftune_this_machine(void);

/// Reads a file that `tune export --format json` wrote, or every *.json in a folder; NULL: the
/// files and folders in the environment variable ROOFTUNE_EXPORTS, with ':' between them; "":
/// nothing. Returns NULL only when out of memory. Free it with rooftune_free().
ROOFTUNE_API rooftune_exports* rooftune_load(const char* path);
/// Adds to existing exports; look-ups may go on meanwhile. Returns how many faults are new.
ROOFTUNE_API size_t rooftune_add(rooftune_exports* exports, const char* path);
/// Replaces everything that was read before by what is there now: withdrawn files are gone, and an
/// older file that was put back counts. Earlier answers stay valid; threads may ask meanwhile.
/// Returns how many faults are new, the last ones: what they name is not among the exports.
ROOFTUNE_API size_t rooftune_reload(rooftune_exports* exports, const char* path);
/// No thread may use the exports or their answers any more.
ROOFTUNE_API void rooftune_free(rooftune_exports* exports);
/// How many configurations were read; an export for several problems counts once for each.
ROOFTUNE_API size_t rooftune_count(const rooftune_exports* exports);
/// Unreadable parts: how many, and the sentence numbered `index` ("" beyond the last), which lives
/// as long as the exports.
ROOFTUNE_API size_t rooftune_fault_count(const rooftune_exports* exports);
ROOFTUNE_API const char* rooftune_fault(const rooftune_exports* exports, size_t index);

/// The configuration for (kernel, machine, problem): allocates nothing, takes less than a
/// microsecond when the kernel has dozens of exports, and gives every process with the same files
/// on the same kind of machine the same answer. `machine`: NULL, "" or "host" is this host; else
/// another machine's id or name, a GPU for instance. Machine goes before problem: exports from this
/// machine, then from its capability class (vectors as wide, cores and caches within a factor of
/// two); none that needs an instruction set missing here. Among one machine's exports the nearest
/// problem wins: fewest differing texts, then the least sum of |log ratio| over the numbers;
/// parameters outside the question fit with any value. Among equal studies the newest wins.
ROOFTUNE_API rooftune_answer rooftune_look_up(const rooftune_exports* exports, const char* kernel,
                                              const char* machine, const rooftune_value* problem,
                                              size_t parameters);

/// A knob from the answer; `fallback` where it has no such knob, or the knob has another kind. An
/// integer is a real as well.
ROOFTUNE_API int64_t rooftune_knob_integer(const rooftune_answer* answer, const char* knob,
                                           int64_t fallback);
ROOFTUNE_API double rooftune_knob_real(const rooftune_answer* answer, const char* knob,
                                       double fallback);
ROOFTUNE_API int rooftune_knob_truth(const rooftune_answer* answer, const char* knob, int fallback);
ROOFTUNE_API const char* rooftune_knob_text(const rooftune_answer* answer, const char* knob,
                                            const char* fallback);
/// All knobs, sorted by name.
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
