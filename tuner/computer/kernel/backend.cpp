#include "kernel/backend.h"

#include <algorithm>
#include <array>

#include "roofline/machine.h"

namespace rooftune::kernel {
namespace {

constexpr std::array<BackendRow, 4> table{{
    {"openmp", Builder::host_compiler, MachineKind::cpu},
    {"kokkos", Builder::kokkos, std::nullopt},
    {"cuda", Builder::gpu_compiler, MachineKind::gpu},
    {command_backend, Builder::own, std::nullopt},
}};

}  // namespace

std::span<const BackendRow> backend_table() { return table; }

const BackendRow& backend_row(const std::string& name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const BackendRow& row) { return name == row.name; });
  return found == table.end() ? table.front() : *found;
}

const char* default_backend(MachineKind machine) {
  return std::find_if(table.begin(), table.end(),
                      [&](const BackendRow& row) { return row.runs_on == machine; })
      ->name;
}

bool runs_on_gpu(const std::string& name) { return backend_row(name).runs_on == MachineKind::gpu; }

}  // namespace rooftune::kernel
