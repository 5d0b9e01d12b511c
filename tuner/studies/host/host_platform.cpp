#include "host/host_platform.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <map>
#include <mutex>

#include "build/includes.h"
#include "build/kokkos.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/list.h"
#include "counters/provider.h"
#include "host/cards.h"
#include "host/learnt_ceilings.h"
#include "host/slurm_nodes.h"
#include "os/file_lock.h"
#include "os/interruption.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "os/topology.h"
#include "probe/bench.h"
#include "probe/self_check.h"
#include "roofline/machine_json.h"
#include "run/command_evaluator.h"
#include "run/gpu_runtime.h"
#include "space/knob.h"
#include "space/space_reader.h"
#include "study/machines.h"
#include "study/platform.h"

namespace rooftune::host {
namespace {

/// Inputs that share this host each get a part of its memory. Times from a card's events repeat to
/// a thousandth: a few samples tell a time, if launching takes a small part of each. Emulated times
/// mean nothing, so one call is enough; it may take long.
RunLimits limits_of(size_t sharers, GpuSetup::Mode mode) {
  RunLimits limits;
  if (mode == GpuSetup::Mode::card) {
    limits.sample_seconds = 0.005;
    limits.trial_seconds = 0.15;
    limits.min_samples = 5;
  } else if (mode != GpuSetup::Mode::none) {
    limits.first_call_seconds = 600;
    limits.sample_seconds = limits.trial_seconds = 0;
    limits.min_samples = limits.max_samples = 1;
  }
  if (sharers < 2) return limits;
  constexpr double usable = 0.8;
  const double present = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGE_SIZE));
  limits.memory_bytes = size_t(usable * present / double(sharers));
  return limits;
}

/// "x86_64-linux-gnu". Keeps the answer, for a list of studies asks again for each study.
std::string target_of(const HostCompiler& compiler) {
  static std::mutex asking;
  static NamedTexts answers;
  const std::lock_guard lock(asking);
  const auto [target, is_new] = answers.try_emplace(compiler.path);
  if (!is_new) return target->second;
  Command question;
  question.argv = {compiler.path, "-dumpmachine"};
  const std::string answer = execute(question).output;
  return target->second = answer.substr(0, answer.find('\n'));
}

/// The compiler that a knob may choose beside the host's. $ROOFTUNE_CXX asks for a single compiler.
std::optional<HostCompiler> other_to_choose(const PreparedStudy& study, const HostCompiler& host) {
  if (!chooses_compiler(study.space_file.content)) return std::nullopt;
  return environment_text("ROOFTUNE_CXX").empty() ? other_compiler(host) : std::nullopt;
}

Error not_here(const Machine& machine, const std::string& reason) {
  if (machine.is_gpu())
    return Unavailable(
        fmt::format("machine \"{}\" is not here: {}", machine.name, reason), "--machine",
        fmt::format("--machine auto takes the card that is here; run the same command where "
                    "{} is to tune there; --dry-run compiles for it and shows bound, "
                    "occupancy and registers without it",
                    machine.name));
  return Unavailable(
      fmt::format("machine \"{}\" is not this host: {}", machine.name, reason), "--machine",
      fmt::format(
          "this is {}. tune probe --machine NAME measures what is usable here now, and --machine "
          "NAME tunes here; run the same command on {} to tune there; --dry-run shows its bound "
          "and space; tune report --machine {} draws its roofline",
          this_host(), machine.name, machine.name));
}

void require(const Machine& machine, const std::string& card) {
  const std::string reason = machine.is_gpu() ? why_no_card(machine, card) : why_not_here(machine);
  if (!reason.empty()) throw not_here(machine, reason);
}

/// An architecture without micro-kernels has a file written by hand; nothing can be measured again.
template <class Measure>
auto if_measurable(const Machine& machine, const Measure& measure) -> decltype(measure()) {
  if (machine.is_gpu()) return {};
  try {
    return measure();
  } catch (const Error& error) {
    if (error.code() == ExitCode::unavailable) return {};
    throw;
  }
}

}  // namespace

ArtefactCache artefact_cache() { return {cache_directory() / "artefacts", host_compiler()}; }

HostRunner::HostRunner(Study study, std::shared_ptr<ArtefactCache> cache, const RunLimits& limits,
                       std::string not_compiled)
    : study_(std::move(study)),
      cache_(std::move(cache)),
      not_compiled_(std::move(not_compiled)),
      limits_(limits),
      evaluator_(study_, *cache_, scratch_.path(), limits) {}

HostEvaluator& HostRunner::planner() {
  if (study_.gpu.mode == GpuSetup::Mode::planned) return evaluator_;
  if (!planner_) {
    Study planned = study_;
    planned.gpu.mode = GpuSetup::Mode::planned;
    planner_.emplace(planned, *cache_, scratch_.path(), limits_);
    planner_->facts();
    planner_->use(*space_);
  }
  return *planner_;
}

