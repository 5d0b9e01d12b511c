// Populations of all sites between the caller's arrays and a lattice, whatever form they have
// there. The caller's f is [27][nz][ny][nx], g [15][3][nz][ny][nx].
#pragma once
#include "sweep.h"

namespace mhd {

/// Where f_i of site x is: number i at x; number i at x + c_i; number opposite(i) at x + c_i.
enum class Form { plain, streamed, exchanged };

struct State {
  Lattice lattice;
  Form form;

  /// The cell of component k of a site.
  double* cell(int k, Int64 z, Int64 y, Int64 x) const {
    if (form == Form::plain) return lattice.at(k, z, y) + Lattice::offset(x);
    const int i = velocity_of(k), number = form == Form::exchanged ? opposite_component(k) : k;
    return lattice.at(number, wrapped(z + c(i, 2), lattice.nz), wrapped(y + c(i, 1), lattice.ny)) +
           Lattice::offset(wrapped(x + c(i, 0), lattice.nx));
  }
};

/// body(cell, element of the caller's array): of every component of every site.
template <class Body>
inline void for_cells(const State& s, double* f, double* g, const Body& body) {
  const Lattice& at = s.lattice;
#pragma omp parallel for schedule(static)
  for (Int64 z = 0; z < at.nz; ++z)
    for (int k = 0; k < components; ++k)
      for (Int64 y = 0; y < at.ny; ++y) {
        double* const array =
            k < velocities ? f + k * at.sites() : g + (k - velocities) * at.sites();
        for (Int64 x = 0; x < at.nx; ++x)
          body(*s.cell(k, z, y, x), array[(z * at.ny + y) * at.nx + x]);
      }
}

inline void bring_in(const State& s, double* f, double* g) {
  for_cells(s, f, g, [](double& cell, double& element) { cell = element; });
}

inline void bring_out(const State& s, double* f, double* g) {
  for_cells(s, f, g, [](double& cell, double& element) { element = cell; });
}

/// Cells of one site in the caller's arrays.
struct CallerCells {
  const double *f, *g;
  Int64 sites;

  template <int K>
  double get() const {
    return K < velocities ? f[K * sites] : g[(K - velocities) * sites];
  }
};

/// Of populations in the caller's arrays.
inline void find_moments(const Lattice& at, const double* f, const double* g,
                         const MomentArrays& to) {
  const Int64 n = at.sites();
#pragma omp parallel for schedule(static)
  for (Int64 s = 0; s < n; ++s) {
    const Moments<double> m = moments<double>(CallerCells{f + s, g + s, n});
    to.density[s] = m.density;
    for (int a = 0; a < 3; ++a) to.momentum[a * n + s] = m.momentum[a];
    for (int a = 0; a < 3; ++a) to.magnetic[a * n + s] = m.magnetic[a];
  }
}

}  // namespace mhd
