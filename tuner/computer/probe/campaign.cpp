// Probes this host from start to end: phases in order, each with its share of the time budget.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/list.h"
#include "core/units.h"
#include "os/topology.h"
#include "probe/bench.h"
#include "probe/clocks.h"
#include "probe/in_core_kernels.h"
#include "probe/plan.h"
#include "probe/plateau.h"
#include "probe/probe.h"
#include "probe/self_check.h"

namespace rooftune::probe {
namespace {

constexpr double quick_seconds = 15, full_seconds = 320;
constexpr double nearly_all = 0.95;  // share of pages
constexpr double mebi = 0x1p20;

bool is_random(const Subject* subject) { return misses_of(subject->ceiling) > 0; }

/// What the system tells about this host, without ceilings.
Machine described(const std::string& name, const Topology& host, const CpuFeatures& features) {
  Machine machine;
  machine.name = name;
  machine.cores = host.cores;
  machine.numa_nodes = std::max(1, int(host.numa_nodes.size()));
  machine.fast_memory_nodes = int(host.fast_nodes.size());
  machine.simd_bits = features.simd_bits;
  machine.features = features.names;
  machine.identity = machine_identity(host, features);
  machine.id = machine_id(machine.identity);
  machine.description = fmt::format("{}, {} cores, {} threads, Linux {}", host.cpu_model,
                                    host.cores, host.cpus.size(), host.kernel);
  return machine;
}

class Campaign {
 public:
  Campaign(const ProbeOptions& options, const Topology& topology, const CpuFeatures& features)
      : options_(options),
        topology_(topology),
        features_(features),
        clock_(options, quick_seconds, full_seconds),
        before_(contention()),
        bench_(topology.cpus, topology, features,
               options.memory_bytes > 0 ? options.memory_bytes
                                        : memory_per_thread(topology, clock_.extent())),
        machine_(described(options.name, topology, features)) {}

  /// Checks whether the system gives huge pages, and notes it.
  void check_pages() {
    clock_.show("touching memory");
    if (!topology_.transparent_huge_pages) {
      note("huge pages: not offered by this system; ceilings with huge pages were skipped");
      return;
    }
    bench_.touch(Arena::Kind::huge);
    const double share = bench_.arena().huge_share(Arena::Kind::huge);
    huge_pages_ = share >= nearly_all;
    if (!huge_pages_)
      note(
          fmt::format("huge pages: asked for, but the system backed {:.0f} % of the memory with "
                      "them (AnonHugePages); ceilings with huge pages were skipped",
                      100 * share));
  }

  /// Walks through sizes from the innermost cache to memory; called again at other moments, because
  /// a level shows only while no neighbour disturbs it. Each size keeps its best rate.
  void sweep() {
    if (sizes_.empty())
      for (const double size : sweep_sizes(topology_.caches, double(bench_.arena_bytes()),
                                           double(stream_kernels(features_).front().chunk)))
        bench_.add(sizes_, {load_of(size)});
    Chosen all;
    for (Subject& subject : sizes_) {
      subject.quiet_visits = 0;
      all.push_back(&subject);
    }
    measure("finding memory levels", all, 0.06);
  }

  /// Finds the levels from the sweeps so far.
  void find_levels() {
    Levels levels = memory_levels(sweep_points(), topology_.caches);
    machine_.levels = std::move(levels.levels);
    evidence_ = std::move(levels.evidence);
    if (outer_cache() > memory_set() / 4)
      note(fmt::format(
          "memory is walked in {} per thread, less than four times the {} that the outer "
          "cache holds: its ceilings may hold cache hits",
          to_text(Bytes(memory_set())), to_text(Bytes(outer_cache()))));
  }

  /// Finds caches that are wrongly reported as shared, as a virtual machine may do, by walks of
  /// several sizes. Called again at later moments, in case neighbours disturbed an earlier one.
  void find_sharing() {
    for (size_t i = 0; i + 1 < machine_.levels.size(); ++i) {
      const double held = Machine::most_held(machine_.levels[i]);
      for (const double part : {0.6, 0.75, 0.9})
        if (machine_.levels[i].instances < topology_.cores && finds_apart(i, part * held)) break;
    }
  }

