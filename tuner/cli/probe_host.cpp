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
#include "os/topology.h"
#include "probe/faster.h"
#include "probe/probe.h"
#include "probe/verification.h"
#include "report/terminal.h"
#include "report/text_table.h"
#include "study/machines.h"

namespace rooftune::cli {

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

std::optional<SlurmRequest> earlier_slurm(const std::filesystem::path& file) {
  try {
    if (std::filesystem::exists(file)) return read_machine(file).slurm;
  } catch (const Error&) {
  }
  return std::nullopt;
}

namespace {

/// Renames a file unusable for another probe; returns the new place.
std::string set_aside(const std::filesystem::path& file) {
  std::filesystem::path aside = file;
  aside += ".set-aside";
  std::error_code fault;
  std::filesystem::rename(file, aside, fault);
  return fault ? "it was overwritten" : "it is " + aside.filename().string() + " now";
}

/// Adds an earlier probe of this machine from `file`; a note states the outcome.
void add_earlier(Machine& machine, const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return;
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

}  // namespace

std::vector<FileLock> alone_on_host() {
  return lock_for_timing(core_names(topology().cpus), true, print_note);
}

std::filesystem::path probe_host(const ProbeOptionsLine& line, Machine& machine) {
  const auto alone = alone_on_host();
  const std::filesystem::path file = probe_file(line.machine, line.output);
  ProbeOptions options;
  options.full = line.full;
  options.seconds = line.seconds;
  options.name = line.machine;
  options.interrupted = interrupted;
  {
    ProbeProgress progress(line.quiet);
    options.progress = [&](const std::string& phase, double done) { progress.show(phase, done); };
    machine = probed_host(options);
  }
  if (interrupted())
    throw Error("the probe was interrupted; the old machine file, if any, was kept", "probe", {},
                ExitCode::interrupted);
  const std::size_t notes = machine.notes.size();
  machine.slurm = earlier_slurm(file);
  if (!line.forget) add_earlier(machine, file);
  if (!line.quiet)
    for (std::size_t i = notes; i < machine.notes.size(); ++i)
      fmt::print(stderr, "probe: {}\n", machine.notes[i]);
  write_atomically(file, json_text(to_json(machine), 1) + "\n");
  return file;
}

void probe_if_never_probed(const std::string& machine, bool quiet) {
  if (is_probed(machine)) return;
  if (!quiet)
    fmt::print(
        stderr,
        "this machine was never probed: measuring its ceilings now (under a minute; tune probe "
        "--full measures more)\n");
  Machine host;
  ProbeOptionsLine line;
  line.quiet = quiet;
  probe_host(line, host);
}

namespace {

constexpr std::size_t nearest = 10;  // loops shown beside those faster than their bounds

std::string table_of(const Verification& verification) {
  TextTable table(style_of(1).width);
  const auto head = [](const char* text) { return TextTable::Cell{text, Ink::faint}; };
  table.row({head("loop"), head("size"), head("threads"), head("time"), head("bound"),
             head("ratio"), head("ceiling")});
  std::size_t shown = 0;
  for (const VerifiedLoop& loop : verification.loops) {
    if (!loop.beats && shown >= nearest) break;
    ++shown;
    table.row({{loop.time.loop, loop.beats ? Ink::yellow : Ink::none},
               {to_text(loop.time.traffic.footprint), Ink::none, true},
               {fmt::format("{}", loop.time.threads), Ink::none, true},
               {to_text(Seconds(loop.time.seconds)), Ink::none, true},
               {to_text(loop.bound.low), Ink::none, true},
               {fmt::format("{:.3f}", loop.ratio), Ink::none, true},
               {loop.bound.ceiling, Ink::none}});
  }
  return table.str(style_of(1).colour);
}

int verify_command(const ProbeOptionsLine& options) {
  watch_interrupts();
  require_output(options.json);
  Machine machine = load_machine(options.machine);
  if (const std::string other = why_not_here(machine); !other.empty())
    throw Error("only this computer's ceilings can be verified: " + other, "--machine",
                "tune probe --verify --machine host");
  const std::filesystem::path file = options.output.empty() ? *machine_file(options.machine)
                                                            : std::filesystem::path(options.output);
  require_writable_target(file);
  LoopOptions loops;
  loops.seconds = options.seconds;
  loops.interrupted = interrupted;
  std::vector<LoopTime> times;
  const auto alone = alone_on_host();
  {
    ProbeProgress progress(options.quiet);
    loops.progress = [&](const std::string& phase, double done) { progress.show(phase, done); };
    times = plain_loop_times(machine, loops);
  }
  const Verification verification = verify(machine, times);
  write_atomically(file, json_text(to_json(machine), 1) + "\n");
  if (!options.json.empty()) write_output(options.json, json_text(to_json(verification), 2) + "\n");
  if (is_stdout(options.json)) return verification.left > 0 ? 1 : 0;
  fmt::print("{}", table_of(verification));
  if (const std::size_t without = times.size() - verification.loops.size(); without > 0)
    fmt::print("{} combinations have no bound: the file lacks ceilings for them (tune probe)\n",
               without);
  fmt::print("{} of {} combinations beat their bounds", verification.beating,
             verification.loops.size());
  if (verification.left > 0)
    fmt::print("; {} still do after {} ceilings were added or raised in {}\n", verification.left,
               verification.repaired.size(), file.string());
  else if (verification.beating > 0)
    fmt::print("; repaired: {} ceilings were added or raised in {}\n", verification.repaired.size(),
               file.string());
  else
    fmt::print(": the ceilings of {} hold\n", file.string());
  return verification.left > 0 ? 1 : 0;
}

}  // namespace

int probe_command(const ProbeOptionsLine& options) {
  if (options.gpu) return probe_card_command(options);
  if (options.verify) return verify_command(options);
  watch_interrupts();
  const auto begin = std::chrono::steady_clock::now();
  Machine machine;
  const std::filesystem::path file = probe_host(options, machine);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("{}wrote {} ({} ceilings, {})\n",
             terminal_machine(machine, style_of(1), options.verbose), file.string(),
             machine.ceilings.size(), to_text(Seconds(took.count())));
  return 0;
}

}  // namespace rooftune::cli
