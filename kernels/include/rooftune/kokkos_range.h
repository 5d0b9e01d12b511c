// A range of elements walked with Kokkos under the knobs policy, schedule, chunk, elements, strip,
// team_size and vector_length. The caller includes rooftune/kokkos.h first, and fences.
#pragma once
#include "rooftune/kokkos_knobs.h"

#ifndef KNOB_POLICY
#define KNOB_POLICY_RANGE 0
#define KNOB_POLICY_TEAM 1
#define KNOB_POLICY KNOB_POLICY_RANGE
#endif
#ifndef KNOB_ELEMENTS
#define KNOB_ELEMENTS 1
#endif
#ifndef KNOB_STRIP
#define KNOB_STRIP 4096
#endif

namespace rooftune {

/// body(i) for i in [low, high), in a flat range. An item takes KNOB_ELEMENTS elements, so far
/// apart that neighbouring items have neighbouring elements.
template <class Body>
void for_flat(Int64 low, Int64 high, const Body& body) {
  using Policy = Kokkos::RangePolicy<ExecutionSpace, KokkosSchedule, Kokkos::IndexType<Int64> >;
  const Int64 items = (high - low + KNOB_ELEMENTS - 1) / KNOB_ELEMENTS;
  Policy policy(0, items > 0 ? items : 0);
  if (KNOB_CHUNK > 0) policy.set_chunk_size(KNOB_CHUNK);
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Int64 item) {
        for (int e = 0; e < KNOB_ELEMENTS; ++e) {
          const Int64 i = low + item + e * items;
          if (KNOB_ELEMENTS == 1 || i < high) body(i);
        }
      });
}

/// The same by teams that each walk a strip.
template <class Body>
void for_teams(Int64 low, Int64 high, const Body& body) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  constexpr Int64 strip = KNOB_STRIP;
  if (high <= low) return;
  const int league = static_cast<int>((high - low + strip - 1) / strip);
  Kokkos::parallel_for(
      Policy(league, KNOB_TEAM_SIZE, KNOB_VECTOR_LENGTH),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const Int64 from = low + team.league_rank() * strip;
        const Int64 to = from + strip < high ? from + strip : high;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, to - from),
                             [&](const Int64 i) { body(from + i); });
      });
}

template <class Body>
void for_range(Int64 low, Int64 high, const Body& body) {
#if KNOB_POLICY == KNOB_POLICY_TEAM
  for_teams(low, high, body);
#else
  for_flat(low, high, body);
#endif
}

}  // namespace rooftune