  void measure_in_core() {
    measure(
        "in-core ceilings",
        bench_.add(subjects_, in_core_plan(features_, thread_counts(topology_), clock_.extent())),
        0.35);
  }

  void measure_caches() {
    Chosen all;
    for (size_t i = 0; i + 1 < machine_.levels.size(); ++i)
      append(all, bench_.add(subjects_, memory_plan(place(i), features_, machine_.numa_nodes,
                                                    clock_.extent())));
    measure("cache ceilings", all, 0.36);
  }

  void measure_memory() {
    if (topology_.numa_nodes.size() < 2)
      note("NUMA: one node here, so remote memory was not measured");
    const auto plan = memory_plan(place(machine_.levels.size() - 1), features_, machine_.numa_nodes,
                                  clock_.extent());
    Chosen streams, random;
    // streams overwrite the links of random walks, so one goes after the other
    for (Subject* subject : bench_.add(subjects_, plan))
      (is_random(subject) ? random : streams).push_back(subject);
    measure("memory ceilings", streams, 0.47);
    measure("random access ceilings", random, 0.7);
  }

  /// Checks the figures against each other, and measures inconsistent ones again.
  void remeasure_inconsistent() {
    close_ceilings();
    std::set<const Subject*> inconsistent;
    for (const size_t i : indices(best_))
      if (!best_[i]->samples.reproduced()) inconsistent.insert(best_[i]);
    for (const size_t i : raised_ceilings_) inconsistent.insert(best_[i]);
    Chosen again, random;
    for (Subject& subject : subjects_) {
      if (subject.samples.windows() > 0 && !inconsistent.count(&subject)) continue;
      subject.quiet_visits = 0;
      (is_random(&subject) ? random : again).push_back(&subject);
    }
    measure("second look", again, 0.6);
    measure("second look", random, 0.7);
  }

  /// Puts everything together as a machine.
  Machine finish() {
    refine_levels();
    close_ceilings();
    verify_pages();
    TextSet unmeasured;
    for (const Subject& subject : subjects_)
      if (subject.samples.windows() == 0) unmeasured.insert(subject.ceiling.name);
    for (const Ceiling& ceiling : machine_.ceilings) unmeasured.erase(ceiling.name);
    const CeilingList walks = machine_.ceilings;
    for (const Ceiling& walk : walks)
      if (misses_of(walk) == 1) machine_.ceilings.push_back(as_latency(walk));
    widen_by_clock(machine_);
    if (!raised_ceilings_.empty())
      note(fmt::format("{} ceilings were raised to what others show to be possible",
                       raised_ceilings_.size()));
    if (!unmeasured.empty())
      note(fmt::format("{} ceilings were not measured: time ran out", unmeasured.size()));
    note(contention_note(before_, contention()));
    if (options_.progress) options_.progress("done", 1);
    return std::move(machine_);
  }

 private:
  void measure(const std::string& phase, const Chosen& subjects, double share) {
    if (subjects.empty()) return;
    go_round(
        bench_, subjects, now() + share * clock_.left(), [&] { clock_.show(phase); },
        // A busy machine takes longer; if the user set no budget, each is visited at least once.
        options_.interrupted, options_.seconds > 0 ? 1 : subjects.size());
  }

  /// What the outermost cache effectively holds [B].
  double outer_cache() const {
    const size_t caches = machine_.levels.size() - 1;
    return caches > 0 ? machine_.levels[caches - 1].capacity.value_or(0) : 0;
  }

  /// How much memory each thread walks [B]. Touching pages takes longer than walking them, so only
  /// as much as lies well beyond the caches.
  double memory_set() const {
    return std::min(double(bench_.arena_bytes()), std::max(256 * mebi, 4 * outer_cache()));
  }

