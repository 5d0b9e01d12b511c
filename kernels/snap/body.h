// SNAP for one bond: Cayley-Klein parameters, the recursion of the hyperspherical functions u_j and
// their derivatives (Thompson et al., J. Comput. Phys. 285, 316 (2015)).
// T is double, or a vector of double with one bond per lane; angles and roots come from the caller.
#pragma once
#include "rooftune/portable.h"

/// How far loops over a row are unrolled; a variant with known rows unrolls them whole.
#ifndef SNAP_ROW_UNROLL
#define SNAP_ROW_UNROLL 1
#endif

/// In front of a loop: how far it is unrolled.
#define SNAP_PRAGMA(text) _Pragma(#text)
#if defined(__CUDACC__)
#define SNAP_UNROLL(n) SNAP_PRAGMA(unroll n)
#else
#define SNAP_UNROLL(n) SNAP_PRAGMA(GCC unroll n)
#endif
#if defined(__CUDACC__) && SNAP_ROW_UNROLL > 1
#define SNAP_UNROLL_ROW SNAP_PRAGMA(unroll)
#else
#define SNAP_UNROLL_ROW SNAP_UNROLL(row_unroll)
#endif

namespace snap_kernel {

constexpr int row_unroll = SNAP_ROW_UNROLL;
constexpr int largest_twojmax = 14;
constexpr int longest_row = largest_twojmax + 1;
constexpr double pi = 3.14159265358979323846;
/// Share of pi that the angle theta_0 reaches at the cutoff.
constexpr double angle_share = 0.99363;

/// First element of u_j where all rows are stored: sum of (i + 1)^2 for i < j.
ROOFTUNE_FUNCTION constexpr int full_offset(int j) { return j * (j + 1) * (2 * j + 1) / 6; }

/// First element of u_j where rows mb <= j/2 are stored: sum of (i/2 + 1)(i + 1) for i < j.
ROOFTUNE_FUNCTION constexpr int half_offset(int j) {
  const int m = j / 2;
  const int even = 4 * ((m - 1) * m * (2 * m - 1) / 6) + 7 * ((m - 1) * m / 2) + 3 * m;
  return j % 2 == 0 ? even : even + (m + 1) * j;
}

/// a and b of one bond, unit quaternion, and the switching function.
template <class T>
struct Bond {
  T ar, ai, br, bi, fc;
};

/// Derivatives of a Bond in x, y and z.
template <class T>
struct BondSlope {
  T ar[3], ai[3], br[3], bi[3], fc[3];
};

/// What both need: unit vector, 1/r, sine and cosine of theta_0, switching function and its slope.
template <class T>
struct Geometry {
  T unit[3], inverse_r, sine, cosine, fc, fc_slope, angle_slope;
};

/// theta_0 = 0.99363 pi r / cutoff, a = cos - i sin z/r, b = sin (y - i x)/r.
template <class T>
ROOFTUNE_FUNCTION Bond<T> bond(const Geometry<T>& g) {
  return {g.cosine, -g.sine * g.unit[2], g.sine * g.unit[1], -g.sine * g.unit[0], g.fc};
}

template <class T>
ROOFTUNE_FUNCTION BondSlope<T> bond_slope(const Geometry<T>& g) {
  BondSlope<T> s;
  const T across = g.sine * g.inverse_r;
  const T along = g.cosine * g.angle_slope - across;
  for (int c = 0; c < 3; ++c) {
    const T radial = along * g.unit[c];
    s.ar[c] = -g.sine * g.angle_slope * g.unit[c];
    s.ai[c] = -(radial * g.unit[2]);
    s.br[c] = radial * g.unit[1];
    s.bi[c] = -(radial * g.unit[0]);
    s.fc[c] = g.fc_slope * g.unit[c];
  }
  s.ai[2] -= across;
  s.br[1] += across;
  s.bi[0] -= across;
  return s;
}

/// One row of a complex triangle, real and imaginary parts apart.
template <class T>
struct Row {
  T re[longest_row + 1], im[longest_row + 1];
};

/// sqrt(p/q) for p, q <= 2J; with Roots false the recursion runs on monomials, whose elements are
/// those of u times sqrt(binomial(j, ma) / binomial(j, mb)).
struct Roots {
  const double* table;
  ROOFTUNE_FUNCTION double operator()(int p, int q) const {
    return table[p * (longest_row + 1) + q];
  }
};

/// out = root_a conj(a) in[ma] - root_b conj(b) in[ma - 1]: row mb of u_j from that of u_(j-1).
/// `out` may be `in`.
template <bool Rooted, class T>
ROOFTUNE_FUNCTION void raise_row(const Bond<T>& q, int j, int mb, const Roots& root,
                                 const Row<T>& in, Row<T>& out) {
  SNAP_UNROLL_ROW
  for (int ma = j; ma >= 0; --ma) {
    T re{}, im{};
    if (ma < j) {
      re = q.ar * in.re[ma] + q.ai * in.im[ma];
      im = q.ar * in.im[ma] - q.ai * in.re[ma];
      if (Rooted) {
        re *= root(j - ma, j - mb);
        im *= root(j - ma, j - mb);
      }
    }
    if (ma > 0) {
      const T back_re = q.br * in.re[ma - 1] + q.bi * in.im[ma - 1];
      const T back_im = q.br * in.im[ma - 1] - q.bi * in.re[ma - 1];
      if (Rooted) {
        re -= root(ma, j - mb) * back_re;
        im -= root(ma, j - mb) * back_im;
      } else {
        re -= back_re;
        im -= back_im;
      }
    }
    out.re[ma] = re;
    out.im[ma] = im;
  }
}

/// Product rule on raise_row in direction c; `in` is the row of u, `slope` that of its derivative.
template <bool Rooted, class T>
ROOFTUNE_FUNCTION void raise_slope(const Bond<T>& q, const BondSlope<T>& d, int c, int j, int mb,
                                   const Roots& root, const Row<T>& in, const Row<T>& slope,
                                   Row<T>& out) {
  SNAP_UNROLL_ROW
  for (int ma = j; ma >= 0; --ma) {
    T re{}, im{};
    if (ma < j) {
      const double scale = Rooted ? root(j - ma, j - mb) : 1.0;
      re = scale *
           (q.ar * slope.re[ma] + q.ai * slope.im[ma] + d.ar[c] * in.re[ma] + d.ai[c] * in.im[ma]);
      im = scale *
           (q.ar * slope.im[ma] - q.ai * slope.re[ma] + d.ar[c] * in.im[ma] - d.ai[c] * in.re[ma]);
    }
    if (ma > 0) {
      const double scale = Rooted ? root(ma, j - mb) : 1.0;
      re -= scale * (q.br * slope.re[ma - 1] + q.bi * slope.im[ma - 1] + d.br[c] * in.re[ma - 1] +
                     d.bi[c] * in.im[ma - 1]);
      im -= scale * (q.br * slope.im[ma - 1] - q.bi * slope.re[ma - 1] + d.br[c] * in.im[ma - 1] -
                     d.bi[c] * in.re[ma - 1]);
    }
    out.re[ma] = re;
    out.im[ma] = im;
  }
}

/// Row j - mb of u_j from row mb: u_j[j - mb][j - ma] = (-1)^(ma + mb) conj u_j[mb][ma].
template <class T>
ROOFTUNE_FUNCTION void mirror_row(int j, int mb, const Row<T>& in, Row<T>& out) {
  SNAP_UNROLL_ROW
  for (int low = 0; 2 * low <= j; ++low) {
    const int high = j - low;
    const bool odd_low = (low + mb) % 2 != 0, odd_high = (high + mb) % 2 != 0;
    const T low_re = in.re[low], low_im = in.im[low];
    const T high_re = in.re[high], high_im = in.im[high];
    out.re[high] = odd_low ? -low_re : low_re;
    out.im[high] = odd_low ? low_im : -low_im;
    out.re[low] = odd_high ? -high_re : high_re;
    out.im[low] = odd_high ? high_im : -high_im;
  }
}

/// Elements of a row that a contraction over half of u_j needs: the middle row counts half, so its
/// second half is left out.
ROOFTUNE_FUNCTION constexpr int contracted(int j, int mb, int more) {
  return 2 * mb == j && j / 2 + 1 + more < j + 1 ? j / 2 + 1 + more : j + 1;
}

/// Weight of an element in a contraction over half of u_j.
ROOFTUNE_FUNCTION constexpr double half_weight(int j, int mb, int ma) {
  return 2 * mb < j || (2 * mb == j && 2 * ma < j) ? 1.0 : 2 * mb == j && 2 * ma == j ? 0.5 : 0.0;
}

/// The matrix g^+ dg of su(2) in direction c: i omega on the diagonal, xi + i eta above it.
/// Since u_j is a representation, du_j = u_j times its image, which is tridiagonal in ma.
template <class T>
struct Rotation {
  T xi, eta, omega;
};

template <class T>
ROOFTUNE_FUNCTION Rotation<T> rotation(const Bond<T>& q, const BondSlope<T>& d, int c) {
  return {q.br * d.ar[c] + q.bi * d.ai[c] - q.ar * d.br[c] - q.ai * d.bi[c],
          q.br * d.ai[c] - q.bi * d.ar[c] + q.ar * d.bi[c] - q.ai * d.br[c],
          q.ai * d.ar[c] - q.ar * d.ai[c] + q.br * d.bi[c] - q.bi * d.br[c]};
}

ROOFTUNE_FUNCTION constexpr int larger(int a, int b) { return a > b ? a : b; }
ROOFTUNE_FUNCTION constexpr int smaller(int a, int b) { return a < b ? a : b; }

/// m1 that go with m1 + m2 = m: from low to high.
struct Span {
  int low, high;
  ROOFTUNE_FUNCTION Span(int j1, int j2, int m) : low(larger(0, m - j2)), high(smaller(j1, m)) {}
  ROOFTUNE_FUNCTION int count() const { return high - low + 1; }
};

/// One element of Z(j1, j2, j): rows and columns of U_j1 that meet those of U_j2 in reverse.
struct Coupling {
  int first1, first2;   ///< first element of either U, all rows stored
  int rows, columns;    ///< products per direction
  int step1, step2;     ///< length of a row: j1 + 1, j2 + 1
  int row_c, column_c;  ///< Clebsch-Gordan coefficients of rows and columns
  int target;           ///< element of Y_j, half stored
  double beta;          ///< factor of Z in Y
};

/// Products of U_j1 and U_j2 at one (mb1 + mb2, ma1 + ma2), weighed for several j at once.
struct Product {
  int first1, first2;               ///< first element of either U, all rows stored
  short rows, columns;              ///< products per direction
  short step1, step2;               ///< length of a row: j1 + 1, j2 + 1
  short count;                      ///< values of j, from the largest down
  short row_values, column_values;  ///< distance of coefficients of a row, of a column
  int row_c, column_c;              ///< [row][j], with the factors of Z in Y, and [column][j]
  int targets;                      ///< elements of Y, half stored: [j]
};

/// Products of U_j1 and U_j2 that meet at M = 2 mb - j and some M' = 2 ma - j side by side.
struct Segment {
  int first1, first2;   ///< first element of either U, all rows stored
  int step1, step2;     ///< length of a row: j1 + 1, j2 + 1
  int rows, columns;    ///< products per direction
  int row_c, column_c;  ///< [row][j], with the factors of Z in Y, and [column][M'][j]
};

/// Elements of Y of one M: `columns` numbers M' and `values` of j, from the largest down.
struct Strip {
  int first, end;  ///< segments
  int values, columns;
  int j, mb, ma;  ///< its first element; the next j has mb - 1, ma - 1, the next M' has ma + 1
};

/// The constants of one 2J, as stages use them; Tables own them.
struct Constants {
  const double *root, *scale, *cg, *product_c;
  const Coupling* coupling;
  const Product* product;
  const int *target_first, *product_targets;
  int couplings, products;
};

}  // namespace snap_kernel