std::optional<CallTime> HostRunner::call_time(const Configuration& configuration,
                                              const Roofline& roofline, Seconds least) {
  if (!roofline.machine.is_gpu() || !cache_->gpu()) return {};
  try {
    return planned_time(plan(configuration), roofline.machine, least);
  } catch (const Error&) {
    return {};  // the planner lacks its input: there is no answer
  }
}

const GpuPlan& HostRunner::plan(const Configuration& configuration) {
  const auto found = plans_.find(configuration.key());
  if (found != plans_.end()) return found->second;
  return plans_[configuration.key()] = planner().plan(configuration);
}

void HostRunner::build_to_model(const Configurations& configurations) {
  if (!cache_->gpu()) return;
  try {
    planner().build(configurations);
  } catch (const Error&) {  // call_time() has no answer then
  }
}

void HostRunner::build_to_count(const Configurations& configurations, const std::string& provider) {
  evaluator_.build_to_count(configurations, *counter_provider(provider));
}

CountedRun HostRunner::count(const Configuration& configuration, const std::string& provider,
                             const Roofline& roofline, const CountingTime& time) {
  return evaluator_.count(configuration, *counter_provider(provider), roofline.machine.levels,
                          time);
}

HostRunner& host_runner(InputRunner& runner) { return dynamic_cast<HostRunner&>(runner); }

std::string HostPlatform::machine_named(const StudySpec& spec) {
  if (spec.machine != card_machine) return spec.machine;
  const InstalledCard here = installed_card(spec.card);
  std::string alike;
  for (const auto& [name, candidate] : readable_machines()) {
    if (!candidate.gpu || !candidate.gpu->describes(here.name) ||
        candidate.gpu->multiprocessors != here.facts.multiprocessors)
      continue;
    // Figures measured on this very card outrank those for its kind.
    const std::string* const uuid = value_at(candidate.identity, "uuid");
    if (uuid && *uuid == here.uuid) return name;
    if (alike.empty() && !uuid) alike = name;
  }
  if (!alike.empty()) return alike;
  throw Unavailable(fmt::format("no machine file describes the card {} ({})", here.name, here.uuid),
                    "--machine auto", "tune probe --gpu measures it and writes one");
}

Machine HostPlatform::as_usable(const PreparedStudy& study) {
  Machine machine = as_usable_here(study.machine, study.spec.threads);
  require(machine, study.spec.card);
  return machine;
}

void HostPlatform::require_here(const Machine& machine) { require(machine, {}); }

std::unique_ptr<InputRunner> HostPlatform::runner(const PreparedStudy& study,
                                                  const Facts& parameters) {
  // A GPU's cores are no threads of this host.
  const int host_threads = study.machine.is_gpu() ? 0 : study.spec.threads;
  Study run{study, parameters, host_threads, study.spec.amortize, {}, study.spec.builders};
  if (study.kernel.program) return std::make_unique<CommandRunner>(run);
  auto cache = std::make_shared<ArtefactCache>(artefact_cache());
  std::string not_compiled;
  if (study.on_gpu()) {
    try {
      use_gpu_compiler(*cache, study.machine, study.backend.name);
    } catch (const Error& error) {
      if (study.purpose == Purpose::measure || error.code() != ExitCode::unavailable) throw;
      not_compiled = error.message() + " (" + error.hint() + ")";
    }
    constexpr GpuSetup::Mode modes[] = {GpuSetup::Mode::card, GpuSetup::Mode::emulated,
                                        GpuSetup::Mode::planned};
    run.gpu = {modes[size_t(study.purpose)], study.backend.name, study.spec.card,
               gpu_of(study.machine), study.spec.seed};
  }
  const RunLimits limits = limits_of(study.spec.inputs.size(), run.gpu.mode);
  return std::make_unique<HostRunner>(std::move(run), std::move(cache), limits,
                                      std::move(not_compiled));
}

Facts HostPlatform::backend_facts(const PreparedStudy& study) {
  const HostCompiler compiler = host_compiler();
  if (!study.backend.needs_kokkos()) {
    if (study.on_gpu() || !chooses_compiler(study.space_file.content)) return {};
    ValueList compilers{family(compiler)};
    if (const auto other = other_to_choose(study, compiler)) compilers.push_back(family(*other));
    return {{compilers_fact, Value(compilers)}};
  }
  const KokkosLibrary library =
      kokkos_library(cache_directory() / "artefacts" / "kokkos", compiler);
  const bool wants_host = !study.machine.is_gpu();
  if (wants_host != library.on_host())
    throw Unavailable(
        fmt::format("this Kokkos ({}, {}) computes on {}, not on the {}", library.origin,
                    library.version_text(), library.space, wants_host ? "CPU" : "GPU"),
        "--backend kokkos",
        fmt::format("name one with {} as its default: ROOFTUNE_KOKKOS=<prefix>",
                    wants_host ? "Serial, OpenMP or Threads" : "Cuda"));
  return kokkos_facts(library);
}

