// New values on the same pattern in a layout that stands. Which entry each of its values came from
// is found once, by building it from the numbers of the entries.
// The caller keeps the pattern as it was when the layout was built.
#pragma once
#include <cstdint>
#include <type_traits>

#include "array.h"
#include "csr.h"
#include "knobs.h"

namespace spmv_kernel {

template <class Layout>
class Refill {
 public:
  /// Another pattern follows.
  void forget() { source_.release(); }

  /// False: the numbers do not fit the layout's values.
  bool find(const Csr& a, int threads) {
    if (source_.at != nullptr) return true;
    if (KNOB_VALUE_BITS == 32 && a.entries() >= (1 << 24)) return false;
    Array<double> number;
    number.make(a.entries());
    for (std::int64_t k = 0; k < a.entries(); ++k) number[k] = static_cast<double>(k + 1);
    Layout numbered;
    numbered.build({a.rows, a.cols, a.pointer, a.column, number.at}, threads);
    std::int64_t slot = 0;
    numbered.each_value_array([&](const auto& values) { slot += values.count; });
    source_.make(slot);
    slot = 0;
    numbered.each_value_array([&](const auto& values) {
      for (std::int64_t i = 0; i < values.count; ++i)
        source_[slot++] = static_cast<std::int32_t>(values[i]);
    });
    return true;
  }

  /// After find().
  void fill(Layout& layout, const double* value) const {
    const std::int32_t* source = source_.at;
    layout.each_value_array([&](const auto& values) {
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < values.count; ++i)
        values[i] =
            source[i] > 0
                ? static_cast<std::remove_reference_t<decltype(values[i])>>(value[source[i] - 1])
                : 0;
      source += values.count;
    });
  }

 private:
  Array<std::int32_t> source_;  ///< [value of the layout] entry + 1; 0: fill
};

}  // namespace spmv_kernel
