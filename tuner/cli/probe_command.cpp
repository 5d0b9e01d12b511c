// tune probe: measures this host or a card, shows progress on standard error and writes the machine
// file.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ranges>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/study_files.h"
#include "core/file.h"
#include "core/list.h"
#include "core/seconds_since.h"
#include "core/unique.h"
#include "core/units.h"
#include "os/file_lock.h"
#include "os/interruption.h"
#include "os/paths.h"
#include "os/temporary_directory.h"
#include "os/topology.h"
#include "probe/gpu_plan.h"
#include "probe/probe.h"
#include "probe/self_check.h"
#include "report/terminal.h"
#include "roofline/machine_json.h"
#include "run/gpu_runtime.h"
#include "run/loaded_variant.h"
#include "store/record_writer.h"
#include "study/machines.h"
#include "study/platform.h"

namespace rooftune::cli {
namespace {

/// Shows phases on standard error: on a terminal one changing line.
class ProbeProgress : Unique {
 public:
  explicit ProbeProgress(bool quiet) : quiet_(quiet), tty_(is_screen(2)) {}
  ~ProbeProgress() {
    if (open_) std::fputs("\r\033[K", stderr);
  }
  /// `done`: how much of the whole probe is done, 0..1.
  void operator()(const std::string& phase, double done) {
    if (quiet_) return;
    if (tty_) {
      fmt::print(stderr, "\rprobe: {:3.0f} %  {}\033[K", 100 * done, phase);
      std::fflush(stderr);
      open_ = true;
    } else if (phase != last_) {
      fmt::print(stderr, "probe: {:3.0f} %  {}\n", 100 * done, phase);
    }
    last_ = phase;
  }

