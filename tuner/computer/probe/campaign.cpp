#include "probe/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/units.h"
#include "os/topology.h"
#include "probe/clock.h"
#include "probe/in_core_kernels.h"
#include "probe/memory_kernels.h"
#include "probe/self_check.h"

namespace rooftune::probe {
namespace {

constexpr double quick_seconds = 46, full_seconds = 320;
constexpr double nearly_all = 0.95;  // of the pages
constexpr double mebi = 0x1p20;

double budget(const ProbeOptions& options) {
  if (options.seconds > 0) return options.seconds;
  return options.full ? full_seconds : quick_seconds;
}

/// Memory per thread and kind of pages: enough to leave the caches, at most a quarter of the memory
/// in all. A reported cache size counts on bare metal only; a virtual machine sees its host's.
std::size_t memory_per_thread(const ProbeOptions& options, const Topology& topology) {
  if (options.memory_bytes > 0) return options.memory_bytes;
  double bytes = (options.full ? 1024 : 512) * mebi;
  if (topology.hypervisor.empty() && !topology.caches.empty())
    bytes =
        std::max(bytes, (options.full ? 4 : 2) * static_cast<double>(topology.caches.back().bytes));
  const int kinds = topology.numa_nodes.size() > 1 ? 3 : 2;
  const double fair = static_cast<double>(topology.memory_bytes) / 4 / kinds /
                      static_cast<double>(std::max<std::size_t>(1, topology.cpus.size()));
  return static_cast<std::size_t>(std::max(4 * mebi, std::min(bytes, fair)));
}

bool is_random(const Subject* subject) { return misses_of(subject->ceiling) > 0; }

}  // namespace

Campaign::Campaign(const ProbeOptions& options, const Topology& topology,
                   const CpuFeatures& features)
    : options_(options),
      topology_(topology),
      features_(features),
      clock_{options, budget(options)},
      before_(contention()),
      bench_(topology.cpus, topology, features, memory_per_thread(options, topology)) {
  machine_.name = options.name;
  machine_.cores = topology.cores;
  machine_.numa_nodes = std::max(1, static_cast<int>(topology.numa_nodes.size()));
  machine_.fast_memory_nodes = static_cast<int>(topology.fast_nodes.size());
  machine_.simd_bits = features.simd_bits;
  machine_.features = features.names;
  machine_.identity = machine_identity(topology, features);
  machine_.id = machine_id(machine_.identity);
  machine_.description = fmt::format("{}, {} cores, {} threads, Linux {}", topology.cpu_model,
                                     topology.cores, topology.cpus.size(), topology.kernel);
}

std::vector<Subject*> Campaign::add(const std::vector<Ceiling>& plan) {
  std::vector<Subject*> added;
  for (const Ceiling& ceiling : plan)
    if (auto subject = bench_.subject(ceiling)) {
      subjects_.push_back(std::move(*subject));
      added.push_back(&subjects_.back());
    }
  return added;
}

void Campaign::measure(const std::string& phase, const std::vector<Subject*>& subjects,
                       double share) {
  if (subjects.empty()) return;
  go_round(
      bench_, subjects, now() + share * clock_.left(), [&] { clock_.show(phase); },
      options_.interrupted);
}

void Campaign::check_pages() {
  clock_.show("touching memory");
  if (!topology_.transparent_huge_pages) {
    note("huge pages: not offered by this system; ceilings with huge pages were skipped");
    return;
  }
  bench_.touch(Arena::Kind::huge, 1, bench_.arena().bytes());
  const double share = bench_.arena().huge_share(Arena::Kind::huge);
  huge_pages_ = share >= nearly_all;
  if (!huge_pages_)
    note(
        fmt::format("huge pages: asked for, but the system backed {:.0f} % of the memory with "
                    "them (AnonHugePages); ceilings with huge pages were skipped",
                    100 * share));
}

double Campaign::outer_cache() const {
  const std::size_t caches = machine_.levels.size() - 1;
  return caches > 0 ? machine_.levels[caches - 1].capacity.value_or(0) : 0;
}

/// Touching pages costs more time than walking them: only as many as lie well beyond the caches.
double Campaign::memory_set() const {
  return std::min(static_cast<double>(bench_.arena_bytes()),
                  std::max(256 * mebi, 4 * outer_cache()));
}

LevelPlace Campaign::place(std::size_t level) const {
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
        {threads, working_set(machine_.levels, level, threads, topology_.cores, memory_set()),
         stream_sets(machine_.levels, level, threads, topology_.cores, memory_set())});
  return place;
}

void Campaign::measure_in_core() {
  measure("in-core ceilings",
          add(in_core_plan(features_, thread_counts(topology_), clock_.extent())), 0.35);
}

void Campaign::measure_caches() {
  std::vector<Subject*> all;
  for (std::size_t i = 0; i + 1 < machine_.levels.size(); ++i)
    for (Subject* subject :
         add(memory_plan(place(i), features_, machine_.numa_nodes, clock_.extent())))
      all.push_back(subject);
  measure("cache ceilings", all, 0.36);
}

void Campaign::measure_memory() {
  if (topology_.numa_nodes.size() < 2)
    note("NUMA: one node here, so remote memory was not measured");
  const auto plan = memory_plan(place(machine_.levels.size() - 1), features_, machine_.numa_nodes,
                                clock_.extent());
  std::vector<Subject*> streams, random;
  // streams overwrite the links of random walks: one after the other
  for (Subject* subject : add(plan)) (is_random(subject) ? random : streams).push_back(subject);
  measure("memory ceilings", streams, 0.47);
  measure("random access ceilings", random, 0.7);
}

