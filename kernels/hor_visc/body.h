// The arithmetic of horizontal viscosity at one point of a C grid, for any scalar or vector type.
// The caller loads neighbours: e, w, n, s are east, west, north, south of the point computed.
#pragma once
#include "metrics.h"
#include "rooftune/portable.h"

namespace hor_visc_kernel {

ROOFTUNE_FUNCTION double square_root(double x) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return sqrt(x);
#else
  return __builtin_sqrt(x);
#endif
}

/// a e - b w: the difference of two scaled neighbours.
template <class V>
ROOFTUNE_FUNCTION V difference(V a, V e, V b, V w) {
  return a * e - b * w;
}

/// Tension strain of a cell, du/dx - dv/dy; `along_x` = delta(u/dy), `along_y` = delta(v/dx).
template <class V>
ROOFTUNE_FUNCTION V tension(V dy_dx, V along_x, V dx_dy, V along_y) {
  return dy_dx * along_x - dx_dy * along_y;
}

/// Shear strain of a corner, dv/dx + du/dy; `along_x` = delta(v/dy), `along_y` = delta(u/dx).
template <class V>
ROOFTUNE_FUNCTION V shear(V mask, V dy_dx, V along_x, V dx_dy, V along_y) {
  return mask * (dy_dx * along_x + dx_dy * along_y);
}

/// First component of the divergence of a symmetric tensor; `along_x` = delta(dy^2 T),
/// `along_y` = delta(dx^2 S).
template <class V>
ROOFTUNE_FUNCTION V divergence_u(V iarea, V idy, V along_x, V idx, V along_y) {
  return iarea * (idy * along_x + idx * along_y);
}

/// Second component; `along_x` = delta(dy^2 S), `along_y` = delta(dx^2 T).
template <class V>
ROOFTUNE_FUNCTION V divergence_v(V iarea, V idy, V along_x, V idx, V along_y) {
  return iarea * (idy * along_x - idx * along_y);
}

/// Square of the deformation where `own`^2 is known and the other strain at four points around.
template <class V>
ROOFTUNE_FUNCTION V deformation2(V own2, V a2, V b2, V c2, V d2) {
  return own2 + 0.25 * ((a2 + b2) + (c2 + d2));
}

/// Laplacian stress less biharmonic stress (Smagorinsky, with a background viscosity).
template <class V>
ROOFTUNE_FUNCTION V stress(V strain, V strain_of_laplacian, V laplacian, V biharmonic,
                           V deformation, V kh, V ah) {
  const V second = laplacian * deformation, fourth = biharmonic * deformation;
  return (second < kh ? kh : second) * strain - (fourth < ah ? ah : fourth) * strain_of_laplacian;
}

template <class V>
ROOFTUNE_FUNCTION V mean(V a, V b) {
  return 0.5 * (a + b);
}

/// Thickness at a corner is numerator / denominator: small as soon as one of the faces beside is.
/// `south`, `north` are thicknesses of east faces, `west`, `east` of north faces.
template <class V>
ROOFTUNE_FUNCTION V corner_numerator(V south, V north, V west, V east) {
  return 8.0 * ((south * north) * (west * east));
}
template <class V>
ROOFTUNE_FUNCTION V corner_denominator(V south, V north, V west, V east) {
  return (south * north + west * east) * ((south + north) + (west + east)) +
         vanishing * vanishing * vanishing;
}

}  // namespace hor_visc_kernel
