// The stages of SNAP for one atom, or for one vector of atoms or bonds: sums into U, Y from U, the
// weights that contractions use, and energies. Where arrays lie is said by Views.
// The caller clears U before bonds are added.
#pragma once
#include "body.h"
#include "walk.h"

namespace snap_kernel {

#if defined(__CUDACC__)
// On a GPU T is double; through memcpy snap_couple would take 183 registers instead of 86.
template <class T>
ROOFTUNE_FUNCTION T get(const double* p) {
  return *p;
}
template <class T>
ROOFTUNE_FUNCTION void put(double* p, const T& v) {
  *p = v;
}
#else
template <class T>
ROOFTUNE_FUNCTION T get(const double* p) {
  T v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
ROOFTUNE_FUNCTION void put(double* p, const T& v) {
  __builtin_memcpy(p, &v, sizeof v);
}
#endif

/// Complex elements of one unit, `stride` doubles apart. Stride > 0: known to the compiler.
template <int Stride>
struct View {
  double* at;
  rooftune::Int64 stride_, imaginary;

  ROOFTUNE_FUNCTION rooftune::Int64 stride() const { return Stride > 0 ? Stride : stride_; }
  ROOFTUNE_FUNCTION double* re(int e) const { return at + e * stride(); }
  ROOFTUNE_FUNCTION double* im(int e) const { return at + e * stride() + imaginary; }
};

/// U starts as the unit matrix, the atom's own contribution; `all`: all rows, else mb <= j/2.
template <class T, class V>
ROOFTUNE_FUNCTION void clear_u(int twojmax, bool all, const V& u, double own) {
  for (int j = 0; j <= twojmax; ++j)
    for (int mb = 0; mb <= (all ? j : j / 2); ++mb)
      for (int ma = 0; ma <= j; ++ma) {
        const int e = (all ? full_offset(j) : half_offset(j)) + mb * (j + 1) + ma;
        put<T>(u.re(e), T{} + (ma == mb ? own : 0.0));
        put<T>(u.im(e), T{});
      }
}

/// U += fc u for one row.
template <class T, class V>
ROOFTUNE_FUNCTION void add_row(int j, int mb, const T& fc, const Row<T>& row, const V& u) {
  const int e = half_offset(j) + mb * (j + 1);
  SNAP_UNROLL_ROW
  for (int ma = 0; ma <= j; ++ma) {
    put<T>(u.re(e + ma), get<T>(u.re(e + ma)) + fc * row.re[ma]);
    put<T>(u.im(e + ma), get<T>(u.im(e + ma)) + fc * row.im[ma]);
  }
}

/// The same with all rows stored: the mirrored row as well.
template <class T, class V>
ROOFTUNE_FUNCTION void add_row_and_mirror(int j, int mb, const T& fc, const Row<T>& row,
                                          const V& u) {
  const int e = full_offset(j) + mb * (j + 1);
  SNAP_UNROLL_ROW
  for (int ma = 0; ma <= j; ++ma) {
    put<T>(u.re(e + ma), get<T>(u.re(e + ma)) + fc * row.re[ma]);
    put<T>(u.im(e + ma), get<T>(u.im(e + ma)) + fc * row.im[ma]);
  }
  if (2 * mb == j) return;
  const int last = full_offset(j) + (j - mb) * (j + 1) + j;
  SNAP_UNROLL_ROW
  for (int ma = 0; ma <= j; ++ma) {
    const T sign = (ma + mb) % 2 == 0 ? fc : -fc;
    put<T>(u.re(last - ma), get<T>(u.re(last - ma)) + sign * row.re[ma]);
    put<T>(u.im(last - ma), get<T>(u.im(last - ma)) - sign * row.im[ma]);
  }
}

/// One element of the half and its mirror image, from a monomial if `scale` is not null.
template <class T, class V, class F>
ROOFTUNE_FUNCTION void expand_element(int j, int mb, int ma, const double* scale, const V& half,
                                      const F& full) {
  const int e = half_offset(j) + mb * (j + 1) + ma;
  const double factor = scale ? scale[e] : 1.0;
  const T re = factor * get<T>(half.re(e)), im = factor * get<T>(half.im(e));
  const int low = full_offset(j) + mb * (j + 1) + ma;
  const int high = full_offset(j) + (j - mb) * (j + 1) + j - ma;
  put<T>(full.re(low), re);
  put<T>(full.im(low), im);
  if (2 * mb == j) return;
  const bool odd = (ma + mb) % 2 != 0;
  put<T>(full.re(high), odd ? -re : re);
  put<T>(full.im(high), odd ? im : -im);
}

/// Monomials to u, all rows from half of them. `scale` null: they are u already.
template <class T, class V, class F>
ROOFTUNE_FUNCTION void expand_u(int twojmax, const double* scale, const V& half, const F& full) {
  for (int j = 0; j <= twojmax; ++j)
    for (int mb = 0; 2 * mb <= j; ++mb)
      for (int ma = 0; ma <= j; ++ma) expand_element<T>(j, mb, ma, scale, half, full);
}

/// Monomials to u where all rows are stored.
template <class T, class F>
ROOFTUNE_FUNCTION void rescale_u(int twojmax, const double* scale, const F& full) {
  for (int j = 0; j <= twojmax; ++j)
    for (int mb = 0; 2 * mb <= j; ++mb)
      for (int ma = 0; ma <= j; ++ma) {
        const double factor = scale[half_offset(j) + mb * (j + 1) + ma];
        const int low = full_offset(j) + mb * (j + 1) + ma;
        const int high = full_offset(j) + (j - mb) * (j + 1) + j - ma;
        put<T>(full.re(low), factor * get<T>(full.re(low)));
        put<T>(full.im(low), factor * get<T>(full.im(low)));
        if (2 * mb == j) continue;
        put<T>(full.re(high), factor * get<T>(full.re(high)));
        put<T>(full.im(high), factor * get<T>(full.im(high)));
      }
}

/// One element of Z.
template <class T, class V>
ROOFTUNE_FUNCTION void coupled(const Coupling& c, const double* cg, const V& u, T& z_re, T& z_im) {
  z_re = T{};
  z_im = T{};
  for (int row = 0; row < c.rows; ++row) {
    T re{}, im{};
    const int e1 = c.first1 + row * c.step1, e2 = c.first2 - row * c.step2;
    for (int column = 0; column < c.columns; ++column) {
      const T re1 = get<T>(u.re(e1 + column)), im1 = get<T>(u.im(e1 + column));
      const T re2 = get<T>(u.re(e2 - column)), im2 = get<T>(u.im(e2 - column));
      const double weight = cg[c.column_c + column];
      re += weight * (re1 * re2 - im1 * im2);
      im += weight * (re1 * im2 + im1 * re2);
    }
    z_re += cg[c.row_c + row] * re;
    z_im += cg[c.row_c + row] * im;
  }
}

/// coupled() with the columns of one row in vectors of the compiler's.
template <class V>
ROOFTUNE_FUNCTION void coupled_columns(const Coupling& c, const double* cg, const V& u,
                                       double& z_re, double& z_im) {
  z_re = 0;
  z_im = 0;
  for (int row = 0; row < c.rows; ++row) {
    double re = 0, im = 0;
    const double* const re1 = u.re(c.first1 + row * c.step1);
    const double* const im1 = u.im(c.first1 + row * c.step1);
    const double* const re2 = u.re(c.first2 - row * c.step2);
    const double* const im2 = u.im(c.first2 - row * c.step2);
    const rooftune::Int64 s = u.stride();
    const double* const weight = cg + c.column_c;
#if defined(_OPENMP)
#pragma omp simd reduction(+ : re, im)
#endif
    for (int k = 0; k < c.columns; ++k) {
      re += weight[k] * (re1[k * s] * re2[-k * s] - im1[k * s] * im2[-k * s]);
      im += weight[k] * (re1[k * s] * im2[-k * s] + im1[k * s] * re2[-k * s]);
    }
    z_re += cg[c.row_c + row] * re;
    z_im += cg[c.row_c + row] * im;
  }
}

template <class T, class V>
ROOFTUNE_FUNCTION void add_to(const V& y, int e, const T& re, const T& im) {
  put<T>(y.re(e), get<T>(y.re(e)) + re);
  put<T>(y.im(e), get<T>(y.im(e)) + im);
}

/// One Product with N values of j.
template <int N, class T, class V, class Y>
ROOFTUNE_FUNCTION void couple_product(const Product& p, const Constants& t, const V& u,
                                      const Y& y) {
  const double* row_c = t.product_c + p.row_c;
  const double* const column_c = t.product_c + p.column_c;
  T z_re[N] = {}, z_im[N] = {};
  int first1 = p.first1, first2 = p.first2;
  for (int row = 0; row < p.rows; ++row) {
    T re[N] = {}, im[N] = {};
    const double* c = column_c;
    for (int k = 0; k < p.columns; ++k, c += p.column_values) {
      const T re1 = get<T>(u.re(first1 + k)), im1 = get<T>(u.im(first1 + k));
      const T re2 = get<T>(u.re(first2 - k)), im2 = get<T>(u.im(first2 - k));
      const T product_re = re1 * re2 - im1 * im2, product_im = re1 * im2 + im1 * re2;
      SNAP_UNROLL(8)
      for (int q = 0; q < N; ++q) {
        re[q] += c[q] * product_re;
        im[q] += c[q] * product_im;
      }
    }
    SNAP_UNROLL(8)
    for (int q = 0; q < N; ++q) {
      z_re[q] += row_c[q] * re[q];
      z_im[q] += row_c[q] * im[q];
    }
    row_c += p.row_values;
    first1 += p.step1;
    first2 -= p.step2;
  }
  const int* const target = t.product_targets + p.targets;
  SNAP_UNROLL(8)
  for (int q = 0; q < N; ++q) add_to<T>(y, target[q], z_re[q], z_im[q]);
}

/// One Product, whatever its number of values of j.
template <class T, class V, class Y>
ROOFTUNE_FUNCTION void couple_product(const Product& p, const Constants& t, const V& u,
                                      const Y& y) {
  switch (p.count) {
    case 1:
      couple_product<1, T>(p, t, u, y);
      break;
    case 2:
      couple_product<2, T>(p, t, u, y);
      break;
    case 3:
      couple_product<3, T>(p, t, u, y);
      break;
    case 4:
      couple_product<4, T>(p, t, u, y);
      break;
    case 5:
      couple_product<5, T>(p, t, u, y);
      break;
    case 6:
      couple_product<6, T>(p, t, u, y);
      break;
    case 7:
      couple_product<7, T>(p, t, u, y);
      break;
    default:
      couple_product<8, T>(p, t, u, y);
      break;
  }
}

/// Y from U, all j of a pair (j1, j2) from the same products.
template <class T, class V, class Y>
ROOFTUNE_FUNCTION void couple_shared(const Constants& t, const V& u, const Y& y) {
  for (int i = 0; i < t.products; ++i) couple_product<T>(t.product[i], t, u, y);
}

/// (2/3) sum Re(U conj Y) over half of each layer: the energy without the constant term, since it
/// is a cubic form of U with gradient Y. U has all rows.
template <class T, class V, class Y>
ROOFTUNE_FUNCTION T contracted_energy(int twojmax, const V& u, const Y& y) {
  T sum{};
  for (int j = 0; j <= twojmax; ++j)
    for (int mb = 0; 2 * mb <= j; ++mb)
      for (int ma = 0; ma < contracted(j, mb, 0); ++ma) {
        const int e = half_offset(j) + mb * (j + 1) + ma, f = full_offset(j) + mb * (j + 1) + ma;
        sum += half_weight(j, mb, ma) *
               (get<T>(u.re(f)) * get<T>(y.re(e)) + get<T>(u.im(f)) * get<T>(y.im(e)));
      }
  return sum * (2.0 / 3.0);
}

/// One element of weigh_y.
template <class T, class Y>
ROOFTUNE_FUNCTION void weigh_element(int j, int mb, int ma, const double* scale, const Y& y) {
  const int e = half_offset(j) + mb * (j + 1) + ma;
  const double weight = half_weight(j, mb, ma) * (scale ? scale[e] : 1.0);
  put<T>(y.re(e), weight * get<T>(y.re(e)));
  put<T>(y.im(e), weight * get<T>(y.im(e)));
}

/// Y becomes what du is contracted with: halved in the middle, scaled for monomials.
template <class T, class Y>
ROOFTUNE_FUNCTION void weigh_y(int twojmax, const double* scale, const Y& y) {
  for (int j = 0; j <= twojmax; ++j)
    for (int mb = 0; 2 * mb <= j; ++mb)
      for (int ma = 0; ma < contracted(j, mb, 0); ++ma) weigh_element<T>(j, mb, ma, scale, y);
}

/// One element of rotate_y.
template <class T, class Y, class W>
ROOFTUNE_FUNCTION void rotate_element(int j, int mb, int ma, const double* scale,
                                      const double* root, const Y& y, const W& w) {
  const int e = half_offset(j) + mb * (j + 1) + ma;
  const double factor = scale ? scale[e] : 1.0;
  const auto ladder = [&](int m) {
    return m < 1 || m > j ? 0.0
                          : factor * root[m * (longest_row + 1) + 1] *
                                root[(j - m + 1) * (longest_row + 1) + 1];
  };
  const double down = ma > 0 ? ladder(ma) * half_weight(j, mb, ma - 1) : 0;
  const double up = ma < j ? ladder(ma + 1) * half_weight(j, mb, ma + 1) : 0;
  const double here = factor * half_weight(j, mb, ma);
  const int below = down != 0 ? e - 1 : e, above = up != 0 ? e + 1 : e;
  const T re = here * get<T>(y.re(e)), im = here * get<T>(y.im(e));
  const T up_re = up * get<T>(y.re(above)), up_im = up * get<T>(y.im(above));
  const T down_re = down * get<T>(y.re(below)), down_im = down * get<T>(y.im(below));
  put<T>(w.re(4 * e), re);
  put<T>(w.im(4 * e), im);
  put<T>(w.re(4 * e + 1), up_re - down_re);
  put<T>(w.im(4 * e + 1), up_im - down_im);
  put<T>(w.re(4 * e + 2), up_im + down_im);
  put<T>(w.im(4 * e + 2), -(up_re + down_re));
  put<T>(w.re(4 * e + 3), (j - 2.0 * ma) * im);
  put<T>(w.im(4 * e + 3), -((j - 2.0 * ma) * re));
}

/// Elements 4 e .. 4 e + 3 of w: Y, and the images of Y under the generators of rotations, so that
/// du/dr conj Y is a sum of u conj w.
template <class T, class Y, class W>
ROOFTUNE_FUNCTION void rotate_y(int twojmax, const double* scale, const double* root, const Y& y,
                                const W& w) {
  for (int j = 0; j <= twojmax; ++j)
    for (int mb = 0; 2 * mb <= j; ++mb)
      for (int ma = 0; ma <= j; ++ma) rotate_element<T>(j, mb, ma, scale, root, y, w);
}

}  // namespace snap_kernel
