// tune check PATH: everything that can be wrong with a kernel folder, found before a study needs
// it.
#include <fmt/format.h>

#include "cli/console.h"
#include "cli/gpu.h"
#include "cli/machines.h"
#include "cli/options.h"
#include "cli/study.h"
#include "core/units.h"
#include "kernel/catalogue.h"
#include "os/paths.h"

namespace rooftune {
namespace {

/// This host's machine file when it was probed; else what the system reports, without ceilings.
Machine known_host() {
  const auto file = machine_file("host");
  return file ? read_machine(*file) : unprobed_host();
}

void print_bound(const Kernel& kernel, const Facts& facts, const Machine& machine) {
  const Work least = work(kernel, facts);
  const Traffic bytes = traffic(kernel, facts);
  for (const auto& [precision, flops] : least.least)
    fmt::print("  least work    {:.6g} flop ({})\n", flops.value(), precision);
  fmt::print("  least traffic {} read, {} written, {} touched\n", to_text(bytes.read),
             to_text(bytes.write), to_text(bytes.footprint));
  if (machine.ceilings.empty()) {
    fmt::print("  bound         unknown: this machine was never probed (tune probe)\n");
    return;
  }
  const Bound limit = bound(least, bytes, machine, machine.cores);
  fmt::print("  bound         {} by {}\n", to_text(limit.time), limit.ceiling);
}

/// Without an NVRTC only the emulation can be checked.
void choose_cuda_compiler(ArtefactCache& cache, const Machine& machine) {
  try {
    use_cuda_compiler(cache, machine);
    fmt::print("cuda: kernels compiled for {} by NVRTC {}\n", cache.cuda()->architecture,
               cache.cuda()->version.text());
  } catch (const Error& error) {
    if (error.code() != ExitCode::unavailable) throw;
    fmt::print("cuda: kernels NOT compiled for the card, {}\n", error.message());
  }
}

/// Builds, validates and times the baseline of one back end; true when it is right.
bool check_backend(const Kernel& kernel, const Backend& backend, const Facts& parameters,
                   const Machine& host, const std::string& gpu, ArtefactCache& cache) {
  Facts facts = parameters;
  const bool is_cuda = backend.name == "cuda";
  const Machine machine = is_cuda ? load_machine(gpu) : host;
  CudaSetup cuda;
  try {
    facts.merge(backend_facts(backend, cache, machine));
    if (is_cuda) {
      cuda = cuda_setup(machine, CudaSetup::Mode::emulated, {});
      choose_cuda_compiler(cache, machine);
    }
  } catch (const Error& error) {
    // Kernels come with back ends that not every computer has.
    if (error.code() != ExitCode::unavailable) throw;
    fmt::print("{}: SKIPPED, {}\n", backend.name, error.message());
    return true;
  }
  const TemporaryDirectory scratch;
  HostEvaluator evaluator(Study{kernel, backend, parameters, host.cores, 0, cuda}, cache,
                          scratch.path(), {});
  facts.merge(evaluator.facts());
  Facts known = facts;
  known.merge(machine_facts(machine, machine.cores));
  const std::filesystem::path file = find_space(kernel, backend.name, home());
  const SearchSpace space = read_space(file, known);
  const std::vector<std::string> unknown = unknown_names(kernel, space);
  if (!unknown.empty())
    throw Error(
        fmt::format("argument values name what is neither parameter, fact nor argument knob: {}",
                    fmt::join(unknown, ", ")),
        (kernel.folder / "kernel.json").string());
  fmt::print("{}: space {} with {} configurations\n", backend.name, file.string(), space.size());
  evaluator.use(space);
  const Trial trial = evaluator.evaluate(space.baseline(), std::nullopt);
  if (!trial.ok()) {
    fmt::print("  baseline      {}: {}\n", to_text(trial.outcome), trial.detail);
    return false;
  }
  // The emulation's time says nothing about a card.
  const std::string time = is_cuda
                               ? std::string("emulated on the CPU")
                               : to_text(Seconds(trial.measurement->seconds.value)) + " per call";
  fmt::print(
      "  baseline      ok, {}, agrees with the reference (largest error {:.2g} of the allowed)\n",
      time, trial.measurement->max_error);
  print_bound(kernel, facts, machine);
  return true;
}

}  // namespace

int check_command(const CheckOptions& options) {
  watch_interrupts();
  const Kernel kernel = find_kernel(options.path, home());
  fmt::print("{}: {}\n", kernel.name, kernel.title);
  const Facts parameters = problem_parameters(kernel, problem_words(options.problem));
  const Machine machine = known_host();
  ArtefactCache cache(cache_directory() / "artefacts", host_compiler());
  bool right = true;
  if (!options.backend.empty() && !kernel.backend(options.backend))
    throw Error(fmt::format("kernel {} has no back end \"{}\"", kernel.name, options.backend),
                "--backend", "kernel.json names its back ends");
  for (const Backend& backend : kernel.backends)
    if (options.backend.empty() || options.backend == backend.name)
      right = check_backend(kernel, backend, parameters, machine, options.machine, cache) && right;
  fmt::print("{}\n", right ? "ok" : "FAILED");
  return static_cast<int>(right ? ExitCode::ok : ExitCode::failure);
}

}  // namespace rooftune