  LevelPlace place(size_t level) const {
    LevelPlace place;
    place.level = machine_.levels[level].name;
    place.innermost = level == 0;
    place.memory = level + 1 == machine_.levels.size();
    place.remote = place.memory && topology_.numa_nodes.size() > 1;
    place.huge_pages = {false};
    // the innermost cache holds a few base pages only
    if (huge_pages_ && !place.innermost) place.huge_pages = {true, false};
    for (const int threads : thread_counts(topology_))
      place.walked.push_back(
          walked_sizes(machine_.levels, level, threads, topology_.cores, memory_set()));
    return place;
  }

  /// Collects the ceilings measured so far, each from its best walked size, closed upwards;
  /// impossible ones are only shown.
  void close_ceilings() {
    machine_.ceilings.clear();
    best_.clear();
    ByName<size_t> places;
    for (const Subject& subject : subjects_) {
      if (subject.samples.windows() == 0) continue;
      const Ceiling ceiling = measured(subject);
      const auto [place, added] = places.try_emplace(ceiling.name, best_.size());
      if (added) {
        machine_.ceilings.push_back(ceiling);
        best_.push_back(&subject);
      } else if (ceiling.rate.value > machine_.ceilings[place->second].rate.value) {
        machine_.ceilings[place->second] = ceiling;
        best_[place->second] = &subject;
      }
    }
    learn_from_sweep();
    show_impossible(machine_, stream_kernels(features_).front().simd_bits);
    raised_ceilings_ = close_upwards(machine_);
  }

  /// Pages may be split or collapsed during the probe, so their final state counts.
  void verify_pages() {
    const double huge = bench_.arena().huge_share(Arena::Kind::huge);
    const double base = bench_.arena().huge_share(Arena::Kind::base);
    if (huge_pages_)
      note(
          fmt::format("huge pages: AnonHugePages backs {:.0f} % of the memory that asked for them, "
                      "{:.0f} % of the memory that refused them",
                      100 * huge, 100 * base));
    for (Ceiling& ceiling : machine_.ceilings) {
      if (ceiling.kind == Ceiling::Kind::in_core) continue;
      if (!(ceiling.huge_pages ? huge < nearly_all : base > 1 - nearly_all)) continue;
      ceiling.stable = false;
      ceiling.source.text += "; the pages were not of the kind that was asked for";
    }
  }

  /// A walk by one thread, at no particular level.
  Ceiling load_of(double bytes) const {
    Ceiling ceiling;
    ceiling.kind = Ceiling::Kind::bandwidth;
    ceiling.mix = word(StreamMix::load);
    ceiling.reads = 1;
    ceiling.huge_pages = huge_pages_;
    ceiling.working_set = bytes;
    return ceiling;
  }

  SweepPoints sweep_points() const {
    SweepPoints points;
    for (const Subject& subject : sizes_)
      if (subject.samples.windows() > 0)
        points.push_back({subject.ceiling.working_set, subject.samples.estimate().value});
    return points;
  }

  /// Whether all cores, each with `bytes` in the level, walk as fast as one core alone. If so, each
  /// has its own cache, which is recorded and noted.
  bool finds_apart(size_t index, double bytes) {
    MemoryLevel& level = machine_.levels[index];
    const int threads = topology_.cores;
    if (bytes > double(bench_.arena_bytes())) return false;
    Subjects subjects;
    Ceiling together = load_of(threads * bytes);
    together.threads = threads;
    const Chosen walks = bench_.add(subjects, {load_of(bytes), together});
    measure("finding memory levels", walks, 0.01);
    if (walks.size() < 2 || walks[1]->samples.windows() == 0) return false;
    const double one = walks[0]->best_rate(), all = walks[1]->best_rate();
    if (!caches_apart(one, all, threads, evidence_[index + 1].rate)) return false;
    note(
        fmt::format("{}: {} reported for {} cores, but all of them walk through {} each at {}, one "
                    "alone at {}: each has its own",
                    level.name, level.instances, threads, to_text(Bytes(bytes)),
                    to_text(ByteRate(all)), to_text(ByteRate(one))));
    level.instances = threads;
    return true;
  }

