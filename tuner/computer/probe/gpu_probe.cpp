// Probes a card from start to end, and puts the published figures beside its own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "core/file.h"
#include "core/list.h"
#include "core/units.h"
#include "core/version.h"
#include "os/topology.h"
#include "probe/clocks.h"
#include "probe/gpu_plan.h"
#include "probe/in_core_kernels.h"
#include "probe/plateau.h"

namespace rooftune::probe {
namespace {

constexpr int sweep_windows = 3;

/// The machine's fields that its driver tells.
Machine described(const InstalledCard& card, const std::string& name) {
  const std::string driver = gpu_runtime(card.runtime).driver_text(card.driver);
  Machine machine;
  machine.name = name;
  machine.kind = MachineKind::gpu;
  machine.description =
      fmt::format("{}, {}, {} multiprocessors, {}", card.name,
                  to_text(Bytes(double(card.facts.memory))), card.facts.multiprocessors, driver);
  machine.cores = card.facts.multiprocessors;
  machine.gpu = card.facts;
  machine.identity = {{"device", card.name}, {"uuid", card.uuid}, {"driver", driver}};
  machine.id = machine_id(machine.identity);
  return machine;
}

bool same_subject(const Ceiling& one, const Ceiling& other) {
  return one.kind == other.kind && one.precision == other.precision && one.level == other.level;
}

bool is_chase(const GpuSubject& subject) { return subject.task.shape == GpuTask::Shape::chase; }

/// Bytes in each array: at least 1 GiB and 24 times L2, which keeps L2 hits out of the rate; at
/// most an eighth of the card's memory.
int64_t gpu_array_bytes(const GpuFacts& facts) {
  constexpr int64_t step = 16 << 20;
  const int64_t wanted = std::max<int64_t>(24 * facts.l2, int64_t{1} << 30);
  return std::max<int64_t>(1, std::min(wanted, facts.memory / 8) / step) * step;
}

using GpuSubjects = std::vector<GpuSubject*>;

/// A card's probe from start to end: phases in order, each with its share of the budget. The caller
/// runs each phase once, in the order in which they are declared.
class GpuCampaign {
 public:
  GpuCampaign(GpuMachine& card, const InstalledCard& description, const GpuProbeOptions& options)
      : card_(card),
        description_(description),
        options_(options),
        clock_(options, 30, 120),
        memory_(card, options.memory_bytes > 0 ? int64_t(options.memory_bytes)
                                               : gpu_array_bytes(description.facts)),
        machine_(described(description, options.name)) {}

  /// Sweeps sizes, and finds how much L1 and L2 hold.
  void find_levels() {
    const GpuFacts& facts = description_.facts;
    MemoryLevel l1{"L1", std::nullopt, std::nullopt, facts.multiprocessors};
    MemoryLevel l2{"L2", std::nullopt, double(facts.l2), 1};
    // No driver reports L1's size; shared memory is cut from the same array.
    const uint64_t array = facts.shared_per_multiprocessor;
    if (options_.published)
      if (const MemoryLevel* known = options_.published->level("L1")) l1.reported = known->reported;
    sweep(true, 4.0 * double(array), {"L1", array, facts.multiprocessors}, l1);
    sweep(false, 4.0 * double(facts.l2), {"L2", uint64_t(facts.l2), 1}, l2);
    machine_.levels = {l1, l2, {"DRAM", std::nullopt, std::nullopt, 1}};
  }

  void measure_in_core() {
    GpuSubjects subjects;
    add(gpu_in_core_plan(description_.facts.compute_capability, clock_.extent(),
                         description_.facts.warp),
        subjects);
    measure("in-core ceilings", subjects, 0.4);
  }

  void measure_memory() {
    const double l1 = machine_.levels[0].capacity.value_or(64 * 1024);
    const double l2 = machine_.levels[1].capacity.value_or(double(description_.facts.l2));
    GpuSubjects subjects;
    add(gpu_l1_plan(std::min(0.5 * l1, 64.0 * 1024)), subjects);
    // A large L2 cache has two halves: this is half of either.
    add(gpu_l2_plan(l2 / 4, clock_.extent()), subjects);
    add(gpu_memory_plan(double(memory_.bytes()), clock_.extent()), subjects);
    measure("memory ceilings", subjects, 0.7);
  }

