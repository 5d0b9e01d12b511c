// SNAP on a GPU with all stages of 32 atoms in one block: a lane has an atom, a warp what is alike
// for all of them, so that branches and coefficients are a warp's and U is met side by side.
//
// U   A row of layer j is a polynomial in x, (a* - b* x)^(j - mb) (b + a x)^mb. A warp has one mb,
//     raises its rows in registers bond by bond, and adds them to elements that it alone has.
// Y   Coupling conserves both magnetic numbers, M = 2 mb - j and M' = 2 ma - j: what U_j1 and U_j2
//     have at (M1, M1') and (M - M1, M' - M1') goes to elements (M, M') of Y and to no other, once
//     for all j. A warp has such a strip, T numbers M' side by side, for all pairs (j1, j2): sums
//     stay in registers and are written once. Along a row T products cost the loads of one.
// dE  A warp has a bond, u in registers. The generators of rotations act on u, where neighbours of
//     an element are registers, not on Y: of monomials they are j - ma and ma.
//
// A launch has group_doubles of dynamic shared memory, and runs behind snap_geometry.
#pragma once
#include "cuda_model.h"

namespace snap_kernel {

constexpr int last_layer = KNOB_GROUP_TWOJMAX, chains = last_layer / 2 + 1;
constexpr int teams = KNOB_BLOCK / group_atoms;
constexpr int half_count = half_offset(last_layer + 1), full_count = full_offset(last_layer + 1);
/// Each chain's bonds are shared out between two sums where the block has warps for them.
constexpr int sums_of_u = teams >= 2 * chains ? 2 : 1;
/// Columns that a strip has at most. Products reach so far beyond a row, with coefficients of zero.
constexpr int most_columns = smaller(KNOB_Y_SUMS, 4), beyond = most_columns - 1;
/// Complex elements between that start and Y: all rows of U, later a number of each warp.
constexpr int room_of_u = full_count + beyond > teams ? full_count + beyond : teams;
constexpr int group_doubles = (beyond + room_of_u + half_count) * 2 * group_atoms;

/// Complex elements of the group's atoms in shared memory, as one lane sees them.
struct Lane {
  double* at;
  __device__ __forceinline__ double& re(int e) const { return at[e * 2 * group_atoms]; }
  __device__ __forceinline__ double& im(int e) const { return at[(e * 2 + 1) * group_atoms]; }
  __device__ __forceinline__ Lane from(int e) const { return {at + e * 2 * group_atoms}; }
};

/// A block's shared memory: all rows of U, between zeros, and half of Y.
struct Group {
  Lane u, y;
  int lane, team;
  Int64 group, atom, first;
  int count;  ///< bonds
};

__device__ __forceinline__ Group group_of(const Model& m, Int64 group, double* memory) {
  Group g;
  g.lane = static_cast<int>(threadIdx.x) % group_atoms;
  g.team = static_cast<int>(threadIdx.x) / group_atoms;
  g.u = Lane{memory + g.lane}.from(beyond);
  g.y = g.u.from(room_of_u);
  g.group = group;
  g.atom = group * group_atoms + g.lane;
  const bool exists = g.atom < m.atoms;
  g.first = exists ? m.first[g.atom] : 0;
  g.count = exists ? static_cast<int>(m.bonds(g.atom)) : 0;
  return g;
}

/// What snap_geometry leaves of bond `slot` of the lane's atom.
__device__ __forceinline__ double* bond_numbers(const Model& m, const Group& g, int slot) {
  return m.bond_numbers + (g.group * m.slots + slot) * (bond_number_count * group_atoms) + g.lane;
}

__device__ __forceinline__ void put_geometry(double* at, const Geometry<double>& g) {
  const double numbers[bond_number_count] = {g.unit[0], g.unit[1], g.unit[2],  g.sine,
                                             g.cosine,  g.fc,      g.fc_slope, g.inverse_r};
  for (int n = 0; n < bond_number_count; ++n) at[n * group_atoms] = numbers[n];
}

__device__ __forceinline__ Geometry<double> get_geometry(const Model& m, const double* at) {
  Geometry<double> g;
  for (int c = 0; c < 3; ++c) g.unit[c] = at[c * group_atoms];
  g.sine = at[3 * group_atoms];
  g.cosine = at[4 * group_atoms];
  g.fc = at[5 * group_atoms];
  g.fc_slope = at[6 * group_atoms];
  g.inverse_r = at[7 * group_atoms];
  g.angle_slope = angle_share * pi / m.cutoff;
  return g;
}

/// Row mb of the next layer from a row of j elements: times s + t x.
__device__ __forceinline__ void multiply_row(Row<double>& row, int j, double s_re, double s_im,
                                             double t_re, double t_im) {
#pragma unroll
  for (int ma = j; ma >= 0; --ma) {
    double re = 0, im = 0;
    if (ma < j) {
      re = s_re * row.re[ma] - s_im * row.im[ma];
      im = s_re * row.im[ma] + s_im * row.re[ma];
    }
    if (ma > 0) {
      re += t_re * row.re[ma - 1] - t_im * row.im[ma - 1];
      im += t_re * row.im[ma - 1] + t_im * row.re[ma - 1];
    }
    row.re[ma] = re;
    row.im[ma] = im;
  }
}

/// Rows Mb of all layers, summed over every `step`th bond from `slot` on.
template <int Mb>
__device__ __forceinline__ void sum_chain(const Model& m, const Group& g, const Lane& sum, int slot,
                                          int step) {
#pragma unroll
  for (int j = 2 * Mb; j <= last_layer; ++j)
#pragma unroll
    for (int ma = 0; ma <= j; ++ma) {
      const int e = half_offset(j) + Mb * (j + 1) + ma;
      sum.re(e) = ma == Mb && slot == 0 ? 1 : 0;  // the atom's own contribution
      sum.im(e) = 0;
    }
  for (; slot < m.slots; slot += step) {
    rooftune::forget_memory();
    const Geometry<double> geometry = get_geometry(m, bond_numbers(m, g, slot));
    const Bond<double> q = bond(geometry);
    Row<double> row;
    row.re[0] = q.fc;
    row.im[0] = 0;
#pragma unroll
    for (int j = 0; j <= last_layer; ++j) {
      if (j > Mb)
        multiply_row(row, j, q.ar, -q.ai, -q.br, q.bi);
      else if (j > 0)
        multiply_row(row, j, q.br, q.bi, q.ar, q.ai);
      if (j < 2 * Mb) continue;
#pragma unroll
      for (int ma = 0; ma <= j; ++ma) {
        const int e = half_offset(j) + Mb * (j + 1) + ma;
        sum.re(e) += row.re[ma];
        sum.im(e) += row.im[ma];
      }
    }
  }
}

template <int Mb = 0>
__device__ __forceinline__ void sum_chain_of(int mb, const Model& m, const Group& g,
                                             const Lane& sum, int slot, int step) {
  if (mb == Mb)
    sum_chain<Mb>(m, g, sum, slot, step);
  else if constexpr (Mb + 1 < chains)
    sum_chain_of<Mb + 1>(mb, m, g, sum, slot, step);
}

/// U of the group's atoms, all rows. Half of them are summed where Y will be, and where U will be.
__device__ __forceinline__ void sum_group(const Model& m, const Group& g) {
  for (int i = g.team; i < chains * sums_of_u; i += teams)
    sum_chain_of(i % chains, m, g, i < chains ? g.y : g.u, i / chains, sums_of_u);
  __syncthreads();
  if constexpr (sums_of_u > 1) {
    for (int e = g.team; e < half_count; e += teams) {
      g.y.re(e) += g.u.re(e);
      g.y.im(e) += g.u.im(e);
    }
    __syncthreads();
  }
  for (int e = g.team; e < half_count; e += teams) {
    const Place p = m.place[e];
    const double factor = m.constants.scale[e], re = factor * g.y.re(e), im = factor * g.y.im(e);
    const int low = full_offset(p.j) + p.mb * (p.j + 1) + p.ma;
    const int high = full_offset(p.j) + (p.j - p.mb) * (p.j + 1) + p.j - p.ma;
    const bool odd = (p.ma + p.mb) % 2 != 0;
    g.u.re(low) = re;
    g.u.im(low) = im;
    if (2 * p.mb == p.j) continue;
    g.u.re(high) = odd ? -re : re;
    g.u.im(high) = odd ? im : -im;
  }
  for (int e = g.team; e < beyond; e += teams)
    g.u.re(-1 - e) = g.u.im(-1 - e) = g.u.re(full_count + e) = g.u.im(full_count + e) = 0;
  __syncthreads();
}

/// Complex sums of a strip: of each of its T columns, of each of N values of j from the largest
/// down.
template <int N, int T>
struct StripSums {
  double re[T][N], im[T][N];
};

/// Coefficients for all lanes of a warp, two at a time.
template <int Count>
struct Coefficients {
  double value[(Count + 1) / 2 * 2];

