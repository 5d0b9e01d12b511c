// Chunks of KNOB_CHUNK_ROWS block rows side by side (SELL-C-sigma: Kreutzer, Hager, Wellein,
// Fehske, Bishop, SIAM J. Sci. Comput. 2014), KNOB_ROW_THREADS neighbouring threads per block row;
// of single entries or of register blocks. Rows much longer than the mean can stay rows. The caller
// builds before it launches.
#pragma once
#include "columns.h"
#include "cuda_loads.h"
#if ROOFTUNE_HOST
#include <algorithm>

#include "cuda_register_blocks.h"
#endif
#if SPMV_LONG_ROWS_APART
#include "cuda_adaptive_csr.h"
#endif

namespace spmv_kernel {

constexpr int row_threads = KNOB_ROW_THREADS, chunk_rows = KNOB_CHUNK_ROWS;
constexpr int chunk_threads = chunk_rows * row_threads;
constexpr int chunks_per_block = block / chunk_threads;

struct ChunksView {
  Int64 rows, chunks;
  const Int64* pointer;                            ///< [chunks + 1] steps of all chunks before
  const Stored* value;                             ///< [step][row and column of the block][thread]
  ColumnsView<index_bits, chunk_threads> columns;  ///< [step][thread]; a unit is a chunk
  const Int32* order;  ///< [chunks * chunk_rows] block rows; null: in order
};

/// Adds one block per step; value and column are those of this thread.
template <class Index>
__device__ __forceinline__ void add_steps(const Stored* value, const Index* column, const double* x,
                                          Int64 steps, double* result) {
  double sum[unroll][height] = {};
#pragma unroll 1
  for (Int64 first = 0; first < steps; first += unroll) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Int64 step = first + u;
      if (step >= steps) continue;
      const double* const at = x + from_matrix(column + step * chunk_threads);
      const Stored* const v = value + step * (height * width * chunk_threads);
#pragma unroll
      for (int j = 0; j < width; ++j) {
        const double factor = from_x(at + j);
#pragma unroll
        for (int i = 0; i < height; ++i)
          sum[u][i] = added(sum[u][i], from_matrix(v + (i * width + j) * chunk_threads), factor);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < height; ++i) {
    result[i] = sum[0][i];
#pragma unroll
    for (int u = 1; u < unroll; ++u) result[i] += sum[u][i];
  }
}

/// What this thread has of its block row.
__device__ __forceinline__ void thread_sums(const ChunksView& a, Int64 chunk, int thread,
                                            const double* x, double* result) {
  const Int64 first = a.pointer[chunk], steps = a.pointer[chunk + 1] - first;
  const Stored* const value = a.value + first * (height * width * chunk_threads) + thread;
  a.columns.visit(chunk, first * chunk_threads + thread, thread,
                  [&](const auto* column, Int64 origin, bool) {
                    add_steps(value, column, x + origin, steps, result);
                  });
}

}  // namespace spmv_kernel

/// Blocks take the next chunks together, so that all lanes meet in the sum over lanes.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    spmv_chunks(spmv_kernel::ChunksView a, const double* x, double* y) {
  using namespace spmv_kernel;
  const int thread = static_cast<int>(threadIdx.x) % chunk_threads;
  const int mine = static_cast<int>(threadIdx.x) / chunk_threads;
  for (Int64 first = Int64{blockIdx.x} * chunks_per_block; first < a.chunks;
       first += Int64{gridDim.x} * chunks_per_block) {
    const Int64 chunk = first + mine;
    double sum[height] = {};
    if (chunk < a.chunks) thread_sums(a, chunk, thread, x, sum);
#pragma unroll
    for (int i = 0; i < height; ++i) sum[i] = lane_sum<row_threads>(sum[i]);
    if (chunk >= a.chunks || thread % row_threads != 0) continue;
    const Int64 place = chunk * chunk_rows + thread / row_threads;
    const Int64 row = (a.order != nullptr ? Int64{a.order[place]} : place) * height;
#pragma unroll
    for (int i = 0; i < height; ++i)
      if (row + i < a.rows) to_y(y + row + i, sum[i]);
  }
}

