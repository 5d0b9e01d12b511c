// The studies that a plan names by its axes: kernels x problems x back ends x machines.
#pragma once
#include <vector>

#include "core/json.h"

namespace rooftune::sweep {

/// One study as JSON, as "studies" would hold it, with a "name" of what tells it from the others:
/// "spmv.kokkos.matrix=bunny". `matrix` holds a list for every axis; "problem" may also be an
/// object of lists by kernel ("*": the other kernels). "exclude" drops what has all of an object's
/// members, "include" adds studies as they are. Every fault is collected, also an exclusion that
/// fits nothing.
std::vector<Json> expanded(ObjectReader& matrix);

}  // namespace rooftune::sweep
