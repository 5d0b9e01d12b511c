#include "cli/probe_host.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/probe_card.h"
#include "core/file.h"
#include "core/units.h"
#include "os/interruption.h"
#include "os/paths.h"
#include "probe/probe.h"
#include "report/terminal.h"
#include "study/machines.h"

namespace rooftune::inline cli {

ProbeProgress::ProbeProgress(bool quiet) : quiet_(quiet), tty_(isatty(2) == 1) {}

ProbeProgress::~ProbeProgress() {
  if (open_) std::fputs("\r\033[K", stderr);
}

void ProbeProgress::show(const std::string& phase, double done) {
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

std::filesystem::path probe_file(const std::string& name, const std::string& output) {
  if (name.empty() || name.find('/') != std::string::npos || name.front() == '.')
    throw Error(fmt::format("\"{}\" cannot name a machine file", name), "--machine",
                "a word such as host or node17");
  const std::filesystem::path file = output.empty()
                                         ? writable_machine_directory() / (name + ".json")
                                         : std::filesystem::path(output);
  // A probe takes minutes.
  require_writable_target(file);
  return file;
}

std::filesystem::path probe_host(const std::string& name, bool full, const std::string& output,
                                 bool quiet, Machine& machine) {
  const std::filesystem::path file = probe_file(name, output);
  ProbeProgress progress(quiet);
  ProbeOptions options;
  options.full = full;
  options.name = name;
  options.progress = [&](const std::string& phase, double done) { progress.show(phase, done); };
  options.interrupted = interrupted;
  machine = probed_host(options);
  if (interrupted())
    throw Error("the probe was interrupted; the old machine file, if any, was kept", "probe", {},
                ExitCode::interrupted);
  write_atomically(file, json_text(to_json(machine), 1) + "\n");
  return file;
}

void probe_if_never_probed(const std::string& machine, bool quiet) {
  if (machine != "host" || machine_file("host")) return;
  if (!quiet)
    fmt::print(
        stderr,
        "this machine was never probed: measuring its ceilings now (under a minute; tune probe "
        "--full measures more)\n");
  Machine host;
  probe_host("host", false, {}, quiet, host);
}

int probe_command(const ProbeOptionsLine& options) {
  if (options.gpu) return probe_card_command(options);
  watch_interrupts();
  const auto begin = std::chrono::steady_clock::now();
  Machine machine;
  const std::filesystem::path file =
      probe_host(options.machine, options.full, options.output, options.quiet, machine);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("{}wrote {} ({} ceilings, {})\n", terminal_machine(machine, style_of(1)),
             file.string(), machine.ceilings.size(), to_text(Seconds(took.count())));
  return 0;
}

}  // namespace rooftune::inline cli
