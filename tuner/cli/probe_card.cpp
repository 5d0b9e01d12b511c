#include "cli/probe_card.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

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
#include "run/gpu_runtime.h"
#include "run/loaded_variant.h"
#include "study/machines.h"

namespace rooftune::cli {
namespace {

GpuCard description_of(const InstalledCard& card) {
  GpuCard result;
  result.name = card.name;
  result.uuid = card.uuid;
  result.driver = gpu_runtime(card.runtime).driver_text(card.driver);
  result.clock = 1e3 * card.clock_khz;
  result.memory_clock = 1e3 * card.memory_clock_khz;
  GpuFacts& facts = result.facts;
  facts.devices = {card.name};
  facts.compute_capability = card.properties.compute_capability;
  facts.multiprocessors = card.properties.multiprocessors;
  facts.warp = card.limits.warp;
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

/// The machine file whose "gpu" describes the card, other than one of a probe.
std::optional<Machine> published_machine(const GpuCard& card) {
  for (const auto& [name, machine] : readable_machines())
    if (machine.gpu && machine.identity.count("uuid") == 0 && machine.gpu->describes(card.name))
      return machine;
  return std::nullopt;
}

/// The micro-kernels for the card, compiled in `folder`; returns the image.
std::filesystem::path compiled(const InstalledCard& card, const std::filesystem::path& folder) {
  const GpuCompilerRow& row = gpu_compiler_row(card.runtime);
  const GpuCompiler compiler = row.choose(card.properties.compute_capability, card.driver);
  const std::filesystem::path source = folder / "gpu_kernels.cu", image = folder / "kernels.image";
  const std::string text = gpu_kernels(card.runtime);
  write_atomically(source, text);
  const CompiledKernels kernels = row.compile(compiler.library, text, source.filename(),
                                              headers_of_kernels(source), compiler.options);
  if (!kernels.ok)
    throw Error("the micro-kernels of the probe do not compile: " + kernels.log.substr(0, 2000),
                compiler.library.string(),
                fmt::format("another {0} may do: ROOFTUNE_{0}=<its path>", row.name),
                ExitCode::unavailable);
  write_atomically(image, kernels.image);
  return image;
}

Machine probed(const ProbeOptionsLine& options, const std::string& name) {
  const InstalledCard card = installed_card(*options.gpu);
  const TemporaryDirectory scratch;
  Task task;
  task.library = "tune probe";
  task.image = compiled(card, scratch.path());
  const auto alone =
      lock_for_timing({"gpu" + (options.gpu->empty() ? "0" : *options.gpu)}, true, print_note);
  const std::unique_ptr<GpuMachine> device = gpu_runtime(card.runtime).open(card);
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

}  // namespace rooftune::cli
