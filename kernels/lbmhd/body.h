// One collision of a site (or, with a vector as T, of several): moments, then relaxation of f and g
// by pairs of opposite velocities. T has + - * and * by double; Cells has get<k>() and put<k>(T),
// and writes the two cells of a pair only after both were read.
#pragma once
#include "velocities.h"

namespace mhd {

/// What a step leaves of f and g: 1 - omega, omega, and the same for g.
struct Rates {
  double keep, relax, magnetic_keep, magnetic_relax;
};

/// Density, momentum and magnetic field: what a collision conserves.
template <class T>
struct Moments {
  T density, momentum[3], magnetic[3];
};

/// sum + C value for C of -1, 0, 1.
template <int C, class T>
ROOFTUNE_FUNCTION T plus(const T& sum, const T& value) {
  if constexpr (C > 0)
    return sum + value;
  else if constexpr (C < 0)
    return sum - value;
  else
    return sum;
}

/// Adds f of pair P.
template <int P, class T, class Cells>
ROOFTUNE_FUNCTION void add_pair(const Cells& cells, Moments<T>& m) {
  const T first = cells.template get<2 * P + 1>(), second = cells.template get<2 * P + 2>();
  const T difference = first - second;
  m.density = m.density + (first + second);
  m.momentum[0] = plus<pair_component(P, 0)>(m.momentum[0], difference);
  m.momentum[1] = plus<pair_component(P, 1)>(m.momentum[1], difference);
  m.momentum[2] = plus<pair_component(P, 2)>(m.momentum[2], difference);
}

/// Adds g_I.
template <int I, class T, class Cells>
ROOFTUNE_FUNCTION void add_vector(const Cells& cells, Moments<T>& m) {
  m.magnetic[0] = m.magnetic[0] + cells.template get<g(I, 0)>();
  m.magnetic[1] = m.magnetic[1] + cells.template get<g(I, 1)>();
  m.magnetic[2] = m.magnetic[2] + cells.template get<g(I, 2)>();
}

template <int P, class T, class Cells>
ROOFTUNE_FUNCTION void add_pairs(const Cells& cells, Moments<T>& m) {
  if constexpr (P < pairs) {
    add_pair<P>(cells, m);
    add_pairs<P + 1>(cells, m);
  }
}

template <int I, class T, class Cells>
ROOFTUNE_FUNCTION void add_vectors(const Cells& cells, Moments<T>& m) {
  if constexpr (I < magnetic_velocities) {
    add_vector<I>(cells, m);
    add_vectors<I + 1>(cells, m);
  }
}

/// The part of the velocity 0, to which the others are added.
template <class T, class Cells>
ROOFTUNE_FUNCTION Moments<T> resting_moments(const Cells& cells) {
  const T zero{};
  return {cells.template get<0>(),
          {zero, zero, zero},
          {cells.template get<g(0, 0)>(), cells.template get<g(0, 1)>(),
           cells.template get<g(0, 2)>()}};
}

template <class T, class Cells>
ROOFTUNE_FUNCTION Moments<T> moments(const Cells& cells) {
  Moments<T> m = resting_moments<T>(cells);
  add_pairs<0>(cells, m);
  add_vectors<1>(cells, m);
  return m;
}

/// omega times the equilibrium of f, taken apart: per |c|^2 a part that is even and one that is odd
/// in c. With P = 9/2 omega (rho u u - B B), base(q) = omega (rho - 3/2 rho u^2 + 9/2 B^2 (q/2 -
/// 1/6)):  omega f_i^eq = w [base(|c|^2) + c c : P + 3 omega c.m].
template <class T>
struct FluidTerms {
  T rest;
  T axis[3], axis_odd[3];                 ///< w base(1) + P_aa;                    3 omega w m_a
  T edge[3], edge_mixed[3], edge_odd[3];  ///< without axis a: base(2) + P_bb + P_dd; 2 P_bd; m_a
  T corner, corner_mixed[3], corner_odd[3];
};

/// omega_m times the equilibrium of g, W [B + 3 (u x B) x c], by |c|^2.
template <class T>
struct MagneticTerms {
  T rest[3], axis[3], axis_field[3], corner[3], corner_field[3];  ///< W B; 3 W u x B
};

template <class T>
ROOFTUNE_FUNCTION FluidTerms<T> fluid_terms(const Moments<T>& m, const T (&u)[3], double omega) {
  constexpr double w1 = weight(1), w2 = weight(2), w3 = weight(3);
  const T *const p = m.momentum, *const b = m.magnetic;
  const T energy = u[0] * p[0] + u[1] * p[1] + u[2] * p[2];
  const T pressure = (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]) * (2.25 * omega);
  const T one = (m.density - energy * 1.5) * omega + pressure * (2. / 3);
  const T two = one + pressure, three = two + pressure;
  const T v[3] = {u[0] * (4.5 * omega), u[1] * (4.5 * omega), u[2] * (4.5 * omega)};
  const T h[3] = {b[0] * (4.5 * omega), b[1] * (4.5 * omega), b[2] * (4.5 * omega)};
  const T square[3] = {v[0] * p[0] - h[0] * b[0], v[1] * p[1] - h[1] * b[1],
                       v[2] * p[2] - h[2] * b[2]};
  // Of the axis that is missing.
  const T mixed[3] = {v[1] * p[2] - h[1] * b[2], v[0] * p[2] - h[0] * b[2],
                      v[0] * p[1] - h[0] * b[1]};
  const T sum = square[0] + square[1];
  FluidTerms<T> t;
  t.rest = (one - pressure) * weight(0);
  t.corner = (three + (sum + square[2])) * w3;
  t.edge[0] = (two + (square[1] + square[2])) * w2;
  t.edge[1] = (two + (square[0] + square[2])) * w2;
  t.edge[2] = (two + sum) * w2;
  ROOFTUNE_UNROLL
  for (int a = 0; a < 3; ++a) {
    t.axis[a] = (one + square[a]) * w1;
    t.axis_odd[a] = p[a] * (3 * w1 * omega);
    t.edge_mixed[a] = mixed[a] * (2 * w2);
    t.edge_odd[a] = p[a] * (3 * w2 * omega);
    t.corner_mixed[a] = mixed[a] * (2 * w3);
    t.corner_odd[a] = p[a] * (3 * w3 * omega);
  }
  return t;
}