std::string HostPlatform::compiler(const PreparedStudy& study) {
  const HostCompiler compiler = host_compiler();
  const auto other = other_to_choose(study, compiler);
  return compiler.version + (other ? " and " + other->version : "");
}

std::shared_ptr<void> HostPlatform::reserve(const StudySpec& spec, const TextCallback& say) {
  const std::string machine = machine_named(spec);
  const auto file = machine_file(machine);
  const bool gpu = file && load_machine(machine).is_gpu();
  const auto names = gpu ? Texts{lock_name(spec.card)} : core_names(topology().cpus);
  auto locks = std::make_shared<TimingLocks>(lock_for_timing(names, spec.wait, say));
  unlocked_ = locks->open_because;
  if (!gpu) neighbours_.emplace();
  return locks;
}

TextPairs HostPlatform::toolchain(const PreparedStudy& study) {
  if (study.kernel.program) return program_identity(*study.kernel.program);
  const HostCompiler compiler = host_compiler();
  TextPairs tools{{"compiler", compiler.path},
                  {"compiler version", compiler.version},
                  {"compiler target", target_of(compiler)},
                  {"compiler flags", joined(compiler.flags, " ")},
                  {"back end flags", joined(study.backend.flags, " ")}};
  if (const auto other = other_to_choose(study, compiler))
    tools.emplace_back("compiler of the knob", other->path + ", " + other->version);
  // Headers in the kernel's own folder are among its sources.
  for (const auto& file : included_files(study.backend.source, variant_include_directory()))
    if (file.parent_path() != study.kernel.folder)
      tools.emplace_back("header " + file.filename().string(), hash_hex(read_text(file)));
  if (study.machine.is_gpu() && study.purpose == Purpose::measure) {
    const InstalledCard card = installed_card(study.spec.card);
    tools.emplace_back("driver", std::to_string(card.driver));
    if (study.on_gpu()) {
      const GpuCompilerRow& row = gpu_compiler_row(study.backend.name);
      tools.emplace_back(row.key, row.choose(card.facts.compute_capability, card.driver).version);
    }
  }
  return tools;
}

SharedBench HostPlatform::bench(const Machine& machine) {
  return bench_ = probe::bench_for(machine.ceilings, bench_);
}

CeilingList HostPlatform::anchors(const PreparedStudy& study, const Texts& names) {
  const Machine& machine = study.machine;
  const auto readings = if_measurable(
      machine, [&] { return remeasure(machine, names, interrupted, bench(machine)); });
  learn(machine, readings);
  return readings;
}

CeilingList HostPlatform::missing(const PreparedStudy& study, const std::string& precision) {
  const auto found = if_measurable(
      study.machine, [&] { return probe::measure_precision(precision, interrupted); });
  learn(study.machine, found);
  return found;
}

Roofs HostPlatform::roofs(const PreparedStudy& study, const Texts& names) {
  const Machine& machine = study.machine;
  return if_measurable(machine, [&] { return learning_roofs(machine, names, bench(machine)); });
}

std::string HostPlatform::neighbours(int threads) {
  if (!neighbours_) return {};
  const std::vector<os::Neighbour> busy = neighbours_->busy();
  double cores = threads;
  for (const os::Neighbour& one : busy) cores += one.cores;
  constexpr double noticeable = 0.2;
  return cores > topology().cores + noticeable ? to_text(busy) : "";
}

Watching HostPlatform::watch(bool gpu) {
  const auto read = [gpu] {
    Contention now = contention();
    if (gpu) now.clock.reset();
    if (now.clock) now.clock = std::round(*now.clock);
    return now;
  };
  return [read, before = read(), unlocked = unlocked_] {
    const Contention now = read();
    return Environment{contention_note(before, now), {before.clock, now.clock}, unlocked};
  };
}

Watching HostPlatform::watch_card(const std::string& card) {
  const InstalledCard here = installed_card(card);
  return [around = watch(true), fared = gpu_runtime(here.runtime).watch(here)] {
    Environment seen = around();
    seen.card = fared();
    return seen;
  };
}

std::unique_ptr<OtherNodes> HostPlatform::other_nodes(const StudySpec& spec,
                                                      const StudyHeader& header) {
  return slurm_nodes(spec, header);
}

Texts HostPlatform::counter_providers(const std::string& word, bool gpu) {
  return members(chosen_providers(word, gpu), [](auto* row) { return std::string(row->name); });
}

std::string HostPlatform::no_counters_reason(bool gpu) { return rooftune::no_counters_reason(gpu); }

const CommandRunner& command_runner(const InputRunner& runner) {
  return dynamic_cast<const CommandRunner&>(runner);
}

}  // namespace rooftune::host
