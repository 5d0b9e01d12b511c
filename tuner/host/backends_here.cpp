#include "host/backends_here.h"

#include <fmt/format.h>

#include "build/artefact.h"
#include "build/cuda/nvrtc.h"
#include "build/kokkos.h"
#include "core/error.h"
#include "counters/cuda/nvidia.h"
#include "os/paths.h"
#include "run/cuda/cuda_card.h"

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

/// Cards, with driver and CUPTI; empty where there is none, with why.
struct CardsHere {
  std::vector<InstalledCard> cards;
  std::string words, cure;
};

CardsHere cards_here() {
  CardsHere here;
  try {
    here.cards = cuda_cards();
  } catch (const Error& error) {
    here.words = "no card: " + error.message();
    here.cure = error.hint();
    return here;
  }
  here.words = "driver of CUDA " + cuda_version_text(here.cards.front().driver);
  for (const InstalledCard& card : here.cards)
    here.words += fmt::format(", card {}: {} ({})", card.index, card.name, card.uuid);
  const Availability cupti = cupti_availability();
  here.words += cupti.available ? ", " + cupti.reason : ", no counters by CUPTI: " + cupti.reason;
  return here;
}

/// CUDA needs a compiler everywhere and a card to measure; both must fit the driver.
BackendHere cuda_here() {
  const CardsHere here = cards_here();
  constexpr int without_card = 80;
  try {
    const CudaCompiler compiler =
        here.cards.empty() ? cuda_compiler(without_card)
                           : cuda_compiler(here.cards.front().properties.compute_capability,
                                           here.cards.front().driver);
    return {"cuda", !here.cards.empty(),
            fmt::format("NVRTC {}, {}", compiler.version.text(), here.words), here.cure};
  } catch (const Error& error) {
    return {"cuda", false, fmt::format("{}; {}", error.message(), here.words), error.hint()};
  }
}

}  // namespace

std::vector<BackendHere> backends_here() {
  const HostCompiler compiler = host_compiler();
  return {{"openmp", true, compiler.version, ""}, kokkos_here(compiler), cuda_here()};
}

}  // namespace rooftune::inline host
