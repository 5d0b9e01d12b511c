#include "instrumentation/cache_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/list.h"
#include "core/units.h"
#include "os/topology.h"

namespace rooftune::instrumentation {
namespace {

uint64_t line_of(uint64_t entry) { return (entry >> 2) - 1; }
uint64_t entry_of(uint64_t line, uint64_t flags) { return (line + 1) << 2 | flags; }

/// The line's entry in its set; nullptr without one.
uint64_t* found(uint64_t* set, int ways, uint64_t line) {
  for (uint64_t* entry = set; entry < set + ways; ++entry)
    if (*entry >> 2 == line + 1) return entry;
  return nullptr;
}

constexpr int likely_ways = 8;

/// The ways for a level whose machine file gives none.
int ways_here(const std::string& level) {
  for (const ReportedCache& cache : topology().caches)
    if (cache.name == level && cache.ways > 0) return cache.ways;
  return likely_ways;
}

}  // namespace

CacheShapes cache_shapes(const MemoryLevels& levels) {
  CacheShapes result;
  for (const MemoryLevel& level : levels) {
    // The true size: the effective size from a sweep changes from moment to moment.
    const double bytes = Machine::most_held(level);
    if (!std::isfinite(bytes)) break;
    const int ways = level.ways > 0 ? level.ways : ways_here(level.name);
    result.push_back({level.name, size_t(bytes), ways, level.instances});
  }
  return result;
}

CacheModel::CacheModel(const CacheShapes& shapes, int cores, bool scattered)
    : cores_(std::max(1, cores)), scattered_(scattered) {
  for (const CacheShape& shape : shapes) {
    Level level{shape, 0, 0, {}, {}};
    level.shape.instances = std::clamp(shape.instances, 1, cores_);
    // A small cache keeps its size, not its ways.
    const size_t row = size_t(classes) * line_bytes;
    const size_t most = std::max<size_t>(1, (shape.bytes + row / 2) / row);
    level.shape.ways = int(std::clamp<size_t>(size_t(std::max(shape.ways, 1)), 1, most));
    const double rows = double(shape.bytes) / double(row * size_t(level.shape.ways));
    level.sets = classes * std::max<uint64_t>(1, uint64_t(rows + 0.5));
    if ((level.sets & (level.sets - 1)) == 0) level.mask = level.sets - 1;
    for (int core = 0; core < cores_; ++core)
      level.first_set.push_back(size_t(core * level.shape.instances / cores_) * level.sets);
    level.entries.resize(level.sets * size_t(level.shape.ways) * size_t(level.shape.instances));
    if (level.shape.instances > 1 && private_levels_ == levels_.size()) ++private_levels_;
    levels_.push_back(std::move(level));
  }
  reset_traffic();
}

void CacheModel::sample(const Integers& chosen) {
  sample_ = 0;
  for (const int one : chosen) sample_ |= uint64_t{1} << one;
}

uint64_t* CacheModel::set_of(size_t level, int core, uint64_t line) {
  Level& here = levels_[level];
  const size_t set =
      here.first_set[core_of(core)] + (here.mask ? line & here.mask : line % here.sets);
  return here.entries.data() + set * size_t(here.shape.ways);
}

void CacheModel::insert(size_t level, int core, uint64_t* set, uint64_t entry) {
  const auto ways = size_t(levels_[level].shape.ways);
  const uint64_t victim = set[ways - 1];
  std::copy_backward(set, set + ways - 1, set + ways);
  set[0] = entry;
  if (victim & dirty) write_back(level, core, line_of(victim));
}

void CacheModel::write_back(size_t level, int core, uint64_t line) {
  if (!in_parts_) crossed(level, line).written += line_bytes;
  const size_t outside = level + 1;
  if (outside == levels_.size()) return;
  uint64_t* const set = set_of(outside, core, line);
  if (uint64_t* const entry = found(set, levels_[outside].shape.ways, line)) {
    soil(outside, *entry);
  } else {
    uint64_t entry_now = entry_of(line, 0);
    soil(outside, entry_now);
    insert(outside, core, set, entry_now);
  }
}

void CacheModel::soil(size_t level, uint64_t& entry) {
  if (in_parts_ && !(entry & dirty)) crossed(level, line_of(entry)).written += line_bytes;
  entry |= dirty;
}

/// Brings a line into `level` and the levels outside it. Returns true when other cores may have it
/// too.
bool CacheModel::fetch(size_t level, int core, uint64_t line, bool write) {
  const bool stored = level == 0 && write;
  uint64_t* const set = set_of(level, core, line);
  if (uint64_t* const here = found(set, levels_[level].shape.ways, line)) {
    if (stored) soil(level, *here);
    const uint64_t entry = *here;
    std::copy_backward(set, here, here + 1);
    set[0] = entry;
    return (entry & shared) != 0;
  }
  bool others = false;
  if (level + 1 == private_levels_) others = snoop(core, line, write) && !write;
  CacheTraffic& traffic = crossed(level, line);
  traffic.read += line_bytes;
  if (write) traffic.allocated += line_bytes;
  if (level + 1 < levels_.size()) others = fetch(level + 1, core, line, write) || others;
  // A shared cache keeps no state for its lines: only private copies have one.
  const bool marked = others && !write && level < private_levels_;
  uint64_t entry = entry_of(line, marked ? shared : 0);
  if (stored) soil(level, entry);
  insert(level, core, set, entry);
  return others;
}

void CacheModel::access(int core, uint64_t line, bool write) {
  uint64_t* const set = set_of(0, core, line);
  const bool first = set[0] != 0 && line_of(set[0]) == line;
  if (first && (!write || (set[0] & shared) == 0)) {
    if (write) soil(0, set[0]);
    return;
  }
  const bool known_shared = fetch(0, core, line, write);
  if (!write || !known_shared || private_levels_ == 0) return;
  snoop(core, line, true);
  for (size_t level = 0; level < private_levels_; ++level)
    if (auto* const entry = found(set_of(level, core, line), levels_[level].shape.ways, line))
      *entry &= ~shared;
}

bool CacheModel::snoop(int core, uint64_t line, bool taken) {
  bool any = false;
  for (size_t level = 0; level < private_levels_; ++level) {
    Level& here = levels_[level];
    const size_t mine = here.first_set[core_of(core)] / here.sets;
    const auto ways = size_t(here.shape.ways);
    for (size_t other = 0; other < size_t(here.shape.instances); ++other) {
      if (other == mine) continue;
      auto* const set = here.entries.data() + (other * here.sets + line % here.sets) * ways;
      uint64_t* const entry = found(set, here.shape.ways, line);
      if (!entry) continue;
      any = true;
      if (*entry & dirty) write_back(private_levels_ - 1, core, line);
      *entry = taken ? 0 : entry_of(line, shared);
    }
  }
  return any;
}

void CacheModel::remove(size_t level, int core, uint64_t line) {
  uint64_t* const entry = found(set_of(level, core, line), levels_[level].shape.ways, line);
  if (!entry) return;
  if (*entry & dirty) crossed(levels_.size() - 1, line).written += line_bytes;
  *entry = 0;
}

void CacheModel::stream(int core, uint64_t address, uint64_t bytes) {
  for_lines(address, bytes, [&](uint64_t line, uint64_t part) {
    if (private_levels_ > 0) snoop(core, line, true);
    for (const size_t level : indices(levels_)) remove(level, core, line);
    // The store crosses every boundary, though no cache on the way keeps it.
    for (const size_t level : indices(levels_)) crossed(level, line).written += part;
  });
}

void CacheModel::flush() {
  std::vector<uint64_t> lines;
  for (Level& level : levels_)
    for (uint64_t& entry : level.entries) {
      if (entry & dirty) lines.push_back(line_of(entry));
      entry = 0;
    }
  // A line that is dirty in two levels is written once.
  sort(lines);
  drop_repeats(lines);
  for (const uint64_t line : lines)
    for (const size_t level : indices(levels_)) crossed(level, line).written += line_bytes;
}

void CacheModel::reset_traffic(size_t windows) {
  traffic_.assign((windows + 1) * levels_.size() * classes, CacheTraffic{});
  first_ = 0;
  in_parts_ = windows > 1;
}

void CacheModel::open_window(size_t window) {
  const size_t each = levels_.size() * classes;
  first_ = std::min(window * each, traffic_.size() - each);
}

std::string CacheModel::description() const {
  std::string text;
  for (const Level& level : levels_)
    join(text,
         fmt::format("{} {} in {} ways ({})", level.shape.name,
                     to_text(Bytes(double(level.sets * size_t(level.shape.ways) * line_bytes))),
                     level.shape.ways,
                     level.shape.instances > 1
                         ? fmt::format("one for each of {} threads", level.shape.instances)
                         : "for all threads"));
  return text;
}

}  // namespace rooftune::instrumentation
