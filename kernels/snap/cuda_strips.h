// What a block of atoms needs for its stage Y (cuda_groups.h): strips of Y, the products that go to
// each, their coefficients, and which warp has which strips. Host code; the caller builds it once.
#pragma once
#include "tables.h"

namespace snap_kernel {

/// Coefficients of columns and of rows begin at even places: they are loaded in pairs.
struct StripTables {
  List<Strip> strips;  ///< those of a warp one after the other
  List<int> share;     ///< first strip of each warp, and the end
  List<Segment> segments;
  List<double> c;

  /// Strips of at most `columns` numbers M' and, where they have several, `sums` elements of Y;
  /// `beta` as in Tables.
  void build(int order, const double* beta, int columns, int sums, int warps);

 private:
  /// What all segments of a strip have in common.
  struct At {
    int m, m_column, columns;  ///< M, the first M', and how many of these
    int top, least, values;    ///< largest and least j, and how many
  };
  static At strip_at(int order, int m, int m_column, int columns, int sums);
  void add_strip(int order, const BetaPlaces& place, const double* beta, At at);
  void add_segment(const BetaPlaces& place, const double* beta, const At& at, int j1, int j2);
  int column_coefficients(const At& at, int j1, int j2, int low, int high);
  int row_coefficients(const BetaPlaces& place, const double* beta, const At& at, int j1, int j2,
                       int low, int high);
  double cost(const Strip& strip) const;
  void share_out(int warps);

