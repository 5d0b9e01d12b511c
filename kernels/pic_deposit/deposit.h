// Particles added to a buffer, one after another or in blocks: shares of a whole block first, then
// the nodes. The caller's buffer has a slot for every particle. Reads the KNOB_ macros.
#pragma once
#include "buffer.h"
#include "particles.h"

namespace pic_deposit_kernel {

/// Doubles per vector along a row of nodes; rows of three nodes have no eights.
template <int Order>
constexpr int lanes = KNOB_SIMD_WIDTH == 8 && Order == 1 ? 8
                      : KNOB_SIMD_WIDTH > 0              ? 4
                                                         : 1;

/// The four moments of particle n: w, w vx, w vy, w vz.
ROOFTUNE_INLINE rooftune::Vector<4> moments_of(const Store& p, int64_t n) {
  if (aos) return rooftune::load<4>(p.of[at_w] + n * 8 + 1) * p(at_w, n);
  return rooftune::Vector<4>{1, p(at_vx, n), p(at_vy, n), p(at_vz, n)} * p(at_w, n);
}

/// What a particle gives, and from which slot on: shares of the nodes in x, of the rows (y and z),
/// and its moments.
template <int Order>
struct Gift {
  static constexpr int s = support<Order>;
  int64_t slot;
  double dx;  ///< in place of x where a vector holds both nodes of a row
  double x[s], rows[s * s];
  rooftune::Vector<4> moments;
};

template <int Order>
ROOFTUNE_INLINE void set_rows(double dy, double dz,
                              double (&rows)[support<Order> * support<Order>]) {
  constexpr int s = support<Order>;
  double wy[s], wz[s];
  weights(dy, wy);
  weights(dz, wz);
  for (int c = 0; c < s; ++c)
    for (int b = 0; b < s; ++b) rows[c * s + b] = wy[b] * wz[c];
}

template <int Order>
ROOFTUNE_INLINE Gift<Order> gift_of(const Buffer<Order>& b, const Store& p, int64_t n) {
  const double x = p(at_x, n), y = p(at_y, n), z = p(at_z, n);
  const int32_t fx = first_node<Order>(x), fy = first_node<Order>(y), fz = first_node<Order>(z);
  Gift<Order> g;
  g.slot = b.slot(fx, fy, fz);
  g.dx = distance(x, fx);
  weights(g.dx, g.x);
  set_rows<Order>(distance(y, fy), distance(z, fz), g.rows);
  g.moments = moments_of(p, n);
  return g;
}

/// What a particle gives to a row of nodes but for the share of the row: moments times shares in x,
/// in vectors of W.
template <int Order, int W>
struct RowVector {
  static constexpr int count = moments * support<Order> / W;
  rooftune::Vector<W> of[count];

  explicit ROOFTUNE_INLINE RowVector(const Gift<Order>& g) {
    const rooftune::Vector<4> m = g.moments;
    if constexpr (W == 8) {
      const rooftune::Vector<8> both = __builtin_shufflevector(m, m, 0, 1, 2, 3, 0, 1, 2, 3);
      constexpr rooftune::Vector<8> start = {1, 1, 1, 1, 0, 0, 0, 0},
                                    slope = {-1, -1, -1, -1, 1, 1, 1, 1};
      of[0] = both * (start + slope * g.dx);
    } else if constexpr (W == 4) {
      for (int a = 0; a < support<Order>; ++a) of[a] = m * g.x[a];
    } else {
      for (int a = 0; a < support<Order>; ++a)
        for (int k = 0; k < moments; ++k) of[a * moments + k] = m[k] * g.x[a];
    }
  }
};

/// Adds one particle to the four arrays of a buffer that keeps them apart.
template <int Order>
ROOFTUNE_INLINE void add_apart(const Buffer<Order>& b, const Gift<Order>& g) {
  constexpr int s = support<Order>;
  for (int r = 0; r < s * s; ++r)
    for (int a = 0; a < s; ++a) {
      const int64_t node = g.slot + r / s * b.plane() + r % s * b.row() + a;
      const double share = g.x[a] * g.rows[r];
      for (int k = 0; k < moments; ++k) b.moment(k)[node] += share * g.moments[k];
    }
}

/// Sums of the particles of one slot, kept in registers while the slot does not change.
template <int Order>
class Run {
 public:
  explicit ROOFTUNE_INLINE Run(const Buffer<Order>& b) : buffer_(b) { clear(); }

