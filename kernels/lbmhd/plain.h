// The collision direction by direction, as the formulas stand, for those who do not pair opposite
// velocities: in a loop over tables or written out. Same Cells and T as in body.h; everything is
// read before anything is written.
#pragma once
#include "body.h"

namespace mhd {

/// All numbers of a site at hand.
template <class T>
struct Site {
  T f[velocities], g[magnetic_velocities][3];
};

template <int K, class T, class Cells>
ROOFTUNE_FUNCTION void read_all(const Cells& cells, Site<T>& s) {
  if constexpr (K < components) {
    if constexpr (K < velocities)
      s.f[K] = cells.template get<K>();
    else
      s.g[(K - velocities) / 3][(K - velocities) % 3] = cells.template get<K>();
    read_all<K + 1>(cells, s);
  }
}

template <int K, class T, class Cells>
ROOFTUNE_FUNCTION void write_all(const Cells& cells, const Site<T>& s) {
  if constexpr (K < components) {
    if constexpr (K < velocities)
      cells.template put<K>(s.f[K]);
    else
      cells.template put<K>(s.g[(K - velocities) / 3][(K - velocities) % 3]);
    write_all<K + 1>(cells, s);
  }
}

/// What the equilibria of all directions need.
template <class T>
struct EquilibriumInput {
  T density, u[3], b[3], speed2, field2;
};

template <class T>
ROOFTUNE_FUNCTION EquilibriumInput<T> equilibrium_input(const Moments<T>& m) {
  const T inverse = 1. / m.density;
  EquilibriumInput<T> w;
  w.density = m.density;
  for (int a = 0; a < 3; ++a) w.u[a] = m.momentum[a] * inverse;
  for (int a = 0; a < 3; ++a) w.b[a] = m.magnetic[a];
  w.speed2 = w.u[0] * w.u[0] + w.u[1] * w.u[1] + w.u[2] * w.u[2];
  w.field2 = w.b[0] * w.b[0] + w.b[1] * w.b[1] + w.b[2] * w.b[2];
  return w;
}

/// Relaxes f_i and g_i, given c_i.u, c_i.B and |c_i|^2.
template <class T>
ROOFTUNE_FUNCTION void relax_direction(Site<T>& s, int i, const EquilibriumInput<T>& w, const T& cu,
                                       const T& cb, int squared, const Rates& r) {
  const T even = w.density * (cu * cu * 4.5 - w.speed2 * 1.5 + cu * 3. + 1.) +
                 (w.field2 * (squared / 2. - 1. / 6) - cb * cb) * 4.5;
  s.f[i] = s.f[i] * r.keep + even * (weight(squared) * r.relax);
  if (i >= magnetic_velocities) return;
  const double own = magnetic_weight(squared) * r.magnetic_relax;
  for (int a = 0; a < 3; ++a)
    s.g[i][a] = s.g[i][a] * r.magnetic_keep + (w.b[a] + (w.b[a] * cu - w.u[a] * cb) * 3.) * own;
}

/// c_I . v with the zeros left out.
template <int I, class T>
ROOFTUNE_FUNCTION T along(const T (&v)[3]) {
  constexpr int x = c(I, 0), y = c(I, 1), z = c(I, 2);
  if constexpr (x != 0)
    return plus<z>(plus<y>(x > 0 ? v[0] : -v[0], v[1]), v[2]);
  else if constexpr (y != 0)
    return plus<z>(y > 0 ? v[1] : -v[1], v[2]);
  else
    return z > 0 ? v[2] : z < 0 ? -v[2] : T{};
}

template <int I, class T>
ROOFTUNE_FUNCTION void add_directions(const Site<T>& s, Moments<T>& m) {
  if constexpr (I < velocities) {
    m.density = m.density + s.f[I];
    m.momentum[0] = plus<c(I, 0)>(m.momentum[0], s.f[I]);
    m.momentum[1] = plus<c(I, 1)>(m.momentum[1], s.f[I]);
    m.momentum[2] = plus<c(I, 2)>(m.momentum[2], s.f[I]);
    if constexpr (I < magnetic_velocities)
      for (int a = 0; a < 3; ++a) m.magnetic[a] = m.magnetic[a] + s.g[I][a];
    add_directions<I + 1>(s, m);
  }
}

template <int I, class T>
ROOFTUNE_FUNCTION void relax_directions(Site<T>& s, const EquilibriumInput<T>& w, const Rates& r) {
  if constexpr (I < velocities) {
    relax_direction(s, I, w, along<I>(w.u), along<I>(w.b), squared_length(I), r);
    relax_directions<I + 1>(s, w, r);
  }
}

/// Every direction written out.
template <class T, class Cells>
ROOFTUNE_FUNCTION Moments<T> collide_written_out(const Cells& cells, const Rates& r) {
  Site<T> s;
  read_all<0>(cells, s);
  Moments<T> m{};
  add_directions<0>(s, m);
  relax_directions<0>(s, equilibrium_input(m), r);
  write_all<0>(cells, s);
  return m;
}

/// A loop over directions, c_i from a table.
template <class T, class Cells>
ROOFTUNE_FUNCTION Moments<T> collide_in_loop(const Cells& cells, const Rates& r) {
  struct Table {
    double c[velocities][3];
    int squared[velocities];
    constexpr Table() : c(), squared() {
      for (int i = 0; i < velocities; ++i) {
        for (int a = 0; a < 3; ++a) c[i][a] = mhd::c(i, a);
        squared[i] = squared_length(i);
      }
    }
  };
  static constexpr Table table;
  Site<T> s;
  read_all<0>(cells, s);
  Moments<T> m{};
  for (int i = 0; i < velocities; ++i) {
    m.density = m.density + s.f[i];
    for (int a = 0; a < 3; ++a) m.momentum[a] = m.momentum[a] + s.f[i] * table.c[i][a];
  }
  for (int i = 0; i < magnetic_velocities; ++i)
    for (int a = 0; a < 3; ++a) m.magnetic[a] = m.magnetic[a] + s.g[i][a];
  const EquilibriumInput<T> w = equilibrium_input(m);
  for (int i = 0; i < velocities; ++i) {
    const double* const c = table.c[i];
    relax_direction(s, i, w, T(w.u[0] * c[0] + w.u[1] * c[1] + w.u[2] * c[2]),
                    T(w.b[0] * c[0] + w.b[1] * c[1] + w.b[2] * c[2]), table.squared[i], r);
  }
  write_all<0>(cells, s);
  return m;
}

}  // namespace mhd
