// Symmetric permutations of a square matrix, P A P^T: reverse Cuthill-McKee against scattered x, or
// rows of many entries first, so that the x they share stay together. The caller gives a square
// matrix; the columns of the new rows come out ascending.
#pragma once
#include <cstdint>

#include "array.h"
#include "csr.h"
#include "order.h"

namespace spmv_kernel {

/// Lists of neighbours: those of u are at[pointer[u]] to at[pointer[u + 1]].
struct Graph {
  Array<std::int64_t> pointer;
  Array<std::int32_t> at;

  /// `pairs` calls its argument with the same (u, v) in the same order each time; v joins the list
  /// of u.
  template <class Pairs>
  void build(std::int64_t n, const Pairs& pairs) {
    pointer.make(n + 2);
    pairs([&](std::int64_t u, std::int64_t) { ++pointer[u + 2]; });
    for (std::int64_t u = 0; u <= n; ++u) pointer[u + 1] += pointer[u];
    at.make(pointer[n + 1]);
    pairs([&](std::int64_t u, std::int64_t v) {
      at[pointer[u + 1]++] = static_cast<std::int32_t>(v);
    });
  }
};

/// Breadth-first orders of a graph whose vertices are numbered by rising degree.
class CuthillMcKee {
 public:
  explicit CuthillMcKee(const Graph& graph, std::int64_t n) : graph_(graph), n_(n) {
    mark_.make(n);
    sequence.make(n);
    std::int64_t next = 0;
    for (std::int64_t s = 0; s < n; ++s) {
      if (mark_[s] != 0) continue;
      search(peripheral(s, next), next);
      next += found_;
    }
  }

  Array<std::int32_t> sequence;  ///< [n]

 private:
  /// Visits what `root` reaches; the vertices go to sequence from `first` on.
  void search(std::int64_t root, std::int64_t first) {
    ++stamp_;
    levels_ = 0;
    found_ = 1;
    sequence[first] = static_cast<std::int32_t>(root);
    mark_[root] = stamp_;
    for (std::int64_t low = 0; low < found_; ++levels_) {
      const std::int64_t high = found_;
      last_level_ = low;
      for (; low < high; ++low) {
        const std::int64_t u = sequence[first + low];
        for (std::int64_t e = graph_.pointer[u]; e < graph_.pointer[u + 1]; ++e) {
          const std::int32_t v = graph_.at[e];
          if (mark_[v] == stamp_) continue;
          mark_[v] = stamp_;
          sequence[first + found_++] = v;
        }
      }
    }
  }

  /// A vertex far from others (George and Liu, ACM TOMS 1979): go to the farthest level while that
  /// makes the search deeper.
  std::int64_t peripheral(std::int64_t root, std::int64_t first) {
    std::int64_t depth = 0;
    for (int round = 0; round < 4; ++round) {
      search(root, first);
      if (levels_ <= depth) break;
      depth = levels_;
      std::int64_t least = n_;
      for (std::int64_t k = last_level_; k < found_; ++k)
        if (sequence[first + k] < least) least = sequence[first + k];
      root = least;
    }
    return root;
  }

  const Graph& graph_;
  std::int64_t n_;
  Array<std::int32_t> mark_;
  std::int32_t stamp_ = 0;
  std::int64_t levels_ = 0, found_ = 0, last_level_ = 0;
};

class Reordering {
 public:
  /// The matrix in the new order, valid until release_matrix().
  Csr apply(const Csr& a) {
    count_ = a.rows;
    order_.make(count_);
    place_.make(count_);
    Array<std::int32_t> length;
    length.make(count_);
    for (std::int64_t i = 0; i < count_; ++i) {
      length[i] = a.pointer[i + 1] - a.pointer[i];
      order_[i] = static_cast<std::int32_t>(i);
    }
    sort_windows(order_.at, count_, 0, length.at);
    number();
    if (KNOB_REORDER == KNOB_REORDER_RCM) cuthill_mckee(a);
    return permuted(a);
  }

