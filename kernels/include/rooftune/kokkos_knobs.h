// What most launches with Kokkos leave to knobs: schedule, chunk, team_size and vector_length. The
// caller defines before what shall be another default.
#pragma once
#include "rooftune/kokkos.h"

#ifndef KNOB_SCHEDULE
#define KNOB_SCHEDULE_STATIC 0
#define KNOB_SCHEDULE_DYNAMIC 1
#define KNOB_SCHEDULE KNOB_SCHEDULE_STATIC
#endif
/// Items that a thread takes at once; 0 leaves it to Kokkos.
#ifndef KNOB_CHUNK
#define KNOB_CHUNK 0
#endif
#ifndef KNOB_TEAM_SIZE
#define KNOB_TEAM_SIZE 1
#endif
#ifndef KNOB_VECTOR_LENGTH
#define KNOB_VECTOR_LENGTH 1
#endif

namespace rooftune {

#if KNOB_SCHEDULE == KNOB_SCHEDULE_DYNAMIC
using KokkosSchedule = Kokkos::Schedule<Kokkos::Dynamic>;
#else
using KokkosSchedule = Kokkos::Schedule<Kokkos::Static>;
#endif

}  // namespace rooftune
