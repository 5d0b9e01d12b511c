// Back ends of this computer: compilers, libraries and cards.
#include <fmt/format.h>

#include "build/artefact.h"
#include "build/compilation.h"
#include "build/kokkos.h"
#include "core/error.h"
#include "host/doctor.h"
#include "os/paths.h"
#include "run/gpu_runtime.h"

namespace rooftune::host {
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

/// Cards, with driver and counters; empty where there is none, with why.
struct CardsHere {
  std::vector<InstalledCard> cards;
  std::string words, cure;
};

CardsHere cards_of(const GpuRuntime& runtime) {
  CardsHere here;
  try {
    here.cards = runtime.cards();
  } catch (const Error& error) {
    here.words = "no card: " + error.message();
    here.cure = error.hint();
    return here;
  }
  here.words = "driver of " + runtime.driver_text(here.cards.front().driver);
  for (const InstalledCard& card : here.cards)
    here.words += fmt::format(", card {}: {} ({})", card.index, card.name, card.uuid);
  const Availability counters = runtime.counters();
  here.words += (counters.available ? ", " : ", no counters: ") + counters.reason;
  return here;
}

/// A GPU's back end needs a compiler everywhere and a card to measure; both must fit the driver.
BackendHere backend_of(const GpuRuntime& runtime) {
  const CardsHere here = cards_of(runtime);
  const GpuCompilerRow& row = runtime.compiler();
  constexpr int without_card = 80;
  try {
    const GpuCompiler compiler =
        here.cards.empty()
            ? row.choose(without_card, 0)
            : row.choose(here.cards.front().facts.compute_capability, here.cards.front().driver);
    const std::string fault = why_nothing_compiles(compiler);
    if (!fault.empty())
      throw Error(fmt::format("{} {} compiles nothing: {}", row.name, compiler.version, fault),
                  compiler.library.string(), "the parts of its installation belong together");
    return {runtime.name, !here.cards.empty(),
            fmt::format("{} {}, {}", row.name, compiler.version, here.words), here.cure};
  } catch (const Error& error) {
    return {runtime.name, false, fmt::format("{}; {}", error.message(), here.words), error.hint()};
  }
}

}  // namespace

std::vector<BackendHere> backends_here() {
  const HostCompiler compiler = host_compiler();
  const std::string fault = sample_fault(compiler);
  std::vector<BackendHere> all{
      {"openmp", fault.empty(), compiler.version + (fault.empty() ? "" : ": " + fault),
       fault.empty() ? "" : "install the compiler's OpenMP (libomp-dev of clang), or set CXX"},
      kokkos_here(compiler)};
  for (const GpuRuntime& runtime : gpu_runtimes()) all.push_back(backend_of(runtime));
  return all;
}

}  // namespace rooftune::host