template <class T>
ROOFTUNE_FUNCTION MagneticTerms<T> magnetic_terms(const Moments<T>& m, const T (&u)[3],
                                                  double omega) {
  constexpr double w0 = magnetic_weight(0), w1 = magnetic_weight(1), w3 = magnetic_weight(3);
  const T* const b = m.magnetic;
  const T field[3] = {u[1] * b[2] - u[2] * b[1], u[2] * b[0] - u[0] * b[2],
                      u[0] * b[1] - u[1] * b[0]};
  MagneticTerms<T> t;
  ROOFTUNE_UNROLL
  for (int a = 0; a < 3; ++a) {
    t.rest[a] = b[a] * (w0 * omega);
    t.axis[a] = b[a] * (w1 * omega);
    t.axis_field[a] = field[a] * (3 * w1 * omega);
    t.corner[a] = b[a] * (w3 * omega);
    t.corner_field[a] = field[a] * (3 * w3 * omega);
  }
  return t;
}

/// The part of omega f^eq / w that both velocities of pair P share.
template <int P, class T>
ROOFTUNE_FUNCTION T even_part(const FluidTerms<T>& t) {
  constexpr int x = pair_component(P, 0), y = pair_component(P, 1), z = pair_component(P, 2);
  if constexpr (P < first_corner)
    return t.axis[P];
  else if constexpr (P < first_edge)
    return plus<x * y>(plus<x * z>(plus<y * z>(t.corner, t.corner_mixed[0]), t.corner_mixed[1]),
                       t.corner_mixed[2]);
  else
    return plus<x * y + x * z + y * z>(t.edge[x == 0   ? 0
                                              : y == 0 ? 1
                                                       : 2],
                                       t.edge_mixed[x == 0   ? 0
                                                    : y == 0 ? 1
                                                             : 2]);
}

/// The part whose sign differs between the two.
template <int P, class T>
ROOFTUNE_FUNCTION T odd_part(const FluidTerms<T>& t) {
  constexpr int x = pair_component(P, 0), y = pair_component(P, 1), z = pair_component(P, 2);
  if constexpr (P < first_corner)
    return t.axis_odd[P];
  else if constexpr (P < first_edge)
    return plus<z>(plus<y>(t.corner_odd[0], t.corner_odd[1]), t.corner_odd[2]);
  else if constexpr (x == 0)
    return plus<z>(t.edge_odd[1], t.edge_odd[2]);
  else
    return plus<z>(plus<y>(t.edge_odd[0], t.edge_odd[1]), t.edge_odd[2]);
}

