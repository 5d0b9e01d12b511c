#include "probe/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/units.h"
#include "core/version.h"
#include "probe/clock.h"
#include "probe/identity.h"
#include "probe/in_core_kernels.h"
#include "probe/plan.h"
#include "probe/self_check.h"
#include "probe/stream_kernels.h"

namespace rooftune::microbench {
namespace {

constexpr double quick_seconds = 46, full_seconds = 320;
constexpr double nearly_all = 0.95;  // of the pages
constexpr double mebi = 0x1p20;

double budget(const ProbeOptions& options) {
  if (options.seconds > 0) return options.seconds;
  return options.full ? full_seconds : quick_seconds;
}

/// Memory per thread and kind of pages: enough to leave the caches, at most a quarter of the memory
/// in all. A reported cache size is believed on bare metal only; a virtual machine sees its host's.
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
      start_(now()),
      budget_(budget(options)),
      before_(contention()),
      bench_(topology.cpus, topology, features, memory_per_thread(options, topology)) {
  machine_.name = options.name;
  identify(machine_, topology, features);
  machine_.description = fmt::format("{}, {} cores, {} threads, Linux {}", topology.cpu_model,
                                     topology.cores, topology.cpus.size(), topology.kernel);
}

void Campaign::show(const std::string& phase) const {
  if (options_.progress) options_.progress(phase, std::min(1.0, (now() - start_) / budget_));
}

double Campaign::left() const { return std::max(0.0, start_ + budget_ - now()); }

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
      bench_, subjects, now() + share * left(), [&] { show(phase); }, options_.interrupted);
}

void Campaign::check_pages() {
  show("touching memory");
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

std::vector<SweepPoint> Campaign::sweep() {
  const auto kernels = stream_kernels(features_);
  const auto load = std::find_if(kernels.begin(), kernels.end(),
                                 [](const auto& kernel) { return kernel.mix == "load"; });
  const auto largest = static_cast<double>(bench_.arena_bytes());
  Subjects sizes;
  std::vector<Subject*> all;
  for (const double size :
       sweep_sizes(topology_.caches, largest, static_cast<double>(load->chunk))) {
    Ceiling ceiling;
    ceiling.kind = Ceiling::Kind::bandwidth;
    ceiling.mix = "load";
    ceiling.reads = 1;
    ceiling.huge_pages = huge_pages_;
    ceiling.working_set = size;
    auto subject = bench_.subject(ceiling);
    if (!subject) continue;
    sizes.push_back(std::move(*subject));
    all.push_back(&sizes.back());
  }
  measure("finding memory levels", all, 0.1);
  std::vector<SweepPoint> points;
  for (const Subject& subject : sizes)
    if (subject.samples.windows() > 0)
      points.push_back({subject.ceiling.working_set, subject.samples.estimate().value});
  return points;
}

void Campaign::find_levels() {
  const std::vector<SweepPoint> points = sweep();
  Levels levels = memory_levels(points, topology_.caches);
  machine_.levels = std::move(levels.levels);
  std::string text;
  for (const SweepPoint& point : points)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_text(Bytes(point.bytes)),
                        to_text(ByteRate(point.rate)));
  note("sweep: load of one thread: " + text);
  for (std::size_t i = 0; i < machine_.levels.size(); ++i)
    note(fmt::format(
        "sweep: {} is the plateau of {} sizes from {} to {} at {}", machine_.levels[i].name,
        levels.evidence[i].points, to_text(Bytes(levels.evidence[i].first)),
        to_text(Bytes(levels.evidence[i].last)), to_text(ByteRate(levels.evidence[i].rate))));
  for (std::string& surprise : levels.notes) note(std::move(surprise));
  if (outer_cache() > memory_set() / 4)
    note(
        fmt::format("memory is walked in {} per thread, less than four times the {} that the outer "
                    "cache holds: its ceilings may hold cache hits",
                    to_text(Bytes(memory_set())), to_text(Bytes(outer_cache()))));
}

double Campaign::outer_cache() const {
  const std::size_t caches = machine_.levels.size() - 1;
  return caches > 0 ? machine_.levels[caches - 1].capacity.value_or(0) : 0;
}

/// Touching pages costs more time than walking them: not more than leaves the caches well behind.
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
  const bool matter = options_.full ? !place.innermost : level > 1;
  if (huge_pages_ && matter) place.huge_pages = {true, false};
  for (const int threads : thread_counts(topology_))
    place.bytes.emplace_back(
        threads, working_set(machine_.levels, level, threads, topology_.cores, memory_set()));
  return place;
}

void Campaign::measure_in_core() {
  measure("in-core ceilings", add(in_core_plan(features_, thread_counts(topology_), extent())),
          0.35);
}

void Campaign::measure_caches() {
  std::vector<Subject*> all;
  for (std::size_t i = 0; i + 1 < machine_.levels.size(); ++i)
    for (Subject* subject : add(memory_plan(place(i), features_, machine_.numa_nodes, extent())))
      all.push_back(subject);
  measure("cache ceilings", all, 0.36);
}

void Campaign::measure_memory() {
  if (topology_.numa_nodes.size() < 2)
    note("NUMA: one node here, so remote memory was not measured");
  const auto plan =
      memory_plan(place(machine_.levels.size() - 1), features_, machine_.numa_nodes, extent());
  std::vector<Subject*> streams, random;
  // random walks need links in memory, which streams overwrite: one after the other
  for (Subject* subject : add(plan)) (is_random(subject) ? random : streams).push_back(subject);
  measure("memory ceilings", streams, 0.47);
  measure("random access ceilings", random, 0.7);
}