  __device__ __forceinline__ explicit Coefficients(const double* from) {
    const auto* const pairs = reinterpret_cast<const double2*>(from);
#pragma unroll
    for (int i = 0; i < (Count + 1) / 2; ++i) {
      const double2 two = rooftune::load_read_only(pairs + i);
      value[2 * i] = two.x;
      value[2 * i + 1] = two.y;
    }
  }
};

/// Products of two rows, from `left` upwards with from `right` downwards.
template <int N, int T>
__device__ __forceinline__ void couple_rows(const Lane& left, const Lane& right, int columns,
                                            const double* c, StripSums<N, T>& sum) {
  // What column t meets now, column t + 1 meets next.
  double window_re[T], window_im[T];
#pragma unroll
  for (int t = 1; t < T; ++t) {
    window_re[t - 1] = right.re(t);
    window_im[t - 1] = right.im(t);
  }
  const double *a = left.at, *b = right.at;
  for (int k = 0; k < columns; ++k) {
    const double re = a[0], im = a[group_atoms];
#pragma unroll
    for (int t = T - 1; t > 0; --t) {
      window_re[t] = window_re[t - 1];
      window_im[t] = window_im[t - 1];
    }
    window_re[0] = b[0];
    window_im[0] = b[group_atoms];
    const Coefficients<T * N> weight(c);
#pragma unroll
    for (int t = 0; t < T; ++t) {
      const double product_re = re * window_re[t] - im * window_im[t],
                   product_im = re * window_im[t] + im * window_re[t];
#pragma unroll
      for (int q = 0; q < N; ++q) {
        sum.re[t][q] += weight.value[t * N + q] * product_re;
        sum.im[t][q] += weight.value[t * N + q] * product_im;
      }
    }
    a += 2 * group_atoms;
    b -= 2 * group_atoms;
    c += (T * N + 1) / 2 * 2;
  }
}

/// Writes a strip of Y as dE needs it, and returns what it adds to the energy.
template <int N, int T>
__device__ __forceinline__ double finish_strip(const Model& m, const Group& g, const Strip& strip,
                                               const StripSums<N, T>& y) {
  double energy = 0;
#pragma unroll
  for (int t = 0; t < T; ++t)
#pragma unroll
    for (int q = 0; q < N; ++q) {
      const int j = strip.j - 2 * q, mb = strip.mb - q, ma = strip.ma + t - q;
      if (mb < 0 || ma < 0 || ma > j) continue;
      const int e = half_offset(j) + mb * (j + 1) + ma, f = full_offset(j) + mb * (j + 1) + ma;
      const double weight = half_weight(j, mb, ma), scale = weight * m.constants.scale[e];
      energy += weight * (g.u.re(f) * y.re[t][q] + g.u.im(f) * y.im[t][q]);
      g.y.re(e) = scale * y.re[t][q];
      g.y.im(e) = scale * y.im[t][q];
    }
  return energy;
}

template <int N, int T>
__device__ __forceinline__ double couple_strip(const Model& m, const Group& g, const Strip& strip) {
  StripSums<N, T> y = {};
  for (int i = strip.first; i < strip.end; ++i) {
    const Segment s = m.segment[i];
    Lane left = g.u.from(s.first1), right = g.u.from(s.first2);
    const double* row_c = m.strip_c + s.row_c;
    for (int row = 0; row < s.rows; ++row) {
      StripSums<N, T> sum = {};
      couple_rows(left, right, s.columns, m.strip_c + s.column_c, sum);
      const Coefficients<N> weight(row_c);
#pragma unroll
      for (int t = 0; t < T; ++t)
#pragma unroll
        for (int q = 0; q < N; ++q) {
          y.re[t][q] += weight.value[q] * sum.re[t][q];
          y.im[t][q] += weight.value[q] * sum.im[t][q];
        }
      row_c += (N + 1) / 2 * 2;
      left = left.from(s.step1);
      right = right.from(-s.step2);
    }
  }
  return finish_strip(m, g, strip, y);
}

/// The form of couple_strip that is compiled for the strip.
template <int N = 1, int T = 1>
__device__ __forceinline__ double couple_strip_of(const Model& m, const Group& g,
                                                  const Strip& strip) {
  if constexpr (N < chains)
    if (strip.values != N) return couple_strip_of<N + 1, T>(m, g, strip);
  if constexpr (T < most_columns && (T + 1) * N <= KNOB_Y_SUMS)
    if (strip.columns != T) return couple_strip_of<N, T + 1>(m, g, strip);
  return couple_strip<N, T>(m, g, strip);
}

/// Y of the group's atoms, and their energies.
__device__ __forceinline__ void couple_group(const Model& m, const Group& g) {
  double energy = 0;
  for (int i = m.share[g.team]; i < m.share[g.team + 1]; ++i)
    energy += couple_strip_of(m, g, m.strip[i]);
  __syncthreads();
  // Nobody needs U any more.
  g.u.re(g.team) = energy;
  __syncthreads();
  if (g.team > 0 || g.atom >= m.atoms) return;
  for (int team = 1; team < teams; ++team) energy += g.u.re(team);
  m.energy[g.atom] = m.constant_energy + 2.0 / 3.0 * energy;
}

/// Shows a row of u to the sums against Y and its images under rotations: sum[0] is u against Y,
/// the others are the matrices of rotation(): xi, eta, omega.
struct RotatedSums {
  const Lane& y;
  double* sum;

