// Loop knobs: unrolled passes, and the user's own OpenMP pragmas with knobs in place of the clauses
// that were chosen there.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "scaffold/function.h"

namespace rooftune::scaffold {

/// OpenMP as a language writes it.
struct OpenMp {
  const char *sentinel, *loop;
  const char* collapse;  ///< how many loops become one, at most {0}
};
inline constexpr OpenMp openmp_of_c{"#pragma omp", "for",
                                    "KNOB_COLLAPSE > {0} ? {0} : KNOB_COLLAPSE"},
    openmp_of_fortran{"!$omp", "do", "KNOB_COLLAPSE"};

struct LoopKnobs {
  bool parallel = false, schedule = false, simd = false, unroll = false;
  int collapse = 1;                       ///< the most loops that may become one
  std::string first_schedule = "static";  ///< as in the user's pragmas, where they name one
  Edits edits;                            ///< in the source
  Texts loops;                            ///< what was done to each: "line 9: unroll"

  /// Puts the knobs into a directive at [begin, end) of the source, where it deals passes to
  /// threads or to vectors. Only the user knows that passes are independent: no loop gets a new
  /// directive. Returns how many of the loops that follow belong to the directive.
  int take(const OpenMp& language, std::string_view directive, size_t begin, size_t end,
           int64_t line);
};

/// A C or C++ function's loop knobs: innermost loops without a pragma may be unrolled.
LoopKnobs loop_knobs(const Syntax& syntax, const FunctionSource& function,
                     const SourceText& source);

}  // namespace rooftune::scaffold
