#include "run/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <type_traits>
#include <vector>

#include "core/wide.h"
#include "run/array_set.h"
#include "run/element.h"
#include "run/fill.h"

namespace rooftune::run {
namespace {

template <class T>
bool is_nan(T value) {
  return exact(value) != exact(value);
}

/// One unit in the last place for a number this large.
template <class T>
double unit_in_last_place(T expected) {
  if constexpr (requires { expected.imag(); }) {
    return unit_in_last_place(static_cast<typename T::value_type>(size_of(expected)));
  } else if constexpr (requires { T::least_exponent; }) {
    const double size = size_of(expected);
    const int exponent =
        size > 0 ? std::max(std::ilogb(size), T::least_exponent) : T::least_exponent;
    return std::ldexp(1, exponent - T::digits + 1);
  } else if constexpr (std::is_floating_point_v<T>) {
    const T size = std::abs(expected);
    return double(std::nextafter(size, std::numeric_limits<T>::infinity()) - size);
  } else {
    return 0;
  }
}

template <class T>
double allowed_error(const Tolerance& tolerance, double scale, T expected) {
  const double allowed = tolerance.absolute + tolerance.relative * scale;
  return tolerance.ulp > 0 ? allowed + tolerance.ulp * unit_in_last_place(expected) : allowed;
}

/// The largest among all finite elements.
template <class T>
double largest_size(const T* elements, int64_t count, const OpenMpRuntime& openmp, int threads) {
  double all = 0;
  std::mutex mutex;
  openmp.parallel_for(threads, count, [&](int64_t begin, int64_t end) {
    double largest = 0;
    for (int64_t i = begin; i < end; ++i) {
      const double size = size_of(elements[i]);
      if (size <= std::numeric_limits<double>::max()) largest = std::max(largest, size);
    }
    const std::lock_guard lock(mutex);
    all = std::max(all, largest);
  });
  return all;
}

/// A file with one double for each of `count` output elements.
MappedFile scale_file(const Setup& setup, const Argument& argument, int64_t count) {
  MappedFile file(array_file(setup.problem_folder, argument.tolerance.scale));
  if (file.size() != count * sizeof(double))
    throw Error(
        fmt::format("array {} scales the tolerance but has not one double per element of {}",
                    argument.tolerance.scale, argument.name));
  return file;
}

/// The reference's outputs on the input now in the arrays.
fs::path reference_file(const Setup& setup, const ArraySet& arrays, const GuardedArray& output) {
  return array_file(reference_folder(setup, arrays.input()), output.slot().argument.name);
}

MappedFile reference_of(const fs::path& path, const GuardedArray& output) {
  MappedFile reference(path);
  if (reference.size() != output.bytes())
    throw Error("the reference's output " + output.slot().argument.name + " has another size");
  return reference;
}

/// The scale of each element: its own reference value, the largest one, or an element of a problem
/// array.
class Scale {
 public:
  template <class T>
  Scale(const Setup& setup, const Slot& slot, const T* expected, const OpenMpRuntime& openmp,
        int threads)
      : is_element_(scaling(slot.argument.tolerance) == Scaling::by_element) {
    if (is_element_) return;
    if (scaling(slot.argument.tolerance) == Scaling::by_largest)
      largest_ = largest_size(expected, slot.count, openmp, threads);
    else
      file_.emplace(scale_file(setup, slot.argument, slot.count));
  }
  /// One scale for all elements; below 0: each element's own value; nullopt: an array.
  std::optional<double> unit() const {
    if (file_) return std::nullopt;
    return is_element_ ? -1 : largest_;
  }
  double of(int64_t position, double size) const {
    if (is_element_) return size;
    return file_ ? std::abs(static_cast<const double*>(file_->data())[position]) : largest_;
  }

