// Strains of a flow and the divergence of a tensor, point by point along a row: the operators from
// which all stages are made. The caller's rows can be indexed one point beyond those computed.
#pragma once
#include "tile.h"

namespace hor_visc_kernel {

template <class P>
using ValueOf = typename P::Value;

/// Four factors of an operator at one row, as fold_metric() stores them.
struct FactorRows {
  const double* row[4];
  ROOFTUNE_INLINE FactorRows(const Tile& t, std::int64_t j, Factors first)
      : row{t.factor(first, j), t.factor(first + 1, j), t.factor(first + 2, j),
            t.factor(first + 3, j)} {}
  /// Differences in x and in y.
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> along_x(P, std::int64_t i, ValueOf<P> a, ValueOf<P> b) const {
    return difference(P::metric(row[0], i), a, P::metric(row[1], i), b);
  }
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> along_y(P, std::int64_t i, ValueOf<P> a, ValueOf<P> b) const {
    return difference(P::metric(row[2], i), a, P::metric(row[3], i), b);
  }
};

/// The operators on the caller's metric.
namespace plain {

struct TensionAt {
  const double *dy_dx, *dx_dy, *idy, *idx, *idx_south, *u, *v, *v_south;
  ROOFTUNE_INLINE TensionAt(const Tile& t, std::int64_t j, const double* u, const double* v,
                            const double* v_south)
      : dy_dx(t.metric(dy_dx_t, j)),
        dx_dy(t.metric(dx_dy_t, j)),
        idy(t.metric(idy_u, j)),
        idx(t.metric(idx_v, j)),
        idx_south(t.metric(idx_v, j - 1)),
        u(u),
        v(v),
        v_south(v_south) {}
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> operator()(P, std::int64_t i) const {
    return tension(
        P::metric(dy_dx, i),
        difference(P::metric(idy, i), P::field(u, i), P::metric(idy, i - 1), P::field(u, i - 1)),
        P::metric(dx_dy, i),
        difference(P::metric(idx, i), P::field(v, i), P::metric(idx_south, i),
                   P::field(v_south, i)));
  }
};

struct ShearAt {
  const double *mask, *dy_dx, *dx_dy, *idy, *idx, *idx_north, *u, *u_north, *v;
  ROOFTUNE_INLINE ShearAt(const Tile& t, std::int64_t j, const double* u, const double* u_north,
                          const double* v)
      : mask(t.metric(mask_q, j)),
        dy_dx(t.metric(dy_dx_q, j)),
        dx_dy(t.metric(dx_dy_q, j)),
        idy(t.metric(idy_v, j)),
        idx(t.metric(idx_u, j)),
        idx_north(t.metric(idx_u, j + 1)),
        u(u),
        u_north(u_north),
        v(v) {}
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> operator()(P, std::int64_t i) const {
    return shear(
        P::metric(mask, i), P::metric(dy_dx, i),
        difference(P::metric(idy, i + 1), P::field(v, i + 1), P::metric(idy, i), P::field(v, i)),
        P::metric(dx_dy, i),
        difference(P::metric(idx_north, i), P::field(u_north, i), P::metric(idx, i),
                   P::field(u, i)));
  }
};

/// Of the tensor with tension `tension_here` and shear `shear_here`, on east faces.
struct DivergenceU {
  const double *iarea, *idy, *idx, *dy2, *dx2, *dx2_south, *tension_here, *shear_here, *shear_south;
  ROOFTUNE_INLINE DivergenceU(const Tile& t, std::int64_t j, Temporary tension, Temporary shear)
      : iarea(t.metric(iarea_u, j)),
        idy(t.metric(idy_u, j)),
        idx(t.metric(idx_u, j)),
        dy2(t.metric(dy2_t, j)),
        dx2(t.metric(dx2_q, j)),
        dx2_south(t.metric(dx2_q, j - 1)),
        tension_here(t.temporary(tension, j)),
        shear_here(t.temporary(shear, j)),
        shear_south(t.temporary(shear, j - 1)) {}
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> operator()(P, std::int64_t i) const {
    return divergence_u(P::metric(iarea, i), P::metric(idy, i),
                        difference(P::metric(dy2, i + 1), P::field(tension_here, i + 1),
                                   P::metric(dy2, i), P::field(tension_here, i)),
                        P::metric(idx, i),
                        difference(P::metric(dx2, i), P::field(shear_here, i),
                                   P::metric(dx2_south, i), P::field(shear_south, i)));
  }
};

/// The same on north faces.
struct DivergenceV {
  const double *iarea, *idy, *idx, *dy2, *dx2, *dx2_north, *tension_here, *tension_north,
      *shear_here;
  ROOFTUNE_INLINE DivergenceV(const Tile& t, std::int64_t j, Temporary tension, Temporary shear)
      : iarea(t.metric(iarea_v, j)),
        idy(t.metric(idy_v, j)),
        idx(t.metric(idx_v, j)),
        dy2(t.metric(dy2_q, j)),
        dx2(t.metric(dx2_t, j)),
        dx2_north(t.metric(dx2_t, j + 1)),
        tension_here(t.temporary(tension, j)),
        tension_north(t.temporary(tension, j + 1)),
        shear_here(t.temporary(shear, j)) {}
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> operator()(P, std::int64_t i) const {
    return divergence_v(P::metric(iarea, i), P::metric(idy, i),
                        difference(P::metric(dy2, i), P::field(shear_here, i),
                                   P::metric(dy2, i - 1), P::field(shear_here, i - 1)),
                        P::metric(idx, i),
                        difference(P::metric(dx2_north, i), P::field(tension_north, i),
                                   P::metric(dx2, i), P::field(tension_here, i)));
  }
};

}  // namespace plain

/// The same operators on folded factors.
namespace product {

struct TensionAt {
  FactorRows by;
  const double *u, *v, *v_south;
  ROOFTUNE_INLINE TensionAt(const Tile& t, std::int64_t j, const double* u, const double* v,
                            const double* v_south)
      : by(t, j, tension_factors), u(u), v(v), v_south(v_south) {}
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> operator()(P p, std::int64_t i) const {
    return by.along_x(p, i, P::field(u, i), P::field(u, i - 1)) -
           by.along_y(p, i, P::field(v, i), P::field(v_south, i));
  }
};

struct ShearAt {
  FactorRows by;
  const double *u, *u_north, *v;
  ROOFTUNE_INLINE ShearAt(const Tile& t, std::int64_t j, const double* u, const double* u_north,
                          const double* v)
      : by(t, j, shear_factors), u(u), u_north(u_north), v(v) {}
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> operator()(P p, std::int64_t i) const {
    return by.along_x(p, i, P::field(v, i + 1), P::field(v, i)) +
           by.along_y(p, i, P::field(u_north, i), P::field(u, i));
  }
};

struct DivergenceU {
  FactorRows by;
  const double *tension_here, *shear_here, *shear_south;
  ROOFTUNE_INLINE DivergenceU(const Tile& t, std::int64_t j, Temporary tension, Temporary shear)
      : by(t, j, divergence_u_factors),
        tension_here(t.temporary(tension, j)),
        shear_here(t.temporary(shear, j)),
        shear_south(t.temporary(shear, j - 1)) {}
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> operator()(P p, std::int64_t i) const {
    return by.along_x(p, i, P::field(tension_here, i + 1), P::field(tension_here, i)) +
           by.along_y(p, i, P::field(shear_here, i), P::field(shear_south, i));
  }
};

struct DivergenceV {
  FactorRows by;
  const double *tension_here, *tension_north, *shear_here;
  ROOFTUNE_INLINE DivergenceV(const Tile& t, std::int64_t j, Temporary tension, Temporary shear)
      : by(t, j, divergence_v_factors),
        tension_here(t.temporary(tension, j)),
        tension_north(t.temporary(tension, j + 1)),
        shear_here(t.temporary(shear, j)) {}
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> operator()(P p, std::int64_t i) const {
    return by.along_x(p, i, P::field(shear_here, i), P::field(shear_here, i - 1)) -
           by.along_y(p, i, P::field(tension_north, i), P::field(tension_here, i));
  }
};

}  // namespace product

template <bool Folded>
struct Operators {
  using TensionAt = plain::TensionAt;
  using ShearAt = plain::ShearAt;
  using DivergenceU = plain::DivergenceU;
  using DivergenceV = plain::DivergenceV;
};
template <>
struct Operators<true> {
  using TensionAt = product::TensionAt;
  using ShearAt = product::ShearAt;
  using DivergenceU = product::DivergenceU;
  using DivergenceV = product::DivergenceV;
};
using TensionAt = Operators<folded>::TensionAt;
using ShearAt = Operators<folded>::ShearAt;
using DivergenceU = Operators<folded>::DivergenceU;
using DivergenceV = Operators<folded>::DivergenceV;

}  // namespace hor_visc_kernel
