// STREAM triad with Kokkos: a flat range in chunks, or teams that each walk a strip.
// The caller provides n elements in each array; a overlaps neither b nor c.
#include "rooftune/kokkos.h"

#include "body.h"

#ifndef KNOB_POLICY
#define KNOB_POLICY_RANGE 0
#define KNOB_POLICY_TEAM 1
#define KNOB_POLICY KNOB_POLICY_RANGE
#endif
#ifndef KNOB_CHUNK
#define KNOB_CHUNK 0
#endif
#ifndef KNOB_SCHEDULE
#define KNOB_SCHEDULE_STATIC 0
#define KNOB_SCHEDULE_DYNAMIC 1
#define KNOB_SCHEDULE KNOB_SCHEDULE_STATIC
#endif
#ifndef KNOB_STRIP
#define KNOB_STRIP 4096
#endif
#ifndef KNOB_TEAM_SIZE
#define KNOB_TEAM_SIZE 1
#endif
#ifndef KNOB_VECTOR_LENGTH
#define KNOB_VECTOR_LENGTH 1
#endif

static rooftune::DeviceArray<const double> b_array, c_array;
static rooftune::DeviceArray<double> a_array;

void triad_prepare(std::int64_t n, double, const double* b, const double* c, double* a) {
  b_array.copy_in(b, n);
  c_array.copy_in(c, n);
  a_array.copy_in(a, n);
}

void triad(std::int64_t n, double s, const double*, const double*, double*) {
  const double* const b = b_array.data();
  const double* const c = c_array.data();
  double* const a = a_array.data();
#if KNOB_POLICY == KNOB_POLICY_TEAM
  using Policy = Kokkos::TeamPolicy<rooftune::ExecutionSpace>;
  constexpr std::int64_t strip = KNOB_STRIP;
  const int league = static_cast<int>((n + strip - 1) / strip);
  Kokkos::parallel_for(
      Policy(league, KNOB_TEAM_SIZE, KNOB_VECTOR_LENGTH),
      KOKKOS_LAMBDA(const typename Policy::member_type& team) {
        const std::int64_t from = team.league_rank() * strip;
        const std::int64_t to = from + strip < n ? from + strip : n;
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, to - from), [&](const std::int64_t i) {
          triad_body::element(from + i, s, b, c, a);
        });
      });
#else
#if KNOB_SCHEDULE == KNOB_SCHEDULE_DYNAMIC
  using Schedule = Kokkos::Schedule<Kokkos::Dynamic>;
#else
  using Schedule = Kokkos::Schedule<Kokkos::Static>;
#endif
  using Policy =
      Kokkos::RangePolicy<rooftune::ExecutionSpace, Schedule, Kokkos::IndexType<std::int64_t> >;
  Policy policy(0, n);
  if (KNOB_CHUNK > 0) policy.set_chunk_size(KNOB_CHUNK);
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const std::int64_t i) { triad_body::element(i, s, b, c, a); });
#endif
  Kokkos::fence();
}

void triad_finish(std::int64_t, double, const double*, const double*, double*) {
  a_array.copy_out();
}