void Campaign::close_ceilings() {
  machine_.ceilings.clear();
  best_.clear();
  std::map<std::string, std::size_t> places;
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

void Campaign::remeasure_inconsistent() {
  close_ceilings();
  std::set<const Subject*> inconsistent;
  for (std::size_t i = 0; i < best_.size(); ++i)
    if (!best_[i]->samples.reproduced()) inconsistent.insert(best_[i]);
  for (const std::size_t i : raised_ceilings_) inconsistent.insert(best_[i]);
  std::vector<Subject*> again, random;
  for (Subject& subject : subjects_) {
    if (subject.samples.windows() > 0 && !inconsistent.count(&subject)) continue;
    subject.quiet_visits = 0;
    (is_random(&subject) ? random : again).push_back(&subject);
  }
  measure("second look", again, 0.6);
  measure("second look", random, 0.7);
}

/// Pages can be split or collapsed during the probe: their final state counts.
void Campaign::verify_pages() {
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

/// A later run gets another clock than the best window: rates on the core's clock may reach the
/// highest clock seen by this probe with vectors of the same width; pure moves of data, with any.
void Campaign::widen_by_clock() {
  const auto width = [](const Ceiling& ceiling) {
    return ceiling.kind == Ceiling::Kind::in_core ? ceiling.simd_bits : 0;
  };
  std::map<int, double> highest;
  for (const Ceiling& ceiling : machine_.ceilings)
    for (const int bits : {width(ceiling), 0})
      if (ceiling.stable && on_core_clock(ceiling))
        highest[bits] = std::max(highest[bits], ceiling.clock);
  for (Ceiling& ceiling : machine_.ceilings)
    if (ceiling.stable && on_core_clock(ceiling) && ceiling.clock > 0)
      ceiling.rate.high =
          std::max(ceiling.rate.high, ceiling.rate.value * highest[width(ceiling)] / ceiling.clock);
}

void Campaign::check_anchors() {
  for (const std::string& name : anchors(machine_)) {
    Ceiling* const first = ceiling_named(machine_.ceilings, name);
    auto again = bench_.subject(*first);
    if (!again) continue;
    go_round(bench_, {&*again}, now() + std::min(0.5, clock_.budget / 50), {},
             options_.interrupted);
    const double drift = again->samples.estimate().value / first->rate.value - 1;
    note(fmt::format("anchor \"{}\": {:+.1f} % at the end, core clock {:+.1f} %{}", name,
                     100 * drift,
                     first->clock > 0 ? 100 * (again->samples.clock() / first->clock - 1) : 0.0,
                     again->samples.reproduced() ? "" : " (not reproduced)"));
    keep_faster(*first, measured(*again));
  }
}

void Campaign::note_in_core() {
  std::map<int, double> clocks;
  for (const Ceiling& ceiling : machine_.ceilings)
    if (ceiling.kind == Ceiling::Kind::in_core && ceiling.threads == 1)
      clocks[ceiling.simd_bits] = std::max(clocks[ceiling.simd_bits], ceiling.clock);
  std::string text;
  for (const auto& [bits, clock] : clocks)
    text += fmt::format("{}{} bit {}", text.empty() ? "" : ", ", bits, to_text(Hertz(clock)));
  note("core clock by vector width, one thread: " + text);
  const auto roof = [&](int threads) {
    double best = 0;
    for (const Ceiling& ceiling : machine_.ceilings)
      if (ceiling.kind == Ceiling::Kind::in_core && ceiling.precision == double_precision &&
          ceiling.threads == threads)
        best = std::max(best, ceiling.rate.value);
    return best;
  };
  const int all = topology_.cores;
  if (all > 1 && roof(1) > 0)
    note(fmt::format(
        "{} threads reach {:.2f} times the fp64 roof of one: {}", all, roof(all) / roof(1),
        roof(all) > 0.9 * all * roof(1) ? "the cores are separate" : "the cores share something"));
}

Machine Campaign::finish() {
  refine_levels();
  close_ceilings();
  verify_pages();
  int unsteady = 0;
  std::set<std::string> unmeasured;
  for (const Subject& subject : subjects_) {
    unsteady += subject.unsteady;
    if (subject.samples.windows() == 0) unmeasured.insert(subject.ceiling.name);
  }
  for (const Ceiling& ceiling : machine_.ceilings) unmeasured.erase(ceiling.name);
  const std::vector<Ceiling> walks = machine_.ceilings;
  for (const Ceiling& walk : walks)
    if (misses_of(walk) == 1) machine_.ceilings.push_back(as_latency(walk));
  widen_by_clock();
  note_in_core();
  check_anchors();
  if (!raised_ceilings_.empty())
    note(fmt::format("{} ceilings were raised to what others show to be possible",
                     raised_ceilings_.size()));
  if (!unmeasured.empty())
    note(fmt::format("{} ceilings were not measured: time ran out", unmeasured.size()));
  if (unsteady > 0)
    note(
        fmt::format("{} windows were left out because the core clock moved within them", unsteady));
  note(contention_note(before_, contention()));
  if (options_.progress) options_.progress("done", 1);
  return std::move(machine_);
}

}  // namespace rooftune::probe