  template <class Number>
  __device__ __forceinline__ void operator()(Number j, int mb,
                                             const Strand<double, 1>& strand) const {
    const Row<double>& u = strand.row[0];
#pragma unroll
    for (int ma = 0; ma < contracted(j, mb, 0); ++ma) {
      const int e = half_offset(j) + mb * (j + 1) + ma;
      const double y_re = y.re(e), y_im = y.im(e);
      const double below_re = ma > 0 ? (j - ma + 1) * u.re[ma - 1] : 0,
                   below_im = ma > 0 ? (j - ma + 1) * u.im[ma - 1] : 0,
                   above_re = ma < j ? (ma + 1) * u.re[ma + 1] : 0,
                   above_im = ma < j ? (ma + 1) * u.im[ma + 1] : 0;
      sum[0] += u.re[ma] * y_re + u.im[ma] * y_im;
      sum[1] += (below_re - above_re) * y_re + (below_im - above_im) * y_im;
      sum[2] += (below_re + above_re) * y_im - (below_im + above_im) * y_re;
      sum[3] += (j - 2 * ma) * (u.re[ma] * y_im - u.im[ma] * y_re);
    }
  }
};

/// Stages dU and dE: a warp per bond.
__device__ __forceinline__ void slope_group(const Model& m, const Group& g) {
  for (int slot = g.team; slot < m.slots; slot += teams) {
    rooftune::forget_memory();
    const double* const numbers = bond_numbers(m, g, slot);
    const Bond<double> q = bond(get_geometry(m, numbers));
    double sum[4] = {};
    walk_unrolled<last_layer, 0>(Raiser<false, double>{q, nullptr, {}}, RotatedSums{g.y, sum},
                                 Strand<double, 1>{});
    if (slot < g.count)
      finish_slopes<true>(m, g.atom, g.first + slot, q, bond_slope(get_geometry(m, numbers)), sum);
  }
}

}  // namespace snap_kernel

/// A thread per atom and bond: its geometry, element by element for groups of atoms.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    snap_geometry(const snap_kernel::Model m) {
  using namespace snap_kernel;
  const Int64 group = Int64{blockIdx.x} * teams + threadIdx.x / group_atoms;
  if (group * group_atoms >= m.atoms) return;
  const Group g = group_of(m, group, nullptr);
  const int slot = static_cast<int>(blockIdx.y);
  put_geometry(bond_numbers(m, g, slot), geometry(m, slot < g.count ? g.first + slot : -1));
}

/// A block per group of atoms.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    snap_groups(const snap_kernel::Model m) {
  using namespace snap_kernel;
  ROOFTUNE_DYNAMIC_SHARED(double, memory);
  const Group g = group_of(m, blockIdx.x, memory);
  sum_group(m, g);
  couple_group(m, g);
  slope_group(m, g);
}
