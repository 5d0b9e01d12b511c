// The metric of a C grid: which quantity lies in which plane of the array `metric`.
// The caller stores planes of (ny + 4) rows of (nx + 4) points, halo included, one after another.
#pragma once

namespace hor_visc_kernel {

/// t: cell centre; u: its east face; v: its north face; q: its north-east corner.
enum Metric {
  idy_u,         ///< 1 / dy on east faces
  idx_u,         ///< 1 / dx on east faces
  idy_v,         ///< 1 / dy on north faces
  idx_v,         ///< 1 / dx on north faces
  iarea_u,       ///< 1 / (dx dy) on east faces, 0 on land
  iarea_v,       ///< 1 / (dx dy) on north faces, 0 on land
  dy_dx_t,       ///< dy / dx of cells
  dx_dy_t,       ///< dx / dy of cells
  dy_dx_q,       ///< dy / dx at corners
  dx_dy_q,       ///< dx / dy at corners
  dx2_t,         ///< dx^2 of cells
  dy2_t,         ///< dy^2 of cells
  dx2_q,         ///< dx^2 at corners
  dy2_q,         ///< dy^2 at corners
  laplacian_t,   ///< Smagorinsky: viscosity over deformation, cells [m^2]
  laplacian_q,   ///< the same at corners
  biharmonic_t,  ///< biharmonic viscosity over deformation, cells [m^4]
  biharmonic_q,  ///< the same at corners
  mask_q,        ///< 1 where shear exists, 0 at corners that touch land (free slip)
  metric_count
};

/// Points around the domain on every side that h, u, v and the metric have and du, dv lack.
constexpr int halo = 2;

/// Thickness added where a layer may vanish [m].
constexpr double vanishing = 1e-20;

}  // namespace hor_visc_kernel
