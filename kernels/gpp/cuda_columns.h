// What a thread sums: all its bands, for its pairs (G', G) and a block of energies in registers.
// The caller names the pairs once, adds bands, and takes the totals.
#pragma once
#include "cuda_arrays.h"
#include "rules.h"

namespace sigma_gpp {

/// 1/x for x in the range of squared energies.
__device__ __forceinline__ double inverse(double x) {
#if KNOB_REFINE == KNOB_REFINE_EXACT
  return 1 / x;
#else
  // 20 bits; a step of Newton's doubles them, one of Halley's trebles them.
  double r = rooftune::approximate_reciprocal(x);
  const double error = fma(-x, r, 1.0);
#if KNOB_REFINE == KNOB_REFINE_HALLEY
  return fma(r, fma(error, error, error), r);
#else
  r = fma(r, error, r);
  return fma(r, fma(-x, r, 1.0), r);
#endif
#endif
}

/// What the shared formulas are given.
struct Numbers {
  static __device__ __forceinline__ double inverse(double x) { return sigma_gpp::inverse(x); }
  static __device__ __forceinline__ double square_root(double x) { return sqrt(x); }
  static __device__ __forceinline__ Complex<double> smith(const Complex<double>& a,
                                                          const Complex<double>& b) {
    if (absolute(b.re) >= absolute(b.im)) {
      const double ratio = b.im / b.re, scale = b.re + b.im * ratio;
      return {(a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale};
    }
    const double ratio = b.re / b.im, scale = b.im + b.re * ratio;
    return {(a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale};
  }
};

/// One band as the thread sees it.
struct Band {
  Complex<double> a[pairs_i], m[pairs_g];  ///< aqsn, aqsm
  double x[energies], occ;

  /// M of pair p: G varies fastest.
  __device__ __forceinline__ Complex<double> product(int p) const {
    return conjugate_times(m[p / pairs_i], a[p % pairs_i]);
  }
  __device__ __forceinline__ bool occupied() const {
    return KNOB_UNOCCUPIED == KNOB_UNOCCUPIED_COMPUTE || __double2hiint(occ) != 0;
  }
};

__device__ __forceinline__ void add_to(double* total, double factor, const Complex<double>& sum) {
  total[0] += factor * sum.re;
  total[1] += factor * sum.im;
}

#if KNOB_FORMULA == KNOB_FORMULA_FRACTIONS

/// By partial fractions (body.h): e t comes out of the sum over bands. What only the ends or rare
/// data need is read again, which costs less than the registers to keep it.
class Columns {
 public:
  __device__ __forceinline__ void start(const Arrays& arrays, const Place& place) {
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      t_[p] = pole(own_at(arrays.t, place.cell(arrays, p)));
      near_[p] = 4 * t_[p].norm;
      cut_[p] = t_[p].norm * t_[p].norm * (1 / (ssx_cutoff * ssx_cutoff));
#pragma unroll
      for (int k = 0; k < energies; ++k) far_[p][k] = exchange_[p][k] = {{0, 0}, {0, 0}};
    }
  }

  /// Vanishing: some |delta|^2 may be below tol_zero.
  template <bool Vanishing>
  __device__ __forceinline__ void add(const Arrays& arrays, const Place& place, const Band& band) {
    Distance<double> d[pairs * energies];
    double inverses[pairs * energies];
#pragma unroll
    for (int c = 0; c < pairs * energies; ++c) {
      d[c] = below(t_[c / energies], band.x[c % energies]);
      inverses[c] = d[c].square;
    }
    invert<pairs * energies, KNOB_BATCH, Numbers>(inverses);
    Reduced<double> far[pairs * energies];
#pragma unroll
    for (int c = 0; c < pairs * energies; ++c) {
      far[c] = far_part(t_[c / energies], d[c], inverses[c]);
      far_[c / energies][c % energies].add(band.product(c / energies), far[c]);
    }
    if (band.occupied()) add_exchange<Vanishing>(arrays, place, band, d, far);
  }

  __device__ __forceinline__ void finish(const Arrays& arrays, const Place& place,
                                         double (&total)[numbers]) const {
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const Int64 cell = place.cell(arrays, p);
      const Complex<double> t = own_at(arrays.t, cell), weight = t * own_at(arrays.e, cell);
      const double half = 0.5 * place.weight(arrays, p);
#pragma unroll
      for (int k = 0; k < energies; ++k) {
        add_to(total + 4 * k, -half, weight * exchange_[p][k].whole(t.im));
        add_to(total + 4 * k + 2, half, weight * far_[p][k].whole(t.im));
      }
    }
  }