void Campaign::judge() {
  machine_.ceilings.clear();
  for (Subject& subject : subjects_) {
    subject.fault.clear();
    machine_.ceilings.push_back(measured(subject));
  }
  const auto kernels = stream_kernels(features_);
  for (const Contradiction& found : contradictions(machine_, kernels.front().simd_bits)) {
    std::string& fault = subjects_[found.ceiling].fault;
    fault += (fault.empty() ? "" : "; ") + found.text;
  }
}

void Campaign::second_chance() {
  judge();
  std::vector<Subject*> again, random;
  for (Subject& subject : subjects_) {
    if (subject.samples.reproduced() && subject.fault.empty()) continue;
    subject.quiet_visits = 0;
    (is_random(&subject) ? random : again).push_back(&subject);
  }
  measure("second look", again, 0.6);
  measure("second look", random, 0.7);
}

/// Pages can be split or collapsed while the probe runs: what counts is what they were at the end.
void Campaign::verify_pages() {
  const double huge = bench_.arena().huge_share(Arena::Kind::huge);
  const double base = bench_.arena().huge_share(Arena::Kind::base);
  if (huge_pages_)
    note(
        fmt::format("huge pages: AnonHugePages backs {:.0f} % of the memory that asked for them, "
                    "{:.0f} % of the memory that refused them",
                    100 * huge, 100 * base));
  for (Subject& subject : subjects_) {
    if (subject.ceiling.kind == Ceiling::Kind::in_core) continue;
    if (subject.ceiling.huge_pages ? huge < nearly_all : base > 1 - nearly_all)
      subject.fault += (subject.fault.empty() ? "" : "; ") +
                       std::string("the pages were not of the kind that was asked for");
  }
}

/// The clock that a later run gets is not the one of the best window: what ran on the core's clock
/// may run as fast as the highest clock that this probe saw with vectors of that width.
void Campaign::widen_by_clock() {
  const auto width = [](const Ceiling& ceiling) {
    return ceiling.kind == Ceiling::Kind::in_core ? ceiling.simd_bits : 0;
  };
  std::map<int, double> highest;
  for (const Ceiling& ceiling : machine_.ceilings)
    if (ceiling.stable && on_core_clock(ceiling))
      highest[width(ceiling)] = std::max(highest[width(ceiling)], ceiling.clock);
  for (Ceiling& ceiling : machine_.ceilings)
    if (ceiling.stable && on_core_clock(ceiling) && ceiling.clock > 0)
      ceiling.rate.high =
          std::max(ceiling.rate.high, ceiling.rate.value * highest[width(ceiling)] / ceiling.clock);
}

void Campaign::check_anchors() {
  for (const std::string& name : anchors(machine_)) {
    const auto first = std::find_if(machine_.ceilings.begin(), machine_.ceilings.end(),
                                    [&](const Ceiling& ceiling) { return ceiling.name == name; });
    auto again = bench_.subject(*first);
    if (!again) continue;
    go_round(bench_, {&*again}, now() + std::min(0.5, budget_ / 50), {}, options_.interrupted);
    const double drift = again->samples.estimate().value / first->rate.value - 1;
    note(fmt::format("anchor \"{}\": {:+.1f} % at the end, core clock {:+.1f} %{}", name,
                     100 * drift,
                     first->clock > 0 ? 100 * (again->samples.clock() / first->clock - 1) : 0.0,
                     again->samples.reproduced() ? "" : " (not reproduced)"));
  }
}

void Campaign::note_in_core() {
  std::map<int, double> clocks;
  for (const Ceiling& ceiling : machine_.ceilings)
    if (ceiling.kind == Ceiling::Kind::in_core && ceiling.stable && ceiling.threads == 1)
      clocks[ceiling.simd_bits] = std::max(clocks[ceiling.simd_bits], ceiling.clock);
  std::string text;
  for (const auto& [bits, clock] : clocks)
    text += fmt::format("{}{} bit {}", text.empty() ? "" : ", ", bits, to_text(Hertz(clock)));
  note("core clock by vector width, one thread: " + text);
  const auto roof = [&](int threads) {
    double best = 0;
    for (const Ceiling& ceiling : machine_.ceilings)
      if (ceiling.kind == Ceiling::Kind::in_core && ceiling.precision == "fp64" &&
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
  judge();
  verify_pages();
  machine_.ceilings.clear();
  int unstable = 0, unsteady = 0, unmeasured = 0;
  for (const Subject& subject : subjects_) {
    unsteady += subject.unsteady;
    if (subject.samples.windows() == 0) {
      ++unmeasured;
      continue;
    }
    machine_.ceilings.push_back(measured(subject));
    if (!machine_.ceilings.back().stable) ++unstable;
    if (!subject.fault.empty())
      note(fmt::format("\"{}\" is not trusted: {}", subject.ceiling.name, subject.fault));
  }
  const std::vector<Ceiling> walks = machine_.ceilings;
  for (const Ceiling& walk : walks)
    if (misses_of(walk) == 1) machine_.ceilings.push_back(as_latency(walk));
  widen_by_clock();
  note_in_core();
  check_anchors();
  note(fmt::format("{} of {} ceilings are unstable and bound nothing", unstable,
                   machine_.ceilings.size()));
  if (unmeasured > 0) note(fmt::format("{} ceilings were not measured: time ran out", unmeasured));
  if (unsteady > 0)
    note(
        fmt::format("{} windows were left out because the core clock moved within them", unsteady));
  note(contention_note(before_, contention()));
  if (options_.progress) options_.progress("done", 1);
  return std::move(machine_);
}

}  // namespace rooftune::microbench