#if ROOFTUNE_HOST
namespace spmv_kernel {

class Layout {
 public:
  void build(const Csr& a) {
    rows_ = a.rows;
    blocks_.build(a);
    set_long_rows_apart(a);
    chunks_ = rooftune::blocks_for(blocks_.rows, chunk_rows);
    sort_rows();
    pointer_.assign(1, 0);
    for (std::int64_t c = 0; c < chunks_; ++c) pointer_.push_back(pointer_.back() + steps(c));
    fill();
  }

  void multiply(const double* x, double* y) const {
    std::int64_t blocks = rooftune::blocks_for(chunks_, chunks_per_block);
    if (KNOB_PERSISTENT) {
      const std::int64_t resident = ROOFTUNE_PERSISTENT_BLOCKS(spmv_chunks, KNOB_BLOCK, 0);
      if (resident < blocks) blocks = resident;
    }
    ROOFTUNE_LAUNCH(spmv_chunks, blocks, KNOB_BLOCK, 0, view_, x, y);
#if SPMV_LONG_ROWS_APART
    long_rows_.multiply(x, y, 0);
#endif
  }

 private:
  /// Rows beyond 16 entries and the given multiple of the mean count as empty here: their results
  /// are written again, after the chunks'.
  void set_long_rows_apart(const Csr& a) {
    length_.resize(static_cast<std::size_t>(blocks_.rows));
    for (std::int64_t r = 0; r < blocks_.rows; ++r)
      length_[static_cast<std::size_t>(r)] = blocks_.length(r);
#if SPMV_LONG_ROWS_APART
    const double most =
        std::max(16.0, KNOB_LONG_ROWS * static_cast<double>(a.entries()) / double(a.rows));
    std::vector<std::int32_t> target, pointer(1, 0), column;
    std::vector<double> value;
    for (std::int64_t i = 0; i < a.rows; ++i) {
      if (static_cast<double>(a.length(i)) <= most) continue;
      length_[static_cast<std::size_t>(i)] = 0;
      target.push_back(static_cast<std::int32_t>(i));
      column.insert(column.end(), a.column + a.pointer[i], a.column + a.pointer[i + 1]);
      value.insert(value.end(), a.value + a.pointer[i], a.value + a.pointer[i + 1]);
      pointer.push_back(static_cast<std::int32_t>(column.size()));
    }
    long_rows_.build_parts({static_cast<std::int64_t>(target.size()), a.cols, pointer.data(),
                            column.data(), value.data()},
                           target);
#else
    (void)a;
#endif
  }

  void sort_rows() {
    order_.resize(static_cast<std::size_t>(chunks_ * chunk_rows));
    for (std::size_t i = 0; i < order_.size(); ++i)
      order_[i] = static_cast<std::int32_t>(std::min<std::size_t>(i, length_.size()));
    if (KNOB_SORT_ROWS == 1) return;
    const std::int64_t window = KNOB_SORT_ROWS > 0 ? KNOB_SORT_ROWS : blocks_.rows;
    for (std::int64_t low = 0; low < blocks_.rows; low += window)
      std::stable_sort(order_.begin() + low, order_.begin() + std::min(low + window, blocks_.rows),
                       [&](std::int32_t one, std::int32_t other) {
                         return length_[static_cast<std::size_t>(one)] >
                                length_[static_cast<std::size_t>(other)];
                       });
  }

