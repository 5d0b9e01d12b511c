// The knob schedule of Kokkos' loops.
#pragma once
#include "rooftune/kokkos.h"

namespace rooftune {

#if KNOB_SCHEDULE == KNOB_SCHEDULE_DYNAMIC
using KokkosSchedule = Kokkos::Schedule<Kokkos::Dynamic>;
#else
using KokkosSchedule = Kokkos::Schedule<Kokkos::Static>;
#endif

}  // namespace rooftune
