// The comparison of outputs with those of the reference, element by element: |got - expected| <=
// absolute + relative * scale.
#pragma once
#include <string>

#include "run/array_set.h"

namespace rooftune::run {

/// The scale of a tolerance: each element's own value, the largest one, an array of the problem.
enum class Scaling { by_element, by_largest, by_array };
Scaling scaling(const Tolerance& tolerance);

struct Comparison {
  double max_error = 0;  ///< largest |got - expected| / scale over elements with scale > 0
  std::string fault;  ///< the first element beyond the tolerance and how many there are; or empty
};

/// Compares, on a team of so many threads, every write and update array with the file of its name
/// in the folder of the reference's outputs on the input in the arrays. NaN equals NaN only,
/// infinities equal themselves. Throws Error when a file or the tolerance's scale array is missing
/// or has the wrong size.
Comparison compare(const Setup& setup, const ArraySet& arrays, const OpenMpRuntime& openmp,
                   int threads);

}  // namespace rooftune::run