  ROOFTUNE_INLINE void add(const Gift<Order>& g) {
    if (!KNOB_RUNS || g.slot != slot_) {
      flush();
      slot_ = g.slot;
    }
    const RowVector<Order, width> v(g);
#pragma GCC unroll 9
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 12
      for (int k = 0; k < v.count; ++k) sum_[r * v.count + k] += v.of[k] * g.rows[r];
  }

  /// To be called after the last particle.
  ROOFTUNE_INLINE void flush() {
    if (slot_ < 0) return;
#pragma GCC unroll 9
    for (int r = 0; r < rows; ++r) {
      double* const to = buffer_.row_of(slot_, r);
#pragma GCC unroll 12
      for (int k = 0; k < count; ++k)
        rooftune::store<width>(to + k * width,
                               rooftune::load<width>(to + k * width) + sum_[r * count + k]);
    }
    clear();
  }

 private:
  static constexpr int width = lanes<Order>;
  static constexpr int rows = support<Order> * support<Order>;
  static constexpr int count = RowVector<Order, width>::count;

  ROOFTUNE_INLINE void clear() {
#pragma GCC unroll 108
    for (int k = 0; k < rows * count; ++k) sum_[k] = rooftune::Vector<width>{};
  }

  const Buffer<Order>& buffer_;
  int64_t slot_ = -1;
  rooftune::Vector<width> sum_[rows * count];
};

constexpr int64_t block = KNOB_BLOCK > 0 ? KNOB_BLOCK : 1;

/// What a block of particles gives, computed in vectors along the particles.
template <int Order>
class Gifts {
 public:
  ROOFTUNE_INLINE void find(const Buffer<Order>& b, const Store& p, int64_t n, int64_t count) {
#pragma omp simd
    for (int64_t k = 0; k < count; ++k) {
      const double x = p(at_x, n + k), y = p(at_y, n + k), z = p(at_z, n + k);
      const int32_t fx = first_node<Order>(x), fy = first_node<Order>(y), fz = first_node<Order>(z);
      slot_[k] = static_cast<int32_t>(b.slot(fx, fy, fz));
      double wx[s], rows[s * s];
      dx_[k] = distance(x, fx);
      weights(dx_[k], wx);
      for (int a = 0; a < s && !in_eights; ++a) x_[a][k] = wx[a];
      set_rows<Order>(distance(y, fy), distance(z, fz), rows);
      for (int r = 0; r < s * s; ++r) rows_[r][k] = rows[r];
    }
  }
  ROOFTUNE_INLINE Gift<Order> get(const Store& p, int64_t n, int64_t k) const {
    Gift<Order> g;
    g.slot = slot_[k];
    g.dx = dx_[k];
    for (int a = 0; a < s && !in_eights; ++a) g.x[a] = x_[a][k];
    for (int r = 0; r < s * s; ++r) g.rows[r] = rows_[r][k];
    g.moments = moments_of(p, n + k);
    return g;
  }
  /// Asks for the nodes of the particle KNOB_PREFETCH after the k-th.
  ROOFTUNE_INLINE void prefetch(const Buffer<Order>& b, int64_t k, int64_t count) const {
    if (KNOB_PREFETCH == 0 || k + KNOB_PREFETCH >= count) return;
    const int64_t at = slot_[k + KNOB_PREFETCH];
    for (int r = 0; r < s * s; ++r) {
      if (!apart) rooftune::prefetch(b.row_of(at, r), 0);
      for (int m = 0; apart && m < moments; ++m)
        rooftune::prefetch(b.moment(m) + at + r / s * b.plane() + r % s * b.row(), 0);
    }
  }

 private:
  static constexpr int s = support<Order>;
  static constexpr bool in_eights = !apart && lanes<Order> == 8;
  int32_t slot_[block];
  double dx_[block], x_[s][block], rows_[s * s][block];
};

/// Adds the particles [from, to).
template <int Order>
void deposit(const Buffer<Order>& b, const Store& p, int64_t from, int64_t to) {
  Run<Order> run(b);
  const auto add = [&](const Gift<Order>& g) __attribute__((always_inline)) {
    if constexpr (apart)
      add_apart(b, g);
    else
      run.add(g);
  };
  if constexpr (KNOB_BLOCK == 0) {
    for (int64_t n = from; n < to; ++n) add(gift_of(b, p, n));
  } else {
    Gifts<Order> gifts;
    for (int64_t n = from; n < to; n += block) {
      const int64_t count = n + block < to ? block : to - n;
      gifts.find(b, p, n, count);
      for (int64_t k = 0; k < count; ++k) {
        gifts.prefetch(b, k, count);
        add(gifts.get(p, n, k));
      }
    }
  }
  if (!apart) run.flush();
}

}  // namespace pic_deposit_kernel
