// What the shape of a matrix says about its formats: row statistics, register blocks, least bytes.
// The caller gives rows with ascending, distinct columns.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "matrix_values.h"

namespace spmv_kernel {

/// The heights and widths of register blocks in the search space.
constexpr int block_sides[] = {1, 2, 3, 4, 6, 8};
constexpr int side_count = 6;

/// Numbers of blocks: count[r][c] for sides block_sides[r] x block_sides[c]. A block row starts at
/// a multiple of its height; blocks start at any column, the leftmost uncovered one.
struct BlockCounts {
  std::int64_t count[side_count][side_count] = {};
};

class BlockCounter {
 public:
  explicit BlockCounter(const Csr& a) : a_(a) {}

  BlockCounts counts() {
    // 24 rows hold whole block rows of every height.
    for (std::int64_t i = 0; i < a_.rows; i += 24)
      group(i, std::min<std::int64_t>(24, a_.rows - i));
    return counts_;
  }

 private:
  using List = std::vector<std::int32_t>;
  struct Span {
    const std::int32_t* begin;
    const std::int32_t* end;
  };

  void group(std::int64_t first, std::int64_t rows) {
    std::vector<Span>& single = spans_[0];
    single.clear();
    for (std::int64_t i = first; i < first + rows; ++i)
      single.push_back({a_.column + a_.pointer[i], a_.column + a_.pointer[i + 1]});
    unite(0, 2, 1);  // 2 = 2 x 1
    unite(0, 3, 2);  // 3 = 3 x 1
    unite(1, 2, 3);  // 4 = 2 x 2
    unite(2, 2, 4);  // 6 = 2 x 3
    unite(3, 2, 5);  // 8 = 2 x 4
    for (int r = 0; r < side_count; ++r)
      for (const Span& span : spans_[r]) cover(span, counts_.count[r]);
  }

  /// spans_[to]: unions of `factor` neighbours of spans_[from].
  void unite(int from, std::size_t factor, int to) {
    const std::vector<Span>& parts = spans_[from];
    std::vector<Span>& whole = spans_[to];
    whole.clear();
    for (std::size_t i = 0; i < parts.size(); i += factor) {
      Span sum = parts[i];
      for (std::size_t k = i + 1; k < i + factor && k < parts.size(); ++k)
        sum = united(sum, parts[k], lists_[to][whole.size()], scratch_);
      whole.push_back(sum);
    }
  }

  static Span united(Span p, Span q, List& list, List& scratch) {
    const auto size = static_cast<std::size_t>(p.end - p.begin);
    if (p.end - p.begin == q.end - q.begin &&
        (size == 0 || std::memcmp(p.begin, q.begin, size * sizeof(std::int32_t)) == 0))
      return p;
    scratch.resize(size + static_cast<std::size_t>(q.end - q.begin));
    const auto end = std::set_union(p.begin, p.end, q.begin, q.end, scratch.begin());
    scratch.erase(end, scratch.end());
    // The old list may be an operand, so the new one is made beside it.
    list.swap(scratch);
    return {list.data(), list.data() + list.size()};
  }

  /// Fewest intervals of each width that cover the columns: greedy from the left, all widths at
  /// once.
  static void cover(Span span, std::int64_t* count) {
    typedef std::int32_t Limits __attribute__((vector_size(32)));
    const Limits width = {1, 2, 3, 4, 6, 8, 8, 8};
    Limits limit = {0, 0, 0, 0, 0, 0, 0, 0}, blocks = limit;
    for (const std::int32_t* c = span.begin; c != span.end; ++c) {
      const Limits column = {*c, *c, *c, *c, *c, *c, *c, *c};
      const Limits starts = column >= limit;
      blocks -= starts;
      limit = starts ? column + width : limit;
    }
    for (int k = 0; k < side_count; ++k) count[k] += blocks[k];
  }

