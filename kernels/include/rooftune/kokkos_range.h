// A range of elements walked with Kokkos under the knobs policy, schedule, chunk, strip, team_size
// and vector_length. The caller fences.
#pragma once
#include "rooftune/kokkos_schedule.h"

namespace rooftune {

/// body(i) for i in [low, high), in a flat range. An item takes `Elements` elements, so far apart
/// that neighbouring items have neighbouring elements.
template <int Elements, class Body>
void for_flat(Int64 low, Int64 high, const Body& body) {
  using Policy = Kokkos::RangePolicy<ExecutionSpace, KokkosSchedule, Kokkos::IndexType<Int64> >;
  const Int64 items = (high - low + Elements - 1) / Elements;
  Policy policy(0, items > 0 ? items : 0);
  if (KNOB_CHUNK > 0) policy.set_chunk_size(KNOB_CHUNK);
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Int64 item) {
        for (int e = 0; e < Elements; ++e) {
          const Int64 i = low + item + e * items;
          if (Elements == 1 || i < high) body(i);
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

/// As the knobs say.
template <int Elements = 1, class Body>
void for_range(Int64 low, Int64 high, const Body& body) {
#if KNOB_POLICY == KNOB_POLICY_TEAM
  for_teams(low, high, body);
#else
  for_flat<Elements>(low, high, body);
#endif
}

}  // namespace rooftune
