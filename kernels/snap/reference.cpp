// SNAP energies and forces, serial and plain: for each atom U, then Y, then the derivative of u by
// each neighbour, by the recursions as published.
// The caller provides, for atom i, the bonds first[i] .. first[i + 1] - 1: who the neighbour is and
// where it is seen from i. `mirror` (the same bond seen from the neighbour) is not needed here.
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include "tables.h"

namespace {

using snap_kernel::full_offset;
using snap_kernel::half_offset;
using Complex = std::complex<double>;

/// u_j of one bond, all rows, and its derivatives.
struct Functions {
  std::vector<Complex> u, slope[3];
};

double switching(double r, double cutoff) {
  return r <= cutoff ? 0.5 * (std::cos(snap_kernel::pi * r / cutoff) + 1) : 0;
}

double switching_slope(double r, double cutoff) {
  const double k = snap_kernel::pi / cutoff;
  return r <= cutoff ? -0.5 * k * std::sin(k * r) : 0;
}

/// The second half of layer j: u[j - mb][j - ma] = (-1)^(ma + mb) conj u[mb][ma].
void mirror_layer(int j, std::vector<Complex>& u) {
  Complex* layer = &u[static_cast<std::size_t>(full_offset(j))];
  for (int mb = 0; 2 * mb <= j; ++mb)
    for (int ma = 0; ma <= j; ++ma)
      if (2 * mb < j || 2 * ma <= j)
        layer[(j - mb) * (j + 1) + j - ma] =
            ((ma + mb) % 2 == 0 ? 1.0 : -1.0) * std::conj(layer[mb * (j + 1) + ma]);
}

/// u_j += root conj(a) u_(j-1), u_j -= root conj(b) u_(j-1), and the product rule on both.
void raise(int j, Complex a, Complex b, const Complex da[3], const Complex db[3], Functions& f) {
  const std::size_t now = static_cast<std::size_t>(full_offset(j));
  const std::size_t before = static_cast<std::size_t>(full_offset(j - 1));
  for (int mb = 0; 2 * mb <= j; ++mb)
    for (int ma = 0; ma < j; ++ma) {
      const std::size_t from = before + static_cast<std::size_t>(mb * j + ma);
      const std::size_t to = now + static_cast<std::size_t>(mb * (j + 1) + ma);
      const double stay = std::sqrt((j - ma) / static_cast<double>(j - mb));
      const double step = std::sqrt((ma + 1) / static_cast<double>(j - mb));
      f.u[to] += stay * std::conj(a) * f.u[from];
      f.u[to + 1] -= step * std::conj(b) * f.u[from];
      for (int c = 0; c < 3; ++c) {
        std::vector<Complex>& d = f.slope[c];
        d[to] += stay * (std::conj(da[c]) * f.u[from] + std::conj(a) * d[from]);
        d[to + 1] -= step * (std::conj(db[c]) * f.u[from] + std::conj(b) * d[from]);
      }
    }
  mirror_layer(j, f.u);
  for (std::vector<Complex>& d : f.slope) mirror_layer(j, d);
}

/// u and du/dr for the neighbour at `at`.
Functions functions(const double at[3], double cutoff, int twojmax) {
  const double r = std::sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
  const double slope = snap_kernel::angle_share * snap_kernel::pi / cutoff;
  const double z0 = r / std::tan(slope * r);
  const double q = 1 / std::sqrt(r * r + z0 * z0);
  const double z0_slope = z0 / r - r * slope * (r * r + z0 * z0) / (r * r);
  const Complex a = q * Complex(z0, -at[2]), b = q * Complex(at[1], -at[0]);
  Complex da[3], db[3];
  for (int c = 0; c < 3; ++c) {
    const double dz0 = z0_slope * at[c] / r;
    const double dq = -q * q * q * (at[c] + z0 * dz0);
    da[c] = q * Complex(dz0, c == 2 ? -1 : 0) + dq * Complex(z0, -at[2]);
    db[c] = q * Complex(c == 1 ? 1 : 0, c == 0 ? -1 : 0) + dq * Complex(at[1], -at[0]);
  }
  Functions f;
  const auto count = static_cast<std::size_t>(full_offset(twojmax + 1));
  f.u.assign(count, 0);
  for (auto& d : f.slope) d.assign(count, 0);
  f.u[0] = 1;
  for (int j = 1; j <= twojmax; ++j) raise(j, a, b, da, db, f);
  return f;
}

/// Y_j += beta Z(j1, j2, j), rows mb <= j/2.
std::vector<Complex> adjoint(const snap_kernel::Tables& tables, const std::vector<Complex>& u) {
  std::vector<Complex> y(static_cast<std::size_t>(half_offset(tables.twojmax + 1)), 0);
  for (int i = 0; i < tables.couplings.size(); ++i) {
    const snap_kernel::Coupling& c = tables.couplings[i];
    Complex z = 0;
    for (int row = 0; row < c.rows; ++row) {
      Complex sum = 0;
      for (int column = 0; column < c.columns; ++column)
        sum += tables.cg[c.column_c + column] *
               u[static_cast<std::size_t>(c.first1 + row * c.step1 + column)] *
               u[static_cast<std::size_t>(c.first2 - row * c.step2 - column)];
      z += tables.cg[c.row_c + row] * sum;
    }
    y[static_cast<std::size_t>(c.target)] += c.beta * z;
  }
  return y;
}

/// 2 sum Re(v conj Y) over half of each layer: rows below the middle, and half of the middle row.
double contraction(int twojmax, const std::vector<Complex>& v, const std::vector<Complex>& y) {
  double sum = 0;
  for (int j = 0; j <= twojmax; ++j)
    for (int mb = 0; 2 * mb <= j; ++mb)
      for (int ma = 0; ma <= j; ++ma) {
        const auto place = static_cast<std::size_t>(mb * (j + 1) + ma);
        const Complex term = v[static_cast<std::size_t>(full_offset(j)) + place] *
                             std::conj(y[static_cast<std::size_t>(half_offset(j)) + place]);
        sum += snap_kernel::half_weight(j, mb, ma) * term.real();
      }
  return 2 * sum;
}

double distance(const double at[3]) {
  return std::sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
}

}  // namespace