template <int P, class T, class Cells>
ROOFTUNE_FUNCTION void relax_f(const Cells& cells, const FluidTerms<T>& t, const Rates& r) {
  const T first = cells.template get<2 * P + 1>(), second = cells.template get<2 * P + 2>();
  const T even = even_part<P>(t), odd = odd_part<P>(t);
  cells.template put<2 * P + 1>(first * r.keep + (even + odd));
  cells.template put<2 * P + 2>(second * r.keep + (even - odd));
}

/// Component A of g of pair P.
template <int P, int A, class T, class Cells>
ROOFTUNE_FUNCTION void relax_g(const Cells& cells, const MagneticTerms<T>& t, const Rates& r) {
  // (e x c)_A = e_B c_D - e_D c_B
  constexpr int B = (A + 1) % 3, D = (A + 2) % 3;
  constexpr int b = pair_component(P, B), d = pair_component(P, D);
  const T first = cells.template get<g(2 * P + 1, A)>();
  const T second = cells.template get<g(2 * P + 2, A)>();
  const T& even = P < first_corner ? t.axis[A] : t.corner[A];
  if constexpr (b == 0 && d == 0) {
    cells.template put<g(2 * P + 1, A)>(first * r.magnetic_keep + even);
    cells.template put<g(2 * P + 2, A)>(second * r.magnetic_keep + even);
  } else {
    const T* const e = P < first_corner ? t.axis_field : t.corner_field;
    // d times the wanted term, or -b times it where d is 0.
    constexpr int sign = d != 0 ? d : -b;
    const T odd = d == 0 ? e[D] : plus<-b * d>(e[B], e[D]);
    cells.template put<g(2 * P + 1, A)>(first * r.magnetic_keep + plus<sign>(even, odd));
    cells.template put<g(2 * P + 2, A)>(second * r.magnetic_keep + plus<-sign>(even, odd));
  }
}

template <int P, class T, class Cells>
ROOFTUNE_FUNCTION void relax_all_f(const Cells& cells, const FluidTerms<T>& t, const Rates& r) {
  if constexpr (P < pairs) {
    relax_f<P>(cells, t, r);
    relax_all_f<P + 1>(cells, t, r);
  }
}

template <int P, class T, class Cells>
ROOFTUNE_FUNCTION void relax_all_g(const Cells& cells, const MagneticTerms<T>& t, const Rates& r) {
  if constexpr (P < magnetic_pairs) {
    relax_g<P, 0>(cells, t, r);
    relax_g<P, 1>(cells, t, r);
    relax_g<P, 2>(cells, t, r);
    relax_all_g<P + 1>(cells, t, r);
  }
}

template <class T>
struct Terms {
  FluidTerms<T> fluid;
  MagneticTerms<T> magnetic;
};

template <class T>
ROOFTUNE_FUNCTION Terms<T> terms_of(const Moments<T>& m, const Rates& r) {
  const T inverse = 1. / m.density;
  const T u[3] = {m.momentum[0] * inverse, m.momentum[1] * inverse, m.momentum[2] * inverse};
  return {fluid_terms(m, u, r.relax), magnetic_terms(m, u, r.magnetic_relax)};
}

/// The velocity 0.
template <class T, class Cells>
ROOFTUNE_FUNCTION void relax_resting(const Cells& cells, const Terms<T>& t, const Rates& r) {
  const T(&b)[3] = t.magnetic.rest;
  cells.template put<0>(cells.template get<0>() * r.keep + t.fluid.rest);
  cells.template put<g(0, 0)>(cells.template get<g(0, 0)>() * r.magnetic_keep + b[0]);
  cells.template put<g(0, 1)>(cells.template get<g(0, 1)>() * r.magnetic_keep + b[1]);
  cells.template put<g(0, 2)>(cells.template get<g(0, 2)>() * r.magnetic_keep + b[2]);
}

/// Returns the moments, for whoever wants to keep them.
template <class T, class Cells>
ROOFTUNE_FUNCTION Moments<T> collide(const Cells& cells, const Rates& r) {
  const Moments<T> m = moments<T>(cells);
  const Terms<T> t = terms_of(m, r);
  relax_resting(cells, t, r);
  relax_all_f<0>(cells, t.fluid, r);
  relax_all_g<0>(cells, t.magnetic, r);
  return m;
}

}  // namespace mhd