  /// The block row at a place of a chunk, or the number of block rows.
  std::int64_t row_at(std::int64_t chunk, std::int64_t place) const {
    return order_[static_cast<std::size_t>(chunk * chunk_rows + place)];
  }
  std::int64_t length(std::int64_t row) const {
    return row < blocks_.rows ? length_[static_cast<std::size_t>(row)] : 0;
  }
  std::int64_t steps(std::int64_t chunk) const {
    std::int64_t most = 0;
    for (std::int64_t r = 0; r < chunk_rows; ++r)
      most = std::max(most, rooftune::blocks_for(length(row_at(chunk, r)), row_threads));
    return most;
  }
  std::int32_t block_column(std::int64_t row, std::int64_t k) const {
    return blocks_.column[blocks_.pointer[static_cast<std::size_t>(row)] + k];
  }

  void fill() {
    const std::int64_t all = pointer_.back();
    value_.make(all * RegisterBlocks::size * chunk_threads);
    columns_.start(chunks_);
    for (std::int64_t c = 0; c < chunks_; ++c) {
      const Span span = extent(c);
      columns_.unit(c, span.low, span.high, steps(c) * chunk_threads);
    }
    columns_.make(all * chunk_threads);
#pragma omp parallel for schedule(static)
    for (std::int64_t c = 0; c < chunks_; ++c) fill_chunk(c);
    copy_vector(card_pointer_, pointer_);
    card_value_.copy_in(value_.at, value_.count);
    copy_vector(card_order_, order_);
    view_ = {rows_,
             chunks_,
             card_pointer_.data(),
             card_value_.data(),
             card_columns_.copy(columns_, chunks_, all * chunk_threads),
             KNOB_SORT_ROWS == 1 ? nullptr : card_order_.data()};
  }

  struct Span {
    std::int32_t low, high;  ///< columns
  };
  Span extent(std::int64_t c) const {
    Span span{0x7fffffff, 0};
    for (std::int64_t r = 0; r < chunk_rows; ++r) {
      const std::int64_t row = row_at(c, r);
      if (length(row) == 0) continue;
      span.low = std::min(span.low, block_column(row, 0));
      span.high = std::max(span.high, block_column(row, length(row) - 1));
    }
    return span.high < span.low ? Span{0, 0} : span;
  }

  /// Missing blocks are zeros at the least column of the chunk.
  void fill_chunk(std::int64_t c) {
    const std::int32_t low = extent(c).low;
    const std::int64_t first = pointer_[static_cast<std::size_t>(c)];
    for (std::int64_t r = 0; r < chunk_rows; ++r) {
      const std::int64_t row = row_at(c, r);
      for (std::int64_t k = 0; k < steps(c) * row_threads; ++k) {
        const std::int64_t step = k / row_threads, thread = r * row_threads + k % row_threads;
        const bool exists = k < length(row);
        columns_.put(c, (first + step) * chunk_threads + thread, step * chunk_threads + thread,
                     exists ? block_column(row, k) : low);
        if (exists)
          copy_block(row, k, (first + step) * RegisterBlocks::size * chunk_threads + thread);
      }
    }
  }

  void copy_block(std::int64_t row, std::int64_t k, std::int64_t target) {
    const std::int64_t from =
        (blocks_.pointer[static_cast<std::size_t>(row)] + k) * RegisterBlocks::size;
    for (std::int64_t e = 0; e < RegisterBlocks::size; ++e)
      value_[target + e * chunk_threads] = blocks_.value[from + e];
  }

  std::int64_t rows_ = 0, chunks_ = 0;
  RegisterBlocks blocks_;
  std::vector<std::int64_t> length_, pointer_;
  std::vector<std::int32_t> order_;
  ColumnStore<index_bits, chunk_threads> columns_;
  Array<Stored> value_;
  rooftune::DeviceBuffer<Int64> card_pointer_;
  rooftune::DeviceBuffer<Int32> card_order_;
  CardColumns<index_bits, chunk_threads> card_columns_;
  rooftune::DeviceBuffer<Stored> card_value_;
#if SPMV_LONG_ROWS_APART
  Ranges long_rows_;
#endif
  ChunksView view_{};
};

}  // namespace spmv_kernel
#endif