void snap(std::int64_t atoms, std::int64_t, std::int64_t, std::int64_t order, std::int64_t,
          double cutoff, const double* beta, const std::int32_t* first,
          const std::int32_t* neighbour, const std::int32_t*, const double* displacement,
          double* force, double* energy) {
  const int twojmax = static_cast<int>(order);
  snap_kernel::Tables tables;
  tables.build(twojmax, beta + 1, false, false);
  for (std::int64_t i = 0; i < 3 * atoms; ++i) force[i] = 0;
  for (std::int64_t i = 0; i < atoms; ++i) {
    std::vector<Functions> bonds;
    std::vector<Complex> total(static_cast<std::size_t>(full_offset(twojmax + 1)), 0);
    for (int j = 0; j <= twojmax; ++j)
      for (int m = 0; m <= j; ++m)
        total[static_cast<std::size_t>(full_offset(j) + m * (j + 1) + m)] = 1;
    for (std::int32_t p = first[i]; p < first[i + 1]; ++p) {
      bonds.push_back(functions(displacement + 3 * p, cutoff, twojmax));
      const double fc = switching(distance(displacement + 3 * p), cutoff);
      for (std::size_t e = 0; e < total.size(); ++e) total[e] += fc * bonds.back().u[e];
    }
    const std::vector<Complex> y = adjoint(tables, total);
    energy[i] = beta[0] + contraction(twojmax, total, y) / 3;
    for (std::int32_t p = first[i]; p < first[i + 1]; ++p) {
      const Functions& f = bonds[static_cast<std::size_t>(p - first[i])];
      const double r = distance(displacement + 3 * p);
      const double radial = switching_slope(r, cutoff) * contraction(twojmax, f.u, y) / r;
      for (int c = 0; c < 3; ++c) {
        const double slope = radial * displacement[3 * p + c] +
                             switching(r, cutoff) * contraction(twojmax, f.slope[c], y);
        force[3 * i + c] += slope;
        force[3 * neighbour[p] + c] -= slope;
      }
    }
  }
}
