#include <catch2/catch.hpp>

#include "kernel/kernel.h"
#include "roofline/machine.h"

using namespace rooftune;

TEST_CASE("a back end says by its row where it runs and what builds it") {
  for (const BackendRow& row : backend_table()) {
    INFO(row.name);
    CHECK(std::string(backend_row(row.name).name) == row.name);
    CHECK(runs_on_gpu(row.name) == (row.runs_on == MachineKind::gpu));
    Backend backend;
    backend.name = row.name;
    CHECK(backend.needs_kokkos() == (row.builder == Builder::kokkos));
    CHECK(backend.needs_gpu_compiler() == (row.builder == Builder::gpu_compiler));
  }
}

TEST_CASE("a back end of another name is C++ for the host") {
  CHECK(backend_row("pthreads").builder == Builder::host_compiler);
  CHECK(backend_row("pthreads").runs_on == MachineKind::cpu);
}

TEST_CASE("each kind of machine has the back end that its studies take by default") {
  CHECK(default_backend(MachineKind::cpu) == std::string("openmp"));
  CHECK(default_backend(MachineKind::gpu) == std::string("cuda"));
}