 private:
  bool is_element_;
  double largest_ = 0;
  std::optional<MappedFile> file_;
};

/// How far two elements are apart; NaN when one is NaN, unless NaN is right, or both wrote nothing.
template <class T>
double distance(const Argument& argument, const T& got, const T& expected) {
  if (exact(got) == exact(expected)) return 0;
  if (is_nan(got) && is_nan(expected) &&
      (argument.tolerance.nan ||
       (is_all_poison(argument.type, &got, 1) && is_all_poison(argument.type, &expected, 1))))
    return 0;
  return double(std::abs(exact(got) - exact(expected)));
}

/// Elements compared at a time.
constexpr int64_t block = 4096;

/// Errors in a part of an array.
struct Part {
  double max_error = 0;
  int64_t wrong = 0, first = -1;
  void add(const Part& next) {
    max_error = std::max(max_error, next.max_error);
    if (first < 0) first = next.first;
    wrong += next.wrong;
  }
};

/// Whether a whole block is finite and near enough; if so, sets the largest error. `unit` below 0:
/// each element's own. The slow way handles the rest, NaN and infinities included.
ROOFTUNE_WIDE
bool near(const double* got, const double* expected, int64_t count, double unit,
          const Tolerance& tolerance, double& max_error) {
  const double absolute = tolerance.absolute, relative = tolerance.relative;
  double largest = 0;
  int far = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double error = std::abs(got[i] - expected[i]);
    const double own = unit < 0 ? std::abs(expected[i]) : unit;
    far |=
        error <= absolute + relative * own && error <= std::numeric_limits<double>::max() ? 0 : 1;
    const double ratio = own > 0 ? error / own : 0;
    largest = ratio > largest ? ratio : largest;
  }
  if (far == 0) max_error = largest;
  return far == 0;
}

template <class T>
Part compared_slowly(const T* got, const T* expected, int64_t begin, int64_t end,
                     const Argument& argument, const Scale& scale) {
  Part part;
  for (int64_t i = begin; i < end; ++i) {
    const double error = distance(argument, got[i], expected[i]);
    if (error == 0) continue;
    const double unit = scale.of(i, size_of(expected[i]));
    if (unit > 0) part.max_error = std::max(part.max_error, error / unit);
    // An infinite element would allow any error as large as itself.
    if (std::isfinite(error) && error <= allowed_error(argument.tolerance, unit, expected[i]))
      continue;
    if (part.wrong++ == 0) part.first = i;
  }
  return part;
}

template <class T>
Part compared(const T* got, const T* expected, int64_t begin, int64_t end, const Argument& argument,
              const Scale& scale) {
  const Tolerance& tolerance = argument.tolerance;
  Part part;
  for (int64_t i = begin; i < end; i += block) {
    const int64_t count = std::min(block, end - i);
    Part next;
    if constexpr (std::is_same_v<T, double>)
      if (const auto unit = scale.unit();
          unit && tolerance.ulp == 0 &&
          near(got + i, expected + i, count, *unit, tolerance, next.max_error)) {
        part.add(next);
        continue;
      }
    part.add(compared_slowly(got, expected, i, i + count, argument, scale));
  }
  return part;
}

template <class T>
void compare_array(const Setup& setup, const OpenMpRuntime& openmp, int threads,
                   const GuardedArray& array, const void* reference, Comparison& result) {
  Slot slot = array.slot();
  const Argument& argument = slot.argument;
  // Structures are compared byte by byte.
  const int64_t each =
      argument.type.element() == Element::bytes ? int64_t(argument.type.size()) : 1;
  slot.count *= each;
  const T* const got = static_cast<const T*>(array.data());
  const T* const expected = static_cast<const T*>(reference);
  const Scale scale(setup, slot, expected, openmp, threads);
  // Keyed by first element, since parts finish in any order.
  std::map<int64_t, Part> parts;
  std::mutex mutex;
  openmp.parallel_for(threads, slot.count, [&](int64_t begin, int64_t end) {
    const Part part = compared(got, expected, begin, end, argument, scale);
    const std::lock_guard lock(mutex);
    parts[begin].add(part);
  });
  Part all;
  for (const auto& [begin, part] : parts) all.add(part);
  result.max_error = std::max(result.max_error, all.max_error);
  if (all.wrong == 0) return;
  const int64_t i = all.first;
  const double error = distance(argument, got[i], expected[i]);
  const double allowed =
      allowed_error(argument.tolerance, scale.of(i, size_of(expected[i])), expected[i]);
  result.fault =
      fmt::format("array {}: element {} of {}: got {}, expected {} (error {:.3g}, allowed {:.3g})",
                  argument.name, i / each, slot.count / each, shown(argument.type, got[i]),
                  shown(argument.type, expected[i]), error, allowed);
  if (is_nan(got[i]) && is_nan(expected[i]))
    result.fault += R"(; where NaN is a right value, state "check": {"nan": true})";
  if (all.wrong > 1)
    result.fault += fmt::format("; {} {} are wrong", all.wrong, each > 1 ? "bytes" : "elements");
}

/// The first array in a pair is what the first step has read, so the second step writes it.
bool is_of_second_step(const Setup& setup, const Slot& slot) {
  return any_of(setup.swap, [&](const auto& pair) {
    return setup.slots[pair.first].argument.name == slot.argument.name;
  });
}

}  // namespace

Scaling scaling(const Tolerance& tolerance) {
  static constexpr const char* words[] = {"element", "max"};
  if (tolerance.scale.empty()) return Scaling::by_element;
  return Scaling(index_of(words, tolerance.scale).value_or(std::size(words)));
}

std::optional<ElementRule> element_rule(const ArraySet& arrays, const GuardedArray& output) {
  const Slot& slot = output.slot();
  const Argument& argument = slot.argument;
  const Setup& setup = arrays.setup();
  if (argument.tolerance.ulp > 0) return {};
  ElementRule rule;
  rule.reference = reference_file(setup, arrays, output);
  return with_type(argument.type, [&]<class T>(T*) -> std::optional<ElementRule> {
    if constexpr (!std::is_floating_point_v<T>) return {};
    poison_range(argument.type, &rule.poison, 0, 1);
    const MappedFile reference = reference_of(rule.reference, output);
    if (scaling(argument.tolerance) == Scaling::by_largest)
      rule.unit =
          largest_size(static_cast<const T*>(reference.data()), slot.count, arrays.openmp(), 1);
    if (scaling(argument.tolerance) == Scaling::by_array) {
      scale_file(setup, argument, slot.count);
      rule.scale = array_file(setup.problem_folder, argument.tolerance.scale);
    }
    return rule;
  });
}

Comparison compare(const Setup& setup, const ArraySet& arrays, const OpenMpRuntime& openmp,
                   int threads) {
  Comparison result;
  // First what the first step wrote: the second step goes on from it.
  std::vector<const GuardedArray*> outputs;
  for (const bool second : {false, true})
    for (const GuardedArray& array : arrays.arrays())
      if (!array.is(Argument::Access::read) && is_of_second_step(setup, array.slot()) == second)
        outputs.push_back(&array);
  for (const GuardedArray* output : outputs) {
    const GuardedArray& array = *output;
    if (array.away()) {
      result.max_error = std::max(result.max_error, array.away()->max_error);
      continue;
    }
    const MappedFile reference = reference_of(reference_file(setup, arrays, array), array);
    with_type(array.slot().argument.type, [&]<class T>(T*) {
      compare_array<T>(setup, openmp, threads, array, reference.data(), result);
    });
    if (result.fault.empty()) continue;
    if (is_of_second_step(setup, array.slot()))
      result.fault += ", in the second step, whose arrays are exchanged";
    break;
  }
  return result;
}

}  // namespace rooftune::run
