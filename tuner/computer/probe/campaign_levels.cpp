// Sweeps of sizes: the levels, their capacities, their sharing.
#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "probe/campaign.h"
#include "probe/memory_kernels.h"
#include "probe/self_check.h"

namespace rooftune::probe {

/// A walk of one thread at no particular level.
Ceiling Campaign::load_of(double bytes) const {
  Ceiling ceiling;
  ceiling.kind = Ceiling::Kind::bandwidth;
  ceiling.mix = word(StreamMix::load);
  ceiling.reads = 1;
  ceiling.huge_pages = huge_pages_;
  ceiling.working_set = bytes;
  return ceiling;
}

void Campaign::sweep() {
  if (sizes_.empty()) {
    const auto kernels = stream_kernels(features_);
    const auto load = std::find_if(kernels.begin(), kernels.end(), [](const auto& kernel) {
      return kernel.mix == StreamMix::load;
    });
    for (const double size :
         sweep_sizes(topology_.caches, static_cast<double>(bench_.arena_bytes()),
                     static_cast<double>(load->chunk))) {
      if (auto subject = bench_.subject(load_of(size))) sizes_.push_back(std::move(*subject));
    }
  }
  std::vector<Subject*> all;
  for (Subject& subject : sizes_) {
    subject.quiet_visits = 0;
    all.push_back(&subject);
  }
  measure("finding memory levels", all, 0.06);
}

std::vector<SweepPoint> Campaign::sweep_points() const {
  std::vector<SweepPoint> points;
  for (const Subject& subject : sizes_)
    if (subject.samples.windows() > 0)
      points.push_back({subject.ceiling.working_set, subject.samples.estimate().value});
  return points;
}

void Campaign::find_levels() {
  Levels levels = memory_levels(sweep_points(), topology_.caches);
  machine_.levels = std::move(levels.levels);
  evidence_ = std::move(levels.evidence);
  if (outer_cache() > memory_set() / 4)
    note(
        fmt::format("memory is walked in {} per thread, less than four times the {} that the outer "
                    "cache holds: its ceilings may hold cache hits",
                    to_text(Bytes(memory_set())), to_text(Bytes(outer_cache()))));
}

bool Campaign::finds_apart(std::size_t index, double bytes) {
  MemoryLevel& level = machine_.levels[index];
  const int threads = topology_.cores;
  if (bytes > static_cast<double>(bench_.arena_bytes())) return false;
  Subjects walks;
  std::vector<Subject*> both;
  for (const int count : {1, threads}) {
    Ceiling ceiling = load_of(count * bytes);
    ceiling.threads = count;
    if (auto subject = bench_.subject(ceiling)) walks.push_back(std::move(*subject));
  }
  for (Subject& walk : walks) both.push_back(&walk);
  measure("finding memory levels", both, 0.01);
  if (walks.size() < 2 || walks[1].samples.windows() == 0) return false;
  const double one = walks[0].samples.estimate().value, all = walks[1].samples.estimate().value;
  if (!caches_apart(one, all, threads, evidence_[index + 1].rate)) return false;
  note(
      fmt::format("{}: {} reported for {} cores, but all of them walk through {} each at {}, one "
                  "alone at {}: each has its own",
                  level.name, level.instances, threads, to_text(Bytes(bytes)),
                  to_text(ByteRate(all)), to_text(ByteRate(one))));
  level.instances = threads;
  return true;
}

/// Two of each size do not fit one cache. Somebody else's load only hides that caches are apart:
/// one size that shows it decides.
void Campaign::find_sharing() {
  for (std::size_t i = 0; i + 1 < machine_.levels.size(); ++i) {
    const double held = Machine::most_held(machine_.levels[i]);
    for (const double part : {0.6, 0.75, 0.9})
      if (machine_.levels[i].instances < topology_.cores && finds_apart(i, part * held)) break;
  }
}

void Campaign::refine_levels() {
  const std::vector<SweepPoint> points = sweep_points();
  Levels levels = memory_levels(points, topology_.caches);
  const bool same = std::equal(levels.levels.begin(), levels.levels.end(), machine_.levels.begin(),
                               machine_.levels.end(),
                               [](const auto& a, const auto& b) { return a.name == b.name; });
  if (same) {
    for (std::size_t i = 0; i < levels.levels.size(); ++i)
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
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_text(Bytes(point.bytes)),
                        to_text(ByteRate(point.rate)));
  note("sweep: load of one thread: " + text);
  for (std::size_t i = 0; i < machine_.levels.size(); ++i)
    note(fmt::format("sweep: {} is the plateau of {} sizes from {} to {} at {}",
                     machine_.levels[i].name, evidence_[i].points,
                     to_text(Bytes(evidence_[i].first)), to_text(Bytes(evidence_[i].last)),
                     to_text(ByteRate(evidence_[i].rate))));
  for (std::string& surprise : levels.notes) note(std::move(surprise));
}

void Campaign::learn_from_sweep() {
  const auto load = [](const Ceiling& c, const std::string& level) {
    return c.level == level && c.mix == word(StreamMix::load) && c.stride <= 8 && c.threads == 1 &&
           !c.remote;
  };
  for (std::size_t i = 0; i < machine_.levels.size(); ++i) {
    const std::string& level = machine_.levels[i].name;
    const bool both = std::any_of(
        machine_.ceilings.begin(), machine_.ceilings.end(),
        [&](const Ceiling& c) { return load(c, level) && c.huge_pages == huge_pages_; });
    for (const Subject& size : sizes_) {
      const double bytes = size.ceiling.working_set;
      if (bytes < evidence_[i].first || bytes > evidence_[i].last) continue;
      for (Ceiling& ceiling : machine_.ceilings)
        if (load(ceiling, level) && (!both || ceiling.huge_pages == huge_pages_))
          keep_faster(ceiling, measured(size));
    }
  }
}

}  // namespace rooftune::probe