  /// Takes the capacities from all sweeps; the levels stay.
  void refine_levels() {
    const SweepPoints points = sweep_points();
    Levels levels = memory_levels(points, topology_.caches);
    const bool same = std::ranges::equal(levels.levels, machine_.levels, {}, &MemoryLevel::name,
                                         &MemoryLevel::name);
    if (same) {
      for (const size_t i : indices(levels.levels))
        levels.levels[i].instances = machine_.levels[i].instances;
      machine_.levels = std::move(levels.levels);
      evidence_ = std::move(levels.evidence);
    } else {
      note(
          "the later sweeps show other levels than the first two, by which the ceilings were "
          "measured: the machine moved");
    }
    std::string text;
    for (const SweepPoint& point : points)
      join(text, to_text(Bytes(point.bytes)) + " " + to_text(ByteRate(point.rate)));
    note("sweep: load of one thread: " + text);
    for (const size_t i : indices(machine_.levels))
      note(fmt::format("sweep: {} is the plateau of {} sizes from {} to {} at {}",
                       machine_.levels[i].name, evidence_[i].points,
                       to_text(Bytes(evidence_[i].first)), to_text(Bytes(evidence_[i].last)),
                       to_text(ByteRate(evidence_[i].rate))));
    for (std::string& surprise : levels.notes) note(std::move(surprise));
  }

  /// Lets the sweep's loads raise the load ceilings of the levels that they lie in.
  void learn_from_sweep() {
    const auto load = [](const Ceiling& c, const std::string& level) {
      return c.level == level && c.mix == word(StreamMix::load) && c.stride <= 8 &&
             c.threads == 1 && !c.remote;
    };
    for (const size_t i : indices(machine_.levels)) {
      const std::string& level = machine_.levels[i].name;
      const bool both = any_of(machine_.ceilings, [&](const Ceiling& c) {
        return load(c, level) && c.huge_pages == huge_pages_;
      });
      for (const Subject& size : sizes_) {
        const double bytes = size.ceiling.working_set;
        if (bytes < evidence_[i].first || bytes > evidence_[i].last) continue;
        for (Ceiling& ceiling : machine_.ceilings)
          if (load(ceiling, level) && (!both || ceiling.huge_pages == huge_pages_))
            keep_faster(ceiling, measured(size));
      }
    }
  }

  void note(std::string text) { machine_.notes.push_back(std::move(text)); }

  const ProbeOptions& options_;
  Topology topology_;
  CpuFeatures features_;
  ProbeClock clock_;
  Contention before_;
  Bench bench_;
  bool huge_pages_ = false;
  Subjects sizes_;  ///< the sweep's
  Subjects subjects_;
  Plateaus evidence_;                 ///< one per level
  std::vector<const Subject*> best_;  ///< one per ceiling: the subject that measured it
  std::set<size_t> raised_ceilings_;  ///< indices of ceilings that others raised
  Machine machine_;
};

}  // namespace

Machine probed_host(const ProbeOptions& options, const Topology& host,
                    const CpuFeatures& features) {
  if (in_core_kernels(features).empty()) {
    Machine machine = described(options.name, host, features);
    for (const ReportedCache& cache : host.caches)
      machine.levels.push_back(
          {cache.name, double(cache.bytes), double(cache.bytes), cache.instances});
    machine.levels.push_back({"DRAM", std::nullopt, std::nullopt, 1});
    machine.notes.emplace_back(Machine::no_micro_kernels);
    return machine;
  }
  Campaign campaign(options, host, features);
  campaign.check_pages();
  campaign.sweep();
  campaign.measure_in_core();
  campaign.sweep();
  campaign.find_levels();
  campaign.find_sharing();
  campaign.measure_caches();
  campaign.find_sharing();
  campaign.sweep();
  campaign.measure_memory();
  campaign.find_sharing();
  campaign.sweep();
  campaign.find_sharing();
  campaign.remeasure_inconsistent();
  return campaign.finish();
}

}  // namespace rooftune::probe
