// A box of points walked with Kokkos under the knobs policy, iterate, tile_x, tile_y, tile_z, rows,
// team_size and vector_length. The caller fences.
#pragma once
#include "rooftune/kokkos.h"

namespace rooftune {

/// Points with z0 <= z < z1 and so on.
struct BoxRange {
  Int64 z0, z1, y0, y1, x0, x1;

  KOKKOS_INLINE_FUNCTION Int64 size() const { return (z1 - z0) * (y1 - y0) * (x1 - x0); }
};

/// body(z, y, x) in tiles; KNOB_TILE_X 0 leaves them to Kokkos.
template <class Body>
void for_tiles(const BoxRange& r, const Body& body) {
  constexpr Kokkos::Iterate order =
      KNOB_ITERATE == KNOB_ITERATE_LEFT ? Kokkos::Iterate::Left : Kokkos::Iterate::Right;
  using Policy = Kokkos::MDRangePolicy<ExecutionSpace, Kokkos::Rank<3, order, order>,
                                       Kokkos::IndexType<Int64> >;
#if KNOB_TILE_X > 0
  Kokkos::parallel_for(
      Policy({r.z0, r.y0, r.x0}, {r.z1, r.y1, r.x1}, {KNOB_TILE_Z, KNOB_TILE_Y, KNOB_TILE_X}),
      body);
#else
  Kokkos::parallel_for(Policy({r.z0, r.y0, r.x0}, {r.z1, r.y1, r.x1}), body);
#endif
}

/// The same by teams that each take KNOB_ROWS rows of a plane.
template <class Body>
void for_row_teams(const BoxRange& r, const Body& body) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  const Int64 strips = (r.y1 - r.y0 + KNOB_ROWS - 1) / KNOB_ROWS;
  Kokkos::parallel_for(
      Policy(static_cast<int>((r.z1 - r.z0) * strips), KNOB_TEAM_SIZE, KNOB_VECTOR_LENGTH),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Int64 z = r.z0 + team.league_rank() / strips;
        const Int64 from = r.y0 + team.league_rank() % strips * KNOB_ROWS;
        const Int64 to = from + KNOB_ROWS < r.y1 ? from + KNOB_ROWS : r.y1;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, from, to), [&](const Int64 y) {
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, r.x1 - r.x0),
                               [&](const Int64 x) { body(z, y, r.x0 + x); });
        });
      });
}

/// The same in a flat range: x fastest, or z where planes lie side by side.
template <bool ZFastest, class Body>
void for_flat_box(const BoxRange& r, const Body& body) {
  const Int64 row = r.x1 - r.x0, plane = row * (r.y1 - r.y0), planes = r.z1 - r.z0;
  Kokkos::parallel_for(
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Int64> >(0, r.size()),
      KOKKOS_LAMBDA(const Int64 n) {
        const Int64 z = ZFastest ? n % planes : n / plane,
                    point = ZFastest ? n / planes : n % plane;
        body(r.z0 + z, r.y0 + point / row, r.x0 + point % row);
      });
}

/// As the knobs say. An empty box starts nothing.
template <bool ZFastest = false, class Body>
void for_box(const BoxRange& r, const Body& body) {
  if (r.z1 <= r.z0 || r.y1 <= r.y0 || r.x1 <= r.x0) return;
#if KNOB_POLICY == KNOB_POLICY_MDRANGE
  for_tiles(r, body);
#elif KNOB_POLICY == KNOB_POLICY_TEAM
  for_row_teams(r, body);
#else
  for_flat_box<ZFastest>(r, body);
#endif
}

}  // namespace rooftune
