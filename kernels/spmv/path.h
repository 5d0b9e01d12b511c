// Equal steps along the merge of units and their steps, for chunks and block rows: a share may end
// within a unit, and what it has of that unit is added once all shares are done (after Merrill and
// Garland, SC 2016). The caller keeps the layout as it was when the shares were cut.
#pragma once
#include <cstdint>

#include "array.h"
#include "share.h"

namespace spmv_kernel {

/// `Height` sums per unit.
template <int Height>
struct UnitPath {
  static constexpr std::int64_t line = (Height + 7) / 8 * 8;
  Array<std::int64_t> unit, step;  ///< [count + 1] where each share starts
  Array<double> carry;             ///< [count * line]
  int count = 0;

  /// `position(u)` is the first step of unit u, position(units) the number of all steps.
  template <class Position>
  void cut(int shares, std::int64_t units, const Position& position) {
    unit.make(shares + 1);
    step.make(shares + 1);
    carry.make(shares * line);
    count = shares;
    for (int t = 0; t <= shares; ++t) {
      const std::int64_t diagonal = (units + position(units)) * t / shares;
      unit[t] =
          first_unit(units, diagonal + 1, [&](std::int64_t u) { return position(u + 1) + u + 1; });
      step[t] = diagonal - unit[t];
    }
  }

  /// Share t: whole(u, from) for units that end in it, part(u, from, to, sums) for the one that
  /// goes on; from and to are steps.
  template <class Position, class Whole, class Part>
  void multiply(int t, std::int64_t units, const Position& position, const Whole& whole,
                const Part& part) const {
    std::int64_t from = step[t];
    for (std::int64_t u = unit[t]; u < unit[t + 1]; ++u) {
      whole(u, from);
      from = position(u + 1);
    }
    double* const sums = carry.at + t * line;
    for (int r = 0; r < Height; ++r) sums[r] = 0;
    if (unit[t + 1] < units && from < step[t + 1]) part(unit[t + 1], from, step[t + 1], sums);
  }

  /// After all shares: add(u, sums).
  template <class Position, class Add>
  void fix_up(std::int64_t units, const Position& position, const Add& add) const {
    for (int t = 0; t < count; ++t)
      if (unit[t + 1] < units && step[t + 1] > position(unit[t + 1]))
        add(unit[t + 1], carry.at + t * line);
  }
};

}  // namespace spmv_kernel