 private:
  bool quiet_, tty_, open_ = false;
  std::string last_;
};

/// Waits until others have ended their timing there, and keeps them out.
TimingLocks locked(const Texts& names) {
  TimingLocks alone = lock_for_timing(names, true, print_note);
  if (!alone.open_because.empty()) print_note("note: " + alone.open_because);
  return alone;
}

/// Where a probe's file goes: `output`, or the first writable machine directory. Throws Error for a
/// name that no file can have.
fs::path probe_file(const std::string& name, const std::string& output) {
  if (name.empty() || contains(name, '/') || name.front() == '.')
    throw Error(fmt::format("\"{}\" cannot name a machine file", name), "--machine",
                "a word such as host or node17");
  const fs::path file =
      output.empty() ? writable_machine_directory() / (name + ".json") : fs::path(output);
  // Checked now, for a probe takes minutes.
  require_writable_target(file);
  return file;
}

/// Writes the machine, with its cluster's settings from an earlier file: people wrote them, no
/// probe knows them. `typed`: the file as the user typed it; empty if the tool chose the name.
void write_machine(Machine& machine, const fs::path& file, const std::string& typed) {
  try {
    if (fs::exists(file)) machine.slurm = read_machine(file).slurm;
  } catch (const Error&) {
  }
  const std::string text = json_text(to_json(machine), 1) + "\n";
  typed.empty() ? write_atomically(file, text) : write_for_user(file, text);
}

/// Renames a file that another probe cannot use; says where it is now.
std::string set_aside(const fs::path& file) {
  fs::path aside = file;
  aside += ".set-aside";
  std::error_code fault;
  fs::rename(file, aside, fault);
  return fault ? "it was overwritten" : "it is " + file_name(aside) + " now";
}

/// Adds the figures from the machine's own file, if the probe writes another file.
void add_known(Machine& machine, const std::string& name, const fs::path& file) {
  const auto own = machine_file(name);
  std::error_code ignored;
  if (!own || fs::equivalent(*own, file, ignored)) return;
  try {
    if (const Machine known = read_machine(*own); known.id == machine.id)
      keep_faster(machine, known);
  } catch (const Error&) {  // another file, which this probe does not repair
  }
}

/// Adds this machine's earlier probe from `file`; a note states the outcome.
void add_earlier(Machine& machine, const fs::path& file) {
  if (!fs::exists(file)) return;
  try {
    const Machine earlier = read_machine(file);
    if (earlier.id == machine.id)
      keep_faster(machine, earlier);
    else
      machine.notes.push_back(
          fmt::format("the earlier file described another machine, or this one before it was "
                      "changed (id {}): nothing of it was kept",
                      earlier.id.empty() ? "none" : earlier.id));
  } catch (const Error& error) {
    machine.notes.push_back(fmt::format("the earlier file could not be read ({}): {}",
                                        error.message(), set_aside(file)));
  }
}

/// Probes, writes the machine file and returns its path. Faster figures from this machine's earlier
/// probe in this file stay, unless the user wants them forgotten; an unreadable file is set aside.
fs::path probe_host(const ProbeOptionsLine& line, Machine& machine) {
  const TimingLocks alone = locked(core_names(topology().cpus));
  const fs::path file = probe_file(line.probe.name, line.output);
  ProbeOptions options = line.probe;
  options.seconds = line.budget.value_or(Seconds(0)).value();
  options.interrupted = interrupted;
  {
    ProbeProgress progress(line.quiet);
    options.progress = std::ref(progress);
    machine = probed_host(options);
  }
  if (interrupted())
    throw Error("the probe was interrupted; the old machine file, if any, was kept", "probe", {},
                ExitCode::interrupted);
  const size_t notes = machine.notes.size();
  if (!line.forget) {
    add_earlier(machine, file);
    add_known(machine, options.name, file);
  }
  if (!line.quiet)
    for (const std::string& note : std::views::drop(machine.notes, notes))
      fmt::print(stderr, "probe: {}\n", note);
  write_machine(machine, file, line.output);
  return file;
}

/// The machine file whose "gpu" describes the card and that no probe wrote.
std::optional<Machine> published_machine(const InstalledCard& card) {
  for (const auto& [name, machine] : readable_machines())
    if (machine.gpu && machine.identity.count("uuid") == 0 && machine.gpu->describes(card.name))
      return machine;
  return std::nullopt;
}

/// The micro-kernels for the card, compiled in `folder`; returns the image.
fs::path compiled(const InstalledCard& card, const fs::path& folder) {
  const GpuCompilerRow& row = gpu_compiler_row(card.runtime);
  const GpuCompiler compiler = row.choose(card.facts.compute_capability, card.driver);
  const fs::path source = folder / "gpu_kernels.cu", image = folder / "kernels.image";
  const std::string text = gpu_kernels(card.runtime);
  write_atomically(source, text);
  const CompiledKernels kernels = row.compile(compiler.library, text, source.filename(),
                                              headers_of_kernels(source), compiler.options);
  if (!kernels.ok)
    throw Unavailable(
        "the micro-kernels of the probe do not compile: " + kernels.log.substr(0, 2000),
        compiler.library, fmt::format("another {0} may do: ROOFTUNE_{0}=<its path>", row.name));
  write_atomically(image, kernels.image);
  return image;
}

Machine probed_card(const ProbeOptionsLine& options, const std::string& name) {
  const InstalledCard card = installed_card(*options.gpu);
  const TemporaryDirectory scratch;
  Task task;
  task.library = "tune probe";
  task.image = compiled(card, scratch.path());
  const TimingLocks alone = locked({card.uuid});
  const std::unique_ptr<GpuMachine> device = gpu_runtime(card.runtime).open(card);
  ProbeProgress progress(options.quiet);
  GpuProbeOptions wanted;
  static_cast<ProbeOptions&>(wanted) = options.probe;
  wanted.name = name;
  wanted.seconds = options.budget.value_or(Seconds(0)).value();
  wanted.published = published_machine(card);
  wanted.progress = std::ref(progress);
  wanted.interrupted = interrupted;
  try {
    device->use(task);
    const auto fared = gpu_runtime(card.runtime).watch(card);
    Machine machine = probe_gpu(*device, card, wanted);
    const CardSpan span = fared().value_or(CardSpan());
    device->drop(task);
    append(machine.notes, print_notes(span));
    return machine;
  } catch (const VariantFault& fault) {
    throw Unavailable("the card failed during the probe: " + fault.detail,
                      fmt::format("{} ({})", card.name, card.uuid),
                      "nvidia-smi shows its state and who uses it; no machine file was written");
  }
}

/// A card's machine is called gpu unless it has a name.
fs::path probe_card(const ProbeOptionsLine& options, Machine& machine) {
  const std::string name = options.probe.name == host_machine ? "gpu" : options.probe.name;
  const fs::path file = probe_file(name, options.output);
  machine = probed_card(options, name);
  write_machine(machine, file, options.output);
  return file;
}

}  // namespace

int probe_command(const ProbeOptionsLine& options) {
  watch_interrupts();
  const auto begin = SteadyClock::now();
  Machine machine;
  const fs::path file = options.gpu ? probe_card(options, machine) : probe_host(options, machine);
  fmt::print("{}wrote {} ({} ceilings, {})\n",
             terminal_machine(machine, style_of(1), options.verbose), file.string(),
             machine.ceilings.size(), to_text(Seconds(seconds_since(begin))));
  return 0;
}

void probe_if_never_probed(const std::string& machine, bool quiet) {
  if (is_probed(machine)) return;
  if (!quiet)
    fmt::print(stderr,
               "this machine was never probed: measuring its ceilings now (15 s; tune probe "
               "--full measures more)\n");
  Machine host;
  ProbeOptionsLine line;
  line.quiet = quiet;
  probe_host(line, host);
}

}  // namespace rooftune::cli