  void measure_launches() {
    constexpr int tries = 20, many = 200;
    int nothing = 0;
    void* pointers[] = {&nothing};
    const CudaLaunch launch{"probe_nothing", CudaSize(1), CudaSize(32), 0, pointers, nullptr};
    double one = INFINITY;
    Ceiling ceiling;
    ceiling.kind = Ceiling::Kind::launch;
    ceiling.name = "launch";
    for (int i = 0; i < tries; ++i) {
      clock_.show("launches");
      one = std::min(one, card_.seconds([&] { card_.launch(launch); }));
      const double all = card_.seconds([&] {
        for (int n = 0; n < many; ++n) card_.launch(launch);
      });
      if (all > 0) ceiling.samples.push_back(many / all);
    }
    if (ceiling.samples.empty()) return;
    sort(ceiling.samples, std::greater());
    const double best = ceiling.samples.front();
    ceiling.rate = {best, ceiling.samples[ceiling.samples.size() / 2], best};
    ceiling.source = {
        Source::Kind::measured,
        fmt::format("tune probe {}: best of {} times {} empty kernels back to back, 1 x "
                    "32 threads; one between two events takes {}",
                    version, tries, many, to_text(Seconds(one))),
        utc_now()};
    machine_.ceilings.push_back(std::move(ceiling));
  }

  /// Marks figures that contradict each other or the published ones, and measures them again.
  void remeasure_inconsistent() {
    close_ceilings();
    GpuSubjects again;
    for (GpuSubject& subject : subjects_)
      if (!subject.samples.reproduced() || !subject.fault.empty()) {
        subject.quiet_visits = 0;
        again.push_back(&subject);
      }
    if (!again.empty()) measure("second look", again, 0.6);
    close_ceilings();
  }

  /// Puts everything together as a machine.
  Machine finish() {
    int unstable = 0;
    for (const GpuSubject& subject : subjects_) {
      machine_.ceilings.push_back(subject.measured());
      if (!machine_.ceilings.back().stable) ++unstable;
      if (!subject.fault.empty())
        note(fmt::format("\"{}\" is not trusted: {}", subject.task.ceiling.name, subject.fault));
      if (is_chase(subject))
        note(fmt::format(
            "{}: {} per load, {:.0f} cycles", subject.task.ceiling.name,
            to_text(Seconds(gpu_word_bytes / subject.samples.estimate().value)),
            gpu_word_bytes / subject.samples.estimate().value * subject.samples.clock()));
    }
    note(fmt::format("the best windows of {} of {} ceilings disagree", unstable,
                     machine_.ceilings.size()));
    if (options_.published) add_published(machine_, *options_.published);
    if (options_.progress) options_.progress("done", 1);
    return std::move(machine_);
  }

 private:
  /// Finds how much an instance of the cache effectively holds, and the size beyond which it has no
  /// effect; neither without a plateau in the sweep.
  void sweep(bool through_l1, double largest, const ReportedCache& reported, MemoryLevel& level) {
    const double multiprocessors = description_.facts.multiprocessors;
    const double granule = through_l1 ? 256.0 * gpu_items * gpu_item_bytes
                                      : multiprocessors * 128 * gpu_items * gpu_item_bytes;
    SweepPoints points;
    for (const double size : sweep_sizes({}, largest, granule)) {
      clock_.show(through_l1 ? "sweep of L1" : "sweep of L2");
      if (options_.interrupted && options_.interrupted())
        throw Error("interrupted; no machine file was written", "probe", {}, ExitCode::interrupted);
      const double all = through_l1 ? size * multiprocessors : size;
      if (all > double(memory_.bytes())) break;
      points.push_back(
          {size, GpuSubject(gpu_sweep_task(through_l1, size), memory_).quick_rate(sweep_windows)});
    }
    const Levels levels = memory_levels(points, {reported});
    for (const std::string& text : levels.notes) note(text);
    const bool found = levels.levels.size() > 1 && levels.levels.front().capacity;
    if (!found) return;
    const Plateau& plateau = levels.evidence.front();
    note(fmt::format("sweep: {} holds {}{}, {} there", reported.name,
                     to_text(Bytes(plateau.capacity)), through_l1 ? " per multiprocessor" : "",
                     to_text(ByteRate(plateau.rate))));
    level.capacity = plateau.capacity;
    // Every launch empties an instance of L1, at any capacity.
    if (!through_l1) level.at_most = levels.levels.front().at_most;
  }

