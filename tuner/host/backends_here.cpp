#include "host/backends_here.h"

#include <fmt/format.h>

#include "build/artefact.h"
#include "build/kokkos.h"
#include "build/nvrtc.h"
#include "core/error.h"
#include "os/paths.h"
#include "run/cuda_card.h"

namespace rooftune::inline host {
namespace {

BackendHere kokkos_here(const HostCompiler& compiler) {
  try {
    const KokkosLibrary library =
        kokkos_library(cache_directory() / "artefacts" / "kokkos", compiler);
    return {
        "kokkos", library.on_host(),
        fmt::format("Kokkos {} ({}) in {}", library.version_text(), library.space, library.origin),
        library.on_host() ? "" : "name one that computes on the CPU: ROOFTUNE_KOKKOS=<its prefix>"};
  } catch (const Error& error) {
    return {"kokkos", false, error.message(), error.hint()};
  }
}

/// CUDA needs a compiler everywhere and a card to measure.
BackendHere cuda_here() {
  std::string with;
  try {
    with = fmt::format("NVRTC {}", cuda_compiler(80).version.text());
  } catch (const Error& error) {
    return {"cuda", false, error.message(), error.hint()};
  }
  try {
    for (const CudaCard& card : cuda_cards())
      with += fmt::format(", card {}: {} ({})", card.index, card.name, card.uuid);
    return {"cuda", true, with, ""};
  } catch (const Error& error) {
    return {"cuda", false, with + ", no card: " + error.message(), error.hint()};
  }
}

}  // namespace

std::vector<BackendHere> backends_here() {
  const HostCompiler compiler = host_compiler();
  return {{"openmp", true, compiler.version, ""}, kokkos_here(compiler), cuda_here()};
}

}  // namespace rooftune::inline host
