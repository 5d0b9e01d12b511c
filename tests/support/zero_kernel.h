// A CUDA kernel that sets y to zero without any work of the card: the launching half does it, so
// that a driver with no card behind it is enough. The caller's folder has write(name, text).
#pragma once
#include <string>

namespace rooftune::test {

/// Writes zero's manifest and sources; `below` ends with a slash unless empty.
template <class Folder>
void write_zero_kernel(const Folder& folder, const std::string& below = "") {
  folder.write(below + "kernel.json", R"({
    "schema": "rooftune-kernel-1", "name": "zero", "title": "y = 0",
    "parameters": [{"name": "n", "type": "integer", "default": 100000}],
    "arguments": [{"name": "n", "type": "int64", "value": "n"},
                  {"name": "y", "type": "double*", "count": "n", "access": "write"}],
    "work": {"least": {"fp64": "0"}, "items": "n", "item": "element"},
    "traffic": {"read": "0", "write": "8*n", "footprint": "8*n"},
    "tolerance": {"relative": 1e-13, "scale": "max"},
    "reference": "reference.cpp",
    "backends": {"cuda": {"source": "cuda.cu", "prepare": true, "finish": true}}})");
  folder.write(below + "reference.cpp",
               "#include <cstdint>\nvoid zero(std::int64_t n, double* y) {\n"
               "  for (std::int64_t i = 0; i < n; ++i) y[i] = 0;\n}\n");
  folder.write(below + "cuda.cu", R"(#include "rooftune/gpu.h"
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, 1) idle(double* y) { if (y == nullptr) *y = 0; }
#if ROOFTUNE_HOST
static rooftune::DeviceBuffer<double> on_card;
void zero_prepare(std::int64_t n, double*) { on_card.zeroed(n); }
void zero(std::int64_t n, double*) {
  ROOFTUNE_LAUNCH(idle, rooftune::blocks_for(n, KNOB_BLOCK * KNOB_ITEMS), KNOB_BLOCK, 0, on_card.data());
}
void zero_finish(std::int64_t n, double* y) { on_card.copy_out(y, n); }
#endif
)");
}

}  // namespace rooftune::test
