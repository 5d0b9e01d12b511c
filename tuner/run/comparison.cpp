// |got - expected| <= absolute + relative * scale, element by element.
#include "run/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/fill.h"

namespace rooftune::inline run {
namespace {

/// The scale of each element: its own reference value, the largest one, or an array of the problem.
class Scale {
 public:
  template <class T>
  Scale(const Setup& setup, const Slot& slot, const T* expected)
      : is_element_(setup.tolerance.scale.empty() || setup.tolerance.scale == "element") {
    if (is_element_) return;
    if (setup.tolerance.scale == "max") {
      for (std::int64_t i = 0; i < slot.count; ++i) {
        const double size = std::abs(static_cast<double>(expected[i]));
        if (std::isfinite(size)) largest_ = std::max(largest_, size);
      }
      return;
    }
    file_.emplace(array_file(setup.problem_folder, setup.tolerance.scale));
    if (file_->size() != static_cast<std::size_t>(slot.count) * sizeof(double))
      throw Error(
          fmt::format("array {} scales the tolerance but has not one double per element of {}",
                      setup.tolerance.scale, slot.argument.name));
  }
  double of(std::int64_t position, double expected) const {
    if (is_element_) return std::abs(expected);
    return file_ ? std::abs(static_cast<const double*>(file_->data())[position]) : largest_;
  }

 private:
  bool is_element_;
  double largest_ = 0;
  std::optional<MappedFile> file_;
};

/// How far one pair is apart; NaN when exactly one is NaN.
template <class T>
double distance(T got, T expected) {
  if (got == expected || (got != got && expected != expected)) return 0;
  return static_cast<double>(
      std::abs(static_cast<long double>(got) - static_cast<long double>(expected)));
}

template <class T>
void compare_array(const Setup& setup, const GuardedArray& array, const void* reference,
                   Comparison& result) {
  const Slot& slot = array.slot();
  const T* const got = static_cast<const T*>(array.data());
  const T* const expected = static_cast<const T*>(reference);
  const Scale scale(setup, slot, expected);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < slot.count; ++i) {
    const double error = distance(got[i], expected[i]);
    if (error == 0) continue;
    const double unit = scale.of(i, static_cast<double>(expected[i]));
    const double allowed = setup.tolerance.absolute + setup.tolerance.relative * unit;
    if (unit > 0) result.max_error = std::max(result.max_error, error / unit);
    // An infinite element would allow any error of its own size.
    if (std::isfinite(error) && error <= allowed) continue;
    if (wrong++ == 0)
      result.fault = fmt::format(
          "array {}: element {} of {}: got {}, expected {} (error {:.3g}, allowed {:.3g})",
          slot.argument.name, i, slot.count, got[i], expected[i], error, allowed);
  }
  if (wrong > 1) result.fault += fmt::format("; {} elements are wrong", wrong);
}

}  // namespace

Comparison compare(const Setup& setup, const ArraySet& arrays) {
  Comparison result;
  for (const GuardedArray& array : arrays.arrays()) {
    const Argument& argument = array.slot().argument;
    if (argument.access == Argument::Access::read) continue;
    const MappedFile reference(array_file(reference_folder(setup, arrays.input()), argument.name));
    if (reference.size() != array.bytes())
      throw Error("the reference's output " + argument.name + " has another size");
    switch (argument.type) {
      case Argument::Type::int32:
        compare_array<std::int32_t>(setup, array, reference.data(), result);
        break;
      case Argument::Type::int64:
        compare_array<std::int64_t>(setup, array, reference.data(), result);
        break;
      case Argument::Type::float32:
        compare_array<float>(setup, array, reference.data(), result);
        break;
      case Argument::Type::float64:
        compare_array<double>(setup, array, reference.data(), result);
        break;
    }
    if (!result.fault.empty()) break;
  }
  return result;
}

}  // namespace rooftune::inline run