 private:
  template <bool Vanishing>
  __device__ __forceinline__ void add_exchange(const Arrays& arrays, const Place& place,
                                               const Band& band, const Distance<double>* d,
                                               const Reduced<double>* far) {
    Distance<double> s[pairs * energies];
    double inverses[pairs * energies];
#pragma unroll
    for (int c = 0; c < pairs * energies; ++c) {
      s[c] = above(t_[c / energies], band.x[c % energies]);
      inverses[c] = s[c].square;
    }
    invert<pairs * energies, KNOB_BATCH, Numbers>(inverses);
#pragma unroll
    for (int c = 0; c < pairs * energies; ++c) {
      const int p = c / energies, k = c % energies;
      Reduced<double> part = exchange_part(s[c], far[c], inverses[c]);
      // |p|^2 is 4 |t|^2 / (|d|^2 |s|^2) far from the pole and 1 / |s|^2 near it. The sign of x is
      // in its high word: no work for the double precision pipe.
      const double distance = select(d[c].square > t_[p].limit, d[c].square, near_[p]);
      bool kept = __double2hiint(band.x[k]) >= 0 || !(distance * s[c].square < cut_[p]);
      if constexpr (Vanishing)
        kept = kept && reached(own_at(arrays.t, place.cell(arrays, p)), d[c]);
      part = {select(kept, part.re, 0.0), select(kept, part.im, 0.0)};
      exchange_[p][k].add(scaled(band.occ, band.product(p)), part);
    }
  }
  /// Whether a cell whose pole may vanish has an exchange term.
  static __device__ __forceinline__ bool reached(const Complex<double>& t,
                                                 const Distance<double>& d) {
    const Pole<double> whole = pole(t);
    return !may_vanish(whole) || reach(whole, d) > 0;
  }

  Pole<double> t_[pairs];
  double near_[pairs];  ///< 4 |t|^2
  double cut_[pairs];   ///< of |d|^2 |s|^2 below the Fermi energy: |t|^4 / 16
  Moments<double> far_[pairs][energies], exchange_[pairs][energies];
};

#else

using Rules = RulesOf<double, Numbers,
                      KNOB_DIVISION == KNOB_DIVISION_COMPLEX ? Division::smith
                      : KNOB_DIVISION == KNOB_DIVISION_REAL ? Division::real
                                                            : Division::reciprocal,
                      KNOB_MAGNITUDE == KNOB_MAGNITUDE_ABS>;

/// With the formulas as the literature writes them.
class Columns {
 public:
  __device__ __forceinline__ void start(const Arrays& arrays, const Place& place) {
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const Int64 cell = place.cell(arrays, p);
      pair_[p] = pair(own_at(arrays.t, cell), own_at(arrays.e, cell), Rules{});
      v_[p] = place.weight(arrays, p);
    }
#pragma unroll
    for (int s = 0; s < sums; ++s)
#pragma unroll
      for (int k = 0; k < energies; ++k) asx_[s][k] = ach_[s][k] = {0, 0};
  }

  template <bool Vanishing>
  __device__ __forceinline__ void add(const Arrays&, const Place&, const Band& band) {
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      const Complex<double> product = band.product(p);
#pragma unroll
      for (int k = 0; k < energies; ++k) {
        const bool occupied = band.occupied();
#if KNOB_CONDITIONAL == KNOB_CONDITIONAL_BRANCH
        const Terms<double> terms = branched(pair_[p], band.x[k], occupied, Rules{});
#else
        const Terms<double> terms = masked(pair_[p], band.x[k], occupied, Rules{});
#endif
        add_terms(p, k, terms, product, band.occ, occupied);
      }
    }
  }

  __device__ __forceinline__ void finish(const Arrays&, const Place&,
                                         double (&total)[numbers]) const {
#pragma unroll
    for (int s = 0; s < sums; ++s)
#pragma unroll
      for (int k = 0; k < energies; ++k) {
        add_to(total + 4 * k, hoisted ? -v_[s] : 1, asx_[s][k]);
        add_to(total + 4 * k + 2, hoisted ? 0.5 * v_[s] : 1, ach_[s][k]);
      }
  }

 private:
  static constexpr bool hoisted = KNOB_HOIST == KNOB_HOIST_SUMS;
  static constexpr int sums = hoisted ? pairs : 1;

  __device__ __forceinline__ void add_terms(int p, int k, const Terms<double>& terms,
                                            const Complex<double>& product, double occ,
                                            bool occupied) {
    Complex<double>&ach = ach_[hoisted ? p : 0][k], &asx = asx_[hoisted ? p : 0][k];
    const Complex<double> sch = terms.sch * product;
    ach = ach + (hoisted ? sch : scaled(0.5 * v_[p], sch));
    if (occupied) asx = asx + scaled(hoisted ? occ : -v_[p] * occ, terms.ssx * product);
  }

  Pair<double> pair_[pairs];
  double v_[pairs];
  Complex<double> asx_[sums][energies], ach_[sums][energies];
};

#endif

}  // namespace sigma_gpp
