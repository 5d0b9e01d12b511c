// The comparison of outputs with those of the reference, element by element: |got - expected| <=
// absolute + relative * scale.
// Those that a card has compared (GuardedArray::away) are not looked at again.
#pragma once
#include <optional>
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

/// What it takes to compare an output somewhere else, element by element by the same rule.
struct ElementRule {
  fs::path reference;             ///< all its elements
  std::optional<fs::path> scale;  ///< a double for each element
  double unit = -1;               ///< without: the scale of all of them; below 0 each has its own
  uint64_t poison = 0;            ///< an element that nobody has written
};
/// The rule of an output on the input in the arrays; nullopt: its type or its tolerance has
/// another. Throws Error as compare().
std::optional<ElementRule> element_rule(const ArraySet& arrays, const GuardedArray& output);

/// Compares, on a team of so many threads, every write and update array with the file of its name
/// in the folder of the reference's outputs on the input in the arrays. NaN equals NaN only,
/// infinities equal themselves. Throws Error when a file or the tolerance's scale array is missing
/// or has the wrong size.
Comparison compare(const Setup& setup, const ArraySet& arrays, const OpenMpRuntime& openmp,
                   int threads);

}  // namespace rooftune::run