  const Csr& a_;
  BlockCounts counts_;
  std::vector<Span> spans_[side_count];
  List lists_[side_count][24];
  List scratch_;
};

/// Bytes of the register-blocked format: values with fill, block columns of 32 bits or, where that
/// is less, 16 bits and a base per block row, and block row pointers.
inline double blocked_bytes(std::int64_t rows, int height, int width, double blocks,
                            double value_bytes) {
  const double block_rows = static_cast<double>((rows + height - 1) / height);
  return blocks * value_bytes * height * width + std::min(4 * blocks, 2 * blocks + 4 * block_rows) +
         4 * (block_rows + 1);
}

struct MatrixFacts {
  std::int64_t max_row = 0, nonempty_rows = 0, used_cols = 0, bandwidth = 0, dense_rows = 0;
  double mean_row = 0, row_variation = 0;  ///< variation: standard deviation / mean
  bool symmetric = false;
  bool single_values = false;  ///< single precision holds every value exactly
  BlockCounts blocks;
  /// Values stored for an entry in square blocks of side block_sides[k].
  double fill(int k, std::int64_t entries) const {
    const double cells = static_cast<double>(blocks.count[k][k]) * block_sides[k] * block_sides[k];
    return entries > 0 ? cells / static_cast<double>(entries) : 1;
  }
  int best_block_rows = 1, best_block_cols = 1;
  double blocked_bytes = 0;  ///< of the best block
  double full_matrix_bytes =
      0;  ///< no format of the search space that keeps all entries takes fewer
  double least_matrix_bytes = 0;  ///< no format of the search space takes fewer
};

inline void count_rows(const Csr& a, MatrixFacts& facts) {
  std::vector<char> used(static_cast<std::size_t>(a.cols), 0);
  facts.mean_row = a.rows > 0 ? static_cast<double>(a.entries()) / static_cast<double>(a.rows) : 0;
  double squares = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const std::int64_t length = a.pointer[i + 1] - a.pointer[i];
    squares += (static_cast<double>(length) - facts.mean_row) *
               (static_cast<double>(length) - facts.mean_row);
    facts.max_row = std::max(facts.max_row, length);
    if (static_cast<double>(length) > 8 * facts.mean_row + 32) ++facts.dense_rows;
    if (length == 0) continue;
    ++facts.nonempty_rows;
    for (std::int32_t k = a.pointer[i]; k < a.pointer[i + 1]; ++k)
      used[static_cast<std::size_t>(a.column[k])] = 1;
    const std::int64_t low = a.column[a.pointer[i]], high = a.column[a.pointer[i + 1] - 1];
    facts.bandwidth = std::max({facts.bandwidth, std::abs(i - low), std::abs(high - i)});
  }
  facts.used_cols = std::count(used.begin(), used.end(), 1);
  if (a.rows > 0 && facts.mean_row > 0)
    facts.row_variation = std::sqrt(squares / static_cast<double>(a.rows)) / facts.mean_row;
}

inline std::int64_t diagonal_entries(const Csr& a) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < a.rows; ++i)
    count += std::binary_search(a.column + a.pointer[i], a.column + a.pointer[i + 1],
                                static_cast<std::int32_t>(i));
  return count;
}

inline MatrixFacts matrix_facts(const Csr& a) {
  MatrixFacts facts;
  count_rows(a, facts);
  std::vector<std::int32_t> next(static_cast<std::size_t>(a.rows));
  facts.symmetric = is_symmetric(a, next.data());
  facts.single_values = fit_single(a);
  const double value_bytes = facts.single_values ? 4 : 8;
  facts.blocks = BlockCounter(a).counts();
  bool first = true;
  for (int r = 0; r < side_count; ++r)
    for (int c = 0; c < side_count; ++c) {
      const double bytes =
          blocked_bytes(a.rows, block_sides[r], block_sides[c],
                        static_cast<double>(facts.blocks.count[r][c]), value_bytes);
      if (!first && bytes >= facts.blocked_bytes) continue;
      first = false;
      facts.blocked_bytes = bytes;
      facts.best_block_rows = block_sides[r];
      facts.best_block_cols = block_sides[c];
    }
  // Chunks: a value and 8 bits of column per entry; pointers and bases come on top.
  const auto entries = static_cast<double>(a.entries());
  facts.full_matrix_bytes = std::min(facts.blocked_bytes, (value_bytes + 1) * entries);
  facts.least_matrix_bytes = facts.full_matrix_bytes;
  if (!facts.symmetric) return facts;
  // Half of a symmetric matrix: its values, and for 64 of them, the largest block, one column.
  const auto diagonal = static_cast<double>(diagonal_entries(a));
  facts.least_matrix_bytes =
      std::min(facts.least_matrix_bytes, (entries - diagonal) / 2 * (value_bytes + 2.0 / 64) +
                                             8 * static_cast<double>(a.rows));
  return facts;
}

}  // namespace spmv_kernel
