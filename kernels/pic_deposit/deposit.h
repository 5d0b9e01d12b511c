// Particles added to a buffer, one after another or in blocks: places of a whole block first, then
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

/// A particle's first slot and its distances from the nodes.
struct Place {
  int64_t slot;
  double dx, dy, dz;
};

template <int Order>
ROOFTUNE_INLINE Place place(const Buffer<Order>& b, const Store& p, int64_t n) {
  const double x = p(at_x, n), y = p(at_y, n), z = p(at_z, n);
  const int32_t fx = first_node<Order>(x), fy = first_node<Order>(y), fz = first_node<Order>(z);
  return {b.slot(fx, fy, fz), distance(x, fx), distance(y, fy), distance(z, fz)};
}

/// Shares of the rows of a particle's nodes: y and z.
template <int Order>
ROOFTUNE_INLINE void row_weights(const Place& at, double (&w)[support<Order> * support<Order>]) {
  constexpr int s = support<Order>;
  double wy[s], wz[s];
  weights(at.dy, wy);
  weights(at.dz, wz);
  for (int c = 0; c < s; ++c)
    for (int b = 0; b < s; ++b) w[c * s + b] = wy[b] * wz[c];
}

/// The four moments of particle n: w, w vx, w vy, w vz.
ROOFTUNE_INLINE rooftune::Vector<4> moments_of(const Store& p, int64_t n) {
  if (aos) return rooftune::load<4>(p.of[at_w] + n * 8 + 1) * p(at_w, n);
  return rooftune::Vector<4>{1, p(at_vx, n), p(at_vy, n), p(at_vz, n)} * p(at_w, n);
}

/// What a particle gives to a row of nodes but for the share of the row: moments times shares in x,
/// in vectors of W.
template <int Order, int W>
struct RowVector {
  static constexpr int count = moments * support<Order> / W;
  rooftune::Vector<W> of[count];

  ROOFTUNE_INLINE RowVector(const Store& p, int64_t n, double dx) {
    double wx[support<Order>];
    weights(dx, wx);
    const rooftune::Vector<4> m = moments_of(p, n);
    if constexpr (W == 8) {
      const rooftune::Vector<8> both = __builtin_shufflevector(m, m, 0, 1, 2, 3, 0, 1, 2, 3);
      constexpr rooftune::Vector<8> start = {1, 1, 1, 1, 0, 0, 0, 0},
                                    slope = {-1, -1, -1, -1, 1, 1, 1, 1};
      of[0] = both * (start + slope * dx);
    } else if constexpr (W == 4) {
      for (int a = 0; a < support<Order>; ++a) of[a] = m * wx[a];
    } else {
      for (int a = 0; a < support<Order>; ++a)
        for (int k = 0; k < moments; ++k) of[a * moments + k] = m[k] * wx[a];
    }
  }
};

/// Adds one particle to the four arrays of a buffer that keeps them apart.
template <int Order>
ROOFTUNE_INLINE void add_apart(const Buffer<Order>& b, const Place& at, const Store& p, int64_t n) {
  constexpr int s = support<Order>;
  double wx[s], rows[s * s];
  weights(at.dx, wx);
  row_weights<Order>(at, rows);
  const double w = p(at_w, n), jx = w * p(at_vx, n), jy = w * p(at_vy, n), jz = w * p(at_vz, n);
  for (int r = 0; r < s * s; ++r)
    for (int a = 0; a < s; ++a) {
      const int64_t node = at.slot + r / s * b.plane() + r % s * b.row() + a;
      const double share = wx[a] * rows[r];
      b.moment(0)[node] += share * w;
      b.moment(1)[node] += share * jx;
      b.moment(2)[node] += share * jy;
      b.moment(3)[node] += share * jz;
    }
}

/// Sums of the particles of one slot, kept in registers while the slot does not change.
template <int Order>
class Run {
 public:
  explicit ROOFTUNE_INLINE Run(const Buffer<Order>& b) : buffer_(b) { clear(); }

  ROOFTUNE_INLINE void add(const Place& at, const Store& p, int64_t n) {
    if (!KNOB_RUNS || at.slot != slot_) {
      flush();
      slot_ = at.slot;
    }
    const RowVector<Order, width> v(p, n, at.dx);
    double w[rows];
    row_weights<Order>(at, w);
#pragma GCC unroll 9
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 12
      for (int k = 0; k < v.count; ++k) sum_[r * v.count + k] += v.of[k] * w[r];
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

/// Hands out places one by one, or a block of them computed together.
constexpr int64_t block = KNOB_BLOCK > 0 ? KNOB_BLOCK : 1;

template <int Order>
struct Places {
  int32_t slot[block];
  double dx[block], dy[block], dz[block];

  ROOFTUNE_INLINE void find(const Buffer<Order>& b, const Store& p, int64_t n, int64_t count) {
#pragma omp simd
    for (int64_t k = 0; k < count; ++k) {
      const double x = p(at_x, n + k), y = p(at_y, n + k), z = p(at_z, n + k);
      const int32_t fx = first_node<Order>(x), fy = first_node<Order>(y), fz = first_node<Order>(z);
      slot[k] = static_cast<int32_t>(b.slot(fx, fy, fz));
      dx[k] = distance(x, fx);
      dy[k] = distance(y, fy);
      dz[k] = distance(z, fz);
    }
  }
  ROOFTUNE_INLINE Place operator[](int64_t k) const { return {slot[k], dx[k], dy[k], dz[k]}; }

  /// Asks for the nodes of the particle KNOB_PREFETCH after the k-th.
  ROOFTUNE_INLINE void prefetch(const Buffer<Order>& b, int64_t k, int64_t count) const {
    if (KNOB_PREFETCH == 0 || k + KNOB_PREFETCH >= count) return;
    const int64_t at = slot[k + KNOB_PREFETCH];
    constexpr int s = support<Order>;
    for (int r = 0; r < s * s; ++r) {
      if (!apart) rooftune::prefetch(b.row_of(at, r), 0);
      for (int m = 0; apart && m < moments; ++m)
        rooftune::prefetch(b.moment(m) + at + r / s * b.plane() + r % s * b.row(), 0);
    }
  }
};

/// Adds the particles [from, to).
template <int Order>
void deposit(const Buffer<Order>& b, const Store& p, int64_t from, int64_t to) {
  Run<Order> run(b);
  const auto add = [&](const Place& at, int64_t n) __attribute__((always_inline)) {
    if constexpr (apart)
      add_apart(b, at, p, n);
    else
      run.add(at, p, n);
  };
  if constexpr (KNOB_BLOCK == 0) {
    for (int64_t n = from; n < to; ++n) add(place(b, p, n), n);
  } else {
    Places<Order> places;
    for (int64_t n = from; n < to; n += block) {
      const int64_t count = n + block < to ? block : to - n;
      places.find(b, p, n, count);
      for (int64_t k = 0; k < count; ++k) {
        places.prefetch(b, k, count);
        add(places[k], n + k);
      }
    }
  }
  if (!apart) run.flush();
}

}  // namespace pic_deposit_kernel
