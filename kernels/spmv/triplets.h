// A sparse matrix as it is read: (row, column, value) in any order, duplicates allowed; and the
// rows (CSR) that it becomes. The caller keeps every index in range and the count below 2^31.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace spmv_kernel {

struct Triplets {
  std::int64_t rows = 0, cols = 0;
  std::vector<std::int32_t> row, column;  ///< from 0
  std::vector<double> value;

  void reserve(std::size_t count) {
    row.reserve(count);
    column.reserve(count);
    value.reserve(count);
  }
  void add(std::int64_t i, std::int64_t j, double v) {
    row.push_back(static_cast<std::int32_t>(i));
    column.push_back(static_cast<std::int32_t>(j));
    value.push_back(v);
  }
};

/// Rows one after the other, columns ascending and distinct in each.
struct Rows {
  std::int64_t rows = 0, cols = 0;
  std::vector<std::int32_t> pointer;  ///< [rows + 1]
  std::vector<std::int32_t> column;   ///< [pointer[rows]]
  std::vector<double> value;          ///< [pointer[rows]]
};

/// Sorts entries [low, high) by column; equal columns keep the order in which they were read.
inline void sort_row(Rows& a, std::size_t low, std::size_t high,
                     std::vector<std::pair<std::int32_t, double>>& buffer) {
  if (std::is_sorted(a.column.begin() + static_cast<std::ptrdiff_t>(low),
                     a.column.begin() + static_cast<std::ptrdiff_t>(high)))
    return;
  buffer.clear();
  for (std::size_t k = low; k < high; ++k) buffer.emplace_back(a.column[k], a.value[k]);
  std::stable_sort(buffer.begin(), buffer.end(),
                   [](const auto& p, const auto& q) { return p.first < q.first; });
  for (std::size_t k = low; k < high; ++k) {
    a.column[k] = buffer[k - low].first;
    a.value[k] = buffer[k - low].second;
  }
}

/// Adds up entries of the same column; rows move together and the arrays shrink.
inline void sum_duplicates(Rows& a) {
  std::size_t next = 0, low = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
    const auto high = static_cast<std::size_t>(a.pointer[i + 1]);
    const std::size_t first = next;
    for (std::size_t k = low; k < high; ++k) {
      if (next > first && a.column[next - 1] == a.column[k]) {
        a.value[next - 1] += a.value[k];
        continue;
      }
      a.column[next] = a.column[k];
      a.value[next++] = a.value[k];
    }
    low = high;
    a.pointer[i + 1] = static_cast<std::int32_t>(next);
  }
  a.column.resize(next);
  a.value.resize(next);
}

/// Counting sort by row, then each row by column.
inline Rows assemble(const Triplets& t) {
  Rows a;
  a.rows = t.rows;
  a.cols = t.cols;
  const std::size_t count = t.row.size();
  a.pointer.assign(static_cast<std::size_t>(t.rows) + 1, 0);
  for (const std::int32_t i : t.row) ++a.pointer[static_cast<std::size_t>(i) + 1];
  for (std::size_t i = 0; i < static_cast<std::size_t>(t.rows); ++i)
    a.pointer[i + 1] += a.pointer[i];
  a.column.resize(count);
  a.value.resize(count);
  std::vector<std::int32_t> next(a.pointer.begin(), a.pointer.end() - 1);
  for (std::size_t k = 0; k < count; ++k) {
    const auto slot = static_cast<std::size_t>(next[static_cast<std::size_t>(t.row[k])]++);
    a.column[slot] = t.column[k];
    a.value[slot] = t.value[k];
  }
  std::vector<std::pair<std::int32_t, double>> buffer;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i)
    sort_row(a, static_cast<std::size_t>(a.pointer[i]), static_cast<std::size_t>(a.pointer[i + 1]),
             buffer);
  sum_duplicates(a);
  return a;
}

}  // namespace spmv_kernel