  void add(const GpuTasks& plan, GpuSubjects& subjects) {
    for (const GpuTask& task : plan) {
      subjects_.emplace_back(task, memory_);
      subjects.push_back(&subjects_.back());
    }
  }

  /// `share`: of the remaining time.
  void measure(const std::string& phase, const GpuSubjects& subjects, double share) {
    go_round(subjects,
             Turns{now() + share * clock_.left(), subjects.size(), 8, 4,
                   [&] { clock_.show(phase); }, options_.interrupted},
             [](GpuSubject& subject) { subject.visit(); });
  }

  /// Marks faults: an inner level slower than the next one out, or anything faster than the
  /// vendor's figure.
  void close_ceilings() {
    NamedNumbers vendor;
    const auto key = [](const Ceiling& c) { return c.precision + c.level; };
    if (options_.published)
      for (const Ceiling& ceiling : options_.published->ceilings)
        vendor[key(ceiling)] = std::max(vendor[key(ceiling)], ceiling.rate.high);
    NamedNumbers loads;
    for (GpuSubject& subject : subjects_) {
      subject.fault.clear();
      const Ceiling ceiling = subject.measured();
      if (ceiling.name.ends_with(" load") && subject.task.shape != GpuTask::Shape::shared)
        loads[ceiling.level] = ceiling.rate.value;
      auto* known = value_at(vendor, key(ceiling));
      if (!known || is_chase(subject)) continue;
      const double excess = ceiling.rate.value / *known - 1;
      if (excess > 0.05)
        subject.fault = fmt::format("{:.0f} % faster than any published figure", 100 * excess);
    }
    const auto slower = [&](const char* inner, const char* outer) {
      if (loads[inner] >= 0.95 * loads[outer] || loads[inner] <= 0) return;
      for (GpuSubject& subject : subjects_)
        if (subject.task.ceiling.name == fmt::format("{} load", inner))
          subject.fault = fmt::format("slower than {}, which is further out", outer);
    };
    slower("L1", "L2");
    slower("L2", "DRAM");
  }

  void note(std::string text) { machine_.notes.push_back(std::move(text)); }

  GpuMachine& card_;
  const InstalledCard& description_;
  const GpuProbeOptions& options_;
  ProbeClock clock_;
  GpuMemory memory_;
  std::deque<GpuSubject> subjects_;  // references stay valid while it grows
  Machine machine_;
};

}  // namespace

void add_published(Machine& measured, const Machine& published) {
  constexpr int warp_groups = 90;
  const CeilingList own = measured.ceilings;
  const bool beyond_reach = measured.gpu && measured.gpu->compute_capability >= warp_groups;
  for (Ceiling ceiling : published.ceilings) {
    if (!ceiling.level.empty() && !measured.level(ceiling.level)) continue;
    const Ceiling* best = nullptr;  // if the fastest is unstable, the others are no roof
    for (const Ceiling& mine : own)
      if (same_subject(mine, ceiling) && (!best || mine.rate.value > best->rate.value))
        best = &mine;
    const bool covered = best && best->stable;
    const bool tensor = ceiling.precision.ends_with("_tensor");
    ceiling.shown_only = ceiling.shown_only || (covered && !(tensor && beyond_reach));
    while (ceiling_named(measured.ceilings, ceiling.name)) ceiling.name += " (published)";
    measured.ceilings.push_back(std::move(ceiling));
  }
  measured.notes.push_back(fmt::format(
      "figures of machine {} stand beside the measured ones; they bind only what was not "
      "measured{}",
      published.name,
      beyond_reach ? ", and tensor cores, whose peak needs instructions that the probe does not use"
                   : ""));
}

Machine probe_gpu(GpuMachine& card, const InstalledCard& description,
                  const GpuProbeOptions& options) {
  GpuCampaign campaign(card, description, options);
  campaign.find_levels();
  campaign.measure_in_core();
  campaign.measure_memory();
  campaign.measure_launches();
  campaign.remeasure_inconsistent();
  return campaign.finish();
}

}  // namespace rooftune::probe
