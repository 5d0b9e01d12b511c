#include "cli/probe_card.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "build/cuda/nvrtc.h"
#include "cli/console.h"
#include "cli/probe_host.h"
#include "core/file.h"
#include "core/units.h"
#include "os/interruption.h"
#include "os/paths.h"
#include "os/temporary_directory.h"
#include "probe/gpu_plan.h"
#include "probe/gpu_probe.h"
#include "report/terminal.h"
#include "run/cuda/cuda_card.h"
#include "run/loaded_variant.h"
#include "study/machines.h"

namespace rooftune::inline cli {
namespace {

GpuCard description_of(const InstalledCard& card) {
  GpuCard result;
  result.name = card.name;
  result.uuid = card.uuid;
  result.driver = "CUDA " + cuda_version_text(card.driver);
  result.clock = 1e3 * card.clock_khz;
  result.memory_clock = 1e3 * card.memory_clock_khz;
  GpuFacts& facts = result.facts;
  facts.devices = {card.name};
  facts.compute_capability = card.properties.compute_capability;
  facts.multiprocessors = card.properties.multiprocessors;
  facts.threads_per_multiprocessor = card.limits.threads;
  facts.blocks_per_multiprocessor = card.limits.blocks;
  facts.registers_per_multiprocessor = static_cast<int>(card.limits.registers);
  facts.registers_per_block = card.registers_per_block;
  facts.shared_per_multiprocessor = card.limits.shared_bytes;
  facts.shared_per_block = card.properties.shared_per_block;
  facts.shared_reserved = card.limits.shared_reserved;
  facts.l2 = card.properties.l2_bytes;
  facts.memory = card.properties.memory_bytes;
  return result;
}

/// The machine file whose "gpu" describes the card, and which no probe wrote.
std::optional<Machine> published_machine(const GpuCard& card) {
  for (const auto& [name, machine] : readable_machines())
    if (machine.gpu && machine.identity.count("uuid") == 0 && machine.gpu->describes(card.name))
      return machine;
  return std::nullopt;
}

/// The micro-kernels for the card, written to `image`.
void compile(const InstalledCard& card, const std::filesystem::path& image) {
  const CudaCompiler compiler = cuda_compiler(card.properties.compute_capability, card.driver);
  const std::filesystem::path folder = variant_include_directory();
  std::map<std::string, std::string> headers;
  for (const char* name : {"rooftune/cuda.h", "rooftune/portable.h"})
    headers[name] = read_text(folder / name);
  const Nvrtc::Compiled compiled =
      Nvrtc(compiler.library)
          .compile(microbench::gpu_kernels(), "gpu_kernels.cu", headers,
                   {"--gpu-architecture=" + compiler.architecture, compiler.standard()});
  if (!compiled.ok)
    throw Error("the micro-kernels of the probe do not compile: " + compiled.log.substr(0, 2000),
                compiler.library.string(), "another NVRTC may do: ROOFTUNE_NVRTC=<its path>",
                ExitCode::unavailable);
  write_atomically(image, compiled.image);
}

Machine probed(const ProbeOptionsLine& options, const std::string& name) {
  const InstalledCard card = cuda_card_named(*options.gpu);
  const TemporaryDirectory scratch;
  Task task;
  task.library = "tune probe";
  task.image = scratch.path() / "kernels.cubin";
  compile(card, task.image);
  const auto alone =
      lock_for_timing({"gpu" + (options.gpu->empty() ? "0" : *options.gpu)}, true, print_note);
  const std::unique_ptr<GpuMachine> device = cuda_card(*options.gpu);
  const GpuCard description = description_of(card);
  ProbeProgress progress(options.quiet);
  GpuProbeOptions wanted;
  wanted.name = name;
  wanted.full = options.full;
  wanted.seconds = options.seconds;
  wanted.published = published_machine(description);
  wanted.progress = [&](const std::string& phase, double done) { progress.show(phase, done); };
  wanted.interrupted = interrupted;
  try {
    device->use(task);
    Machine machine = probe_gpu(*device, description, wanted);
    device->drop(task);
    return machine;
  } catch (const VariantFault& fault) {
    throw Error(fmt::format("the card failed during the probe: {}", fault.detail),
                fmt::format("{} ({})", card.name, card.uuid),
                "nvidia-smi shows its state and who uses it; no machine file was written",
                ExitCode::unavailable);
  }
}

}  // namespace

int probe_card_command(const ProbeOptionsLine& options) {
  watch_interrupts();
  const auto begin = std::chrono::steady_clock::now();
  const std::string name = options.machine == "host" ? "gpu" : options.machine;
  const std::filesystem::path file = probe_file(name, options.output);
  Machine machine = probed(options, name);
  machine.slurm = earlier_slurm(file);
  write_atomically(file, json_text(to_json(machine), 1) + "\n");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("{}wrote {} ({} ceilings, {})\n",
             terminal_machine(machine, style_of(1), options.verbose), file.string(),
             machine.ceilings.size(), to_text(Seconds(took.count())));
  return 0;
}

}  // namespace rooftune::inline cli