  List<int> known_;  ///< where the coefficients of columns are that strips of other M have made
};

inline int magnitude(int m) { return m < 0 ? -m : m; }

/// C^{j1 j2 j} of m1 and m2 counted from 0, and 0 where there is none.
inline double coefficient(int j1, int m1, int j2, int m2, int j) {
  const bool exists = j >= magnitude(j1 - j2) && j <= j1 + j2 && m2 >= 0 && m2 <= j2;
  return exists ? clebsch_gordan(j1, m1, j2, m2, j) : 0;
}

/// As many columns from `m_column` on as there is room for.
inline StripTables::At StripTables::strip_at(int order, int m, int m_column, int columns,
                                             int sums) {
  // Contractions use one half of the middle row.
  const int top = order - (order + m) % 2, last = m == 0 ? 0 : top;
  At found{};
  int nearest = order;
  for (int t = 0; t < columns && m_column + 2 * t <= last; ++t) {
    nearest = smaller(nearest, magnitude(m_column + 2 * t));
    const int least = larger(-m, nearest), values = (top - least) / 2 + 1;
    if (t > 0 && values * (t + 1) > sums) break;
    found = {m, m_column, t + 1, top, least, values};
  }
  return found;
}

inline void StripTables::build(int order, const double* beta, int columns, int sums, int warps) {
  const BetaPlaces place(order);
  strips.clear();
  segments.clear();
  c.clear();
  known_.clear();
  const int keys = 2 * longest_row * longest_row * longest_row * longest_row * longest_row;
  for (int i = 0; i < keys; ++i) known_.push(-1);
  for (int m = -order; m <= 0; ++m) {
    At at = strip_at(order, m, -(order - (order + m) % 2), columns, sums);
    for (; at.columns > 0; at = strip_at(order, m, at.m_column + 2 * at.columns, columns, sums))
      add_strip(order, place, beta, at);
  }
  share_out(warps);
}

inline void StripTables::add_strip(int order, const BetaPlaces& place, const double* beta, At at) {
  const int first = segments.size();
  for (int j1 = 0; j1 <= order; ++j1)
    for (int j2 = 0; j2 <= j1; ++j2)
      if ((j1 + j2 + at.top) % 2 == 0) add_segment(place, beta, at, j1, j2);
  strips.push({first, segments.size(), at.values, at.columns, at.top, (at.top + at.m) / 2,
               (at.top + at.m_column) / 2});
}

inline void StripTables::add_segment(const BetaPlaces& place, const double* beta, const At& at,
                                     int j1, int j2) {
  const int row = (at.m + j1 + j2) / 2, column = (at.m_column + j1 + j2) / 2;
  if (larger(at.least, j1 - j2) > smaller(at.top, j1 + j2) || at.m + j1 + j2 < 0) return;
  // For j1 = j2 products with rows exchanged are the same: half of them count twice.
  const int low = larger(0, row - j2), high = j1 == j2 ? row / 2 : smaller(j1, row);
  const int left = larger(0, column - j2), right = smaller(j1, column + at.columns - 1);
  if (low > high || left > right) return;
  segments.push({full_offset(j1) + low * (j1 + 1) + left,
                 full_offset(j2) + (row - low) * (j2 + 1) + column - left, j1 + 1, j2 + 1,
                 high - low + 1, right - left + 1,
                 row_coefficients(place, beta, at, j1, j2, low, high),
                 column_coefficients(at, j1, j2, left, right)});
}

inline int StripTables::row_coefficients(const BetaPlaces& place, const double* beta, const At& at,
                                         int j1, int j2, int low, int high) {
  const int start = c.size(), row = (at.m + j1 + j2) / 2;
  for (int m1 = low; m1 <= high; ++m1) {
    for (int j = at.top; j >= at.least; j -= 2) {
      const double value = coefficient(j1, m1, j2, row - m1, j);
      c.push(value == 0 ? 0
                        : value * coupling_factor(place, beta, j1, j2, j) *
                              (j1 == j2 && 2 * m1 != row ? 2 : 1));
    }
    if (c.size() % 2 != 0) c.push(0);
  }
  return start;
}

inline int StripTables::column_coefficients(const At& at, int j1, int j2, int low, int high) {
  const int pair = j1 * longest_row + j2, first = at.m_column + longest_row;
  int& known = known_[((pair * 2 * longest_row + first) * longest_row + at.values) * longest_row +
                      at.columns];
  if (known >= 0) return known;
  known = c.size();
  const int column = (at.m_column + j1 + j2) / 2;
  for (int m1 = low; m1 <= high; ++m1) {
    for (int t = 0; t < at.columns; ++t)
      for (int j = at.top; j >= at.least; j -= 2)
        c.push(coefficient(j1, m1, j2, column + t - m1, j));
    if (c.size() % 2 != 0) c.push(0);
  }
  return known;
}

/// Multiplications and additions of a strip.
inline double StripTables::cost(const Strip& strip) const {
  double sum = 0;
  for (int i = strip.first; i < strip.end; ++i)
    sum += strip.columns * segments[i].rows *
           (segments[i].columns * (4.0 + 2 * strip.values) + 2 * strip.values);
  return sum;
}

/// The longest strip first, each to the warp with least to do.
inline void StripTables::share_out(int warps) {
  const int count = strips.size();
  List<double> costs, loads;
  List<int> owner;
  for (int i = 0; i < count; ++i) {
    costs.push(cost(strips[i]));
    owner.push(-1);
  }
  for (int w = 0; w < warps; ++w) loads.push(0);
  for (int n = 0; n < count; ++n) {
    int longest = -1, least = 0;
    for (int i = 0; i < count; ++i)
      if (owner[i] < 0 && (longest < 0 || costs[i] > costs[longest])) longest = i;
    for (int w = 1; w < warps; ++w)
      if (loads[w] < loads[least]) least = w;
    owner[longest] = least;
    loads[least] += costs[longest];
  }
  Strip* const all = new Strip[static_cast<unsigned>(count)];
  for (int i = 0; i < count; ++i) all[i] = strips[i];
  strips.clear();
  share.clear();
  for (int w = 0; w < warps; ++w) {
    share.push(strips.size());
    for (int i = 0; i < count; ++i)
      if (owner[i] == w) strips.push(all[i]);
  }
  share.push(strips.size());
  delete[] all;
}

}  // namespace snap_kernel
