// The studies of a plan by its axes: kernels x problems x back ends x machines.
#pragma once
#include <vector>

#include "core/json.h"

namespace rooftune::sweep {

/// One study as JSON, in the form of "studies", with a "name" of its distinguishing values:
/// "spmv.kokkos.matrix=bunny". `matrix` holds a list for every axis; "problem" may also be an
/// object of lists by kernel ("*": the other kernels). "exclude" drops studies with all of an
/// object's members, "include" adds studies as they are. Every fault is collected, also an
/// exclusion without a match.
std::vector<Json> expanded(ObjectReader& matrix);

}  // namespace rooftune::sweep