  /// x in the new order.
  const double* permuted_x(const double* x) {
    x_.make(count_);
    for (std::int64_t i = 0; i < count_; ++i) x_[i] = x[order_[i]];
    return x_.at;
  }

  /// y back in the caller's order.
  void restore(double* y) const {
    Array<double> copy;
    copy.make(count_);
    for (std::int64_t i = 0; i < count_; ++i) copy[i] = y[i];
    for (std::int64_t i = 0; i < count_; ++i) y[order_[i]] = copy[i];
  }

  void release_matrix() {
    pointer_.release();
    column_.release();
    value_.release();
  }

 private:
  void number() {
    for (std::int64_t i = 0; i < count_; ++i) place_[order_[i]] = static_cast<std::int32_t>(i);
  }

  /// Replaces the order by length with the reversed breadth-first one.
  void cuthill_mckee(const Csr& a) {
    const auto rank = [&](std::int64_t row) { return count_ - 1 - place_[row]; };
    Graph loose, graph;
    loose.build(count_, [&](const auto& pair) {
      for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int32_t k = a.pointer[i]; k < a.pointer[i + 1]; ++k) {
          if (a.column[k] == i) continue;
          pair(rank(i), rank(a.column[k]));
          pair(rank(a.column[k]), rank(i));
        }
    });
    // Lists made in the order of their members come out sorted, without sorting any.
    graph.build(count_, [&](const auto& pair) {
      for (std::int64_t u = 0; u < count_; ++u)
        for (std::int64_t e = loose.pointer[u]; e < loose.pointer[u + 1]; ++e) pair(loose.at[e], u);
    });
    CuthillMcKee search(graph, count_);
    Array<std::int32_t> by_length;
    by_length.swap(order_);
    order_.make(count_);
    for (std::int64_t t = 0; t < count_; ++t)
      order_[count_ - 1 - t] = by_length[count_ - 1 - search.sequence[t]];
    number();
  }

  /// P A P^T by two transpositions, which leave the columns sorted.
  Csr permuted(const Csr& a) {
    const std::int64_t entries = a.pointer[a.rows];
    Array<std::int64_t> start;
    Array<std::int32_t> row;
    Array<double> value;
    start.make(count_ + 2);
    row.make(entries);
    value.make(entries);
    for (std::int64_t k = 0; k < entries; ++k) ++start[place_[a.column[k]] + 2];
    for (std::int64_t j = 0; j <= count_; ++j) start[j + 1] += start[j];
    pointer_.make(count_ + 1);
    for (std::int64_t i = 0; i < count_; ++i) {
      const std::int64_t old = order_[i];
      pointer_[i + 1] = pointer_[i] + (a.pointer[old + 1] - a.pointer[old]);
      for (std::int32_t k = a.pointer[old]; k < a.pointer[old + 1]; ++k) {
        const std::int64_t slot = start[place_[a.column[k]] + 1]++;
        row[slot] = static_cast<std::int32_t>(i);
        value[slot] = a.value[k];
      }
    }
    transpose_back(start, row, value);
    return {count_, count_, pointer_.at, column_.at, value_.at};
  }

  void transpose_back(const Array<std::int64_t>& start, const Array<std::int32_t>& row,
                      const Array<double>& value) {
    column_.make(pointer_[count_]);
    value_.make(pointer_[count_]);
    Array<std::int32_t> next;
    next.make(count_);
    for (std::int64_t i = 0; i < count_; ++i) next[i] = pointer_[i];
    for (std::int64_t j = 0; j < count_; ++j)
      for (std::int64_t k = start[j]; k < start[j + 1]; ++k) {
        const std::int32_t slot = next[row[k]]++;
        column_[slot] = static_cast<std::int32_t>(j);
        value_[slot] = value[k];
      }
  }

  std::int64_t count_ = 0;
  Array<std::int32_t> order_;  ///< [n] old row of each new row
  Array<std::int32_t> place_;  ///< [n] new row of each old row
  Array<std::int32_t> pointer_, column_;
  Array<double> value_, x_;
};

}  // namespace spmv_kernel
