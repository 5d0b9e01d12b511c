// Compares outputs with the reference's, element by element: |got - expected| <= absolute +
// relative * scale. Outputs that a card has compared (GuardedArray::away) are not looked at again.
#pragma once
#include <optional>
#include <string>

#include "run/array_set.h"

namespace rooftune::run {

/// What scales a tolerance: each element's own value, the largest one, a problem array.
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
  double unit = -1;     ///< without `scale`: one scale for all elements; below 0 each has its own
  uint64_t poison = 0;  ///< an element that nobody has written
};
/// The rule for an output on the input now in the arrays; nullopt: its type or its tolerance has
/// another. Throws Error as compare().
std::optional<ElementRule> element_rule(const ArraySet& arrays, const GuardedArray& output);

/// Compares, on a team with `threads`, every write and update array with the file named after it in
/// the folder where the reference's outputs for the current input lie. NaN equals NaN only,
/// infinities equal themselves. Throws Error when a file or the tolerance's scale array is missing
/// or has the wrong size.
Comparison compare(const Setup& setup, const ArraySet& arrays, const OpenMpRuntime& openmp,
                   int threads);

}  // namespace rooftune::run
