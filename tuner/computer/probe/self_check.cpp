#include "probe/self_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/list.h"
#include "core/units.h"
#include "probe/bench.h"
#include "probe/clocks.h"
#include "probe/in_core_kernels.h"
#include "probe/plateau.h"
#include "roofline/rates.h"

namespace rooftune::probe {
namespace {

/// No core issues more vector instructions or moves per cycle, nor more scalar instructions on
/// whole numbers.
constexpr double most_per_cycle = 4, most_scalars_per_cycle = 12;
constexpr double clock_slack = 0.02;  // the chain's own error

bool in_core(const Ceiling& ceiling) { return ceiling.kind == Ceiling::Kind::in_core; }
/// The vector width whose clock counts; 0 for moves of data.
int width(const Ceiling& ceiling) { return in_core(ceiling) ? ceiling.simd_bits : 0; }

/// All that tells ceilings apart, except level, kind of pages and thread count.
std::string pattern(const Ceiling& c) {
  return fmt::format("{} {} {} {} {} {} {} {} {}", to_text(c.kind), c.precision, c.mix, c.simd_bits,
                     c.ilp, c.stride, c.remote, c.non_temporal, misses_of(c));
}

class Closure {
 public:
  explicit Closure(Machine& machine) : machine_(machine) {}

  std::set<size_t> run() {
    threads("");
    for (size_t i = machine_.levels.size(); i-- > 0;) {
      const std::string& level = machine_.levels[i].name;
      if (i + 1 < machine_.levels.size()) from_outside(level, machine_.levels[i + 1].name);
      threads(level);
    }
    return std::move(raised_);
  }

 private:
  Ceiling& at(size_t index) { return machine_.ceilings[index]; }

  Indices indices_of_level(const std::string& level) const {
    Indices result;
    for (const size_t i : indices(machine_.ceilings))
      if (const Ceiling& c = machine_.ceilings[i]; c.level == level && !c.shown_only)
        result.push_back(i);
    return result;
  }

  /// `as`: evidence for the rate, seen at `clock` [Hz]; that becomes the ceiling's clock, so no
  /// clock raises a ceiling twice.
  void raise(size_t index, double rate, double clock, const std::string& as) {
    Ceiling& ceiling = at(index);
    constexpr double rounding = 1e-9;
    if (ceiling.rate.value * (1 + rounding) >= rate) return;
    ceiling.source.text += fmt::format("; raised from {} to {}",
                                       in_core(ceiling) ? to_text(FlopRate(ceiling.rate.value))
                                                        : to_text(ByteRate(ceiling.rate.value)),
                                       as);
    ceiling.rate.value = rate;
    ceiling.clock = clock;
    ceiling.rate.high = std::max(ceiling.rate.high, rate);
    raised_.insert(index);
  }
  void raise(size_t index, const Ceiling& by) {
    raise(index, by.rate.value, by.clock, fmt::format("that of \"{}\"", by.name));
  }

  void threads(const std::string& level) {
    ByName<std::map<int, size_t>> families;
    for (const size_t i : indices_of_level(level)) {
      auto& family = families[fmt::format("{} {}", pattern(at(i)), at(i).huge_pages)];
      const auto [entry, added] = family.try_emplace(at(i).threads, i);
      if (!added && at(entry->second).rate.value < at(i).rate.value) entry->second = i;
    }
    for (const auto& [key, family] : families) {
      const auto [least, first] = *family.begin();
      if (least == 1) {
        for (const auto& [count, index] : family) raise_private(index, at(first), level);
        for (const auto& [count, index] : family)
          raise(first, at(index).rate.value / count, at(index).clock,
                fmt::format("1/{} of that of \"{}\"", count, at(index).name));
      }
      const Ceiling* before = nullptr;
      for (const auto& [count, index] : family) {
        if (before) raise(index, *before);
        before = &at(index);
      }
    }
  }

  /// On a busy machine threads hardly ever run undisturbed together, but one alone does.
  void raise_private(size_t index, const Ceiling& one, const std::string& level) {
    const Ceiling& ceiling = at(index);
    const MemoryLevel* cache = machine_.level(level);
    const int apart = in_core(ceiling) ? machine_.cores : cache ? cache->instances : 1;
    if (ceiling.threads > apart || !on_core_clock(ceiling) || one.clock <= 0) return;
    double clock = 0;
    for (const Ceiling& other : machine_.ceilings)
      if (on_core_clock(other) && other.threads == ceiling.threads &&
          in_core(other) == in_core(ceiling) && other.simd_bits == ceiling.simd_bits)
        clock = std::max(clock, other.clock);
    raise(index, one.rate.value * ceiling.threads * clock / one.clock, clock,
          fmt::format("{} times that of \"{}\", at {}", ceiling.threads, one.name,
                      to_text(Hertz(clock))));
  }

  void from_outside(const std::string& inner, const std::string& outer) {
    const auto key = [](const Ceiling& c) { return fmt::format("{} {}", pattern(c), c.threads); };
    std::set<std::pair<std::string, bool>> measured;
    for (const size_t i : indices_of_level(inner)) measured.emplace(key(at(i)), at(i).huge_pages);
    for (const size_t far : indices_of_level(outer))
      for (const size_t near : indices_of_level(inner)) {
        if (key(at(near)) != key(at(far))) continue;
        const bool same = at(near).huge_pages == at(far).huge_pages;
        if (same || !measured.count({key(at(near)), at(far).huge_pages})) raise(near, at(far));
      }
  }

  Machine& machine_;
  std::set<size_t> raised_;
};

/// Inserts the level behind those that `earlier` has further in.
void add_level(Machine& machine, const Machine& earlier, size_t index) {
  auto place = machine.levels.begin();
  for (size_t i = 0; i < index; ++i)
    if (const auto level = named(machine.levels, earlier.levels[i].name);
        level != machine.levels.end())
      place = level + 1;
  machine.levels.insert(place, earlier.levels[index]);
}

void merge_levels(Machine& machine, const Machine& earlier) {
  const auto raise = [](std::optional<double>& bytes, const std::optional<double>& other) {
    if (bytes && other) bytes = std::max(*bytes, *other);
  };
  for (const size_t i : indices(earlier.levels)) {
    const MemoryLevel& before = earlier.levels[i];
    const auto level = named(machine.levels, before.name);
    if (level == machine.levels.end()) {
      add_level(machine, earlier, i);
      machine.notes.push_back(before.name +
                              " did not show this time: it is as an earlier probe "
                              "has seen it");
      continue;
    }
    raise(level->capacity, before.capacity);
    raise(level->at_most, before.at_most);
    level->instances = std::max(level->instances, before.instances);
  }
}

}  // namespace

double instructions_per_cycle(const Ceiling& ceiling) {
  if (ceiling.clock <= 0) return 0;
  const double lanes =
      ceiling.simd_bits <= 64 ? 1 : ceiling.simd_bits / element_bits(ceiling.precision);
  return ceiling.rate.value / ceiling.threads / ceiling.clock /
         (lanes * flops_per_instruction(ceiling.mix));
}

void show_impossible(Machine& machine, int vector_bits) {
  std::map<int, double> clocks;  // a reading may be too low, never too high
  for (const Ceiling& c : machine.ceilings) clocks[width(c)] = std::max(clocks[width(c)], c.clock);
  const double vector_bytes = vector_bits / 8.0;
  for (Ceiling& ceiling : machine.ceilings) {
    Ceiling fastest = ceiling;
    fastest.clock = clocks[width(ceiling)];
    if (fastest.clock <= 0) continue;
    const double rate = in_core(ceiling)
                            ? instructions_per_cycle(fastest)
                            : ceiling.rate.value / ceiling.threads / fastest.clock / vector_bytes;
    // a line counted whole costs one access of 8 bytes
    const bool lines = !in_core(ceiling) && ceiling.stride > 8;
    const bool scalars =
        in_core(ceiling) && ceiling.simd_bits <= 64 && !ceiling.precision.starts_with("fp");
    const double most = scalars ? most_scalars_per_cycle : most_per_cycle;
    if (rate <= most * (1 + clock_slack) * (lines ? 64 / vector_bytes : 1)) continue;
    ceiling.shown_only = true;
    ceiling.source.text +=
        fmt::format("; shown only: {:.2f} {} per cycle and core are more than any core does", rate,
                    in_core(ceiling) ? "instructions" : "vectors");
  }
}

void widen_by_clock(Machine& machine) {
  std::map<int, double> highest;
  for (const Ceiling& ceiling : machine.ceilings)
    for (const int bits : {width(ceiling), 0})
      if (ceiling.stable && on_core_clock(ceiling))
        highest[bits] = std::max(highest[bits], ceiling.clock);
  for (Ceiling& ceiling : machine.ceilings)
    if (ceiling.stable && on_core_clock(ceiling) && ceiling.clock > 0)
      ceiling.rate.high =
          std::max(ceiling.rate.high, ceiling.rate.value * highest[width(ceiling)] / ceiling.clock);
}

std::set<size_t> close_upwards(Machine& machine) { return Closure(machine).run(); }

bool keep_faster(Ceiling& ceiling, const Ceiling& other) {
  if (other.shown_only || !(other.rate.value > ceiling.rate.value)) return false;
  ceiling.rate = other.rate;
  ceiling.samples = other.samples;
  ceiling.clock = other.clock;
  ceiling.working_set = other.working_set;
  ceiling.stable = other.stable;
  ceiling.shown_only = false;
  ceiling.source = other.source;
  return true;
}

void keep_faster(Machine& machine, const Machine& earlier) {
  merge_levels(machine, earlier);
  int kept = 0;
  for (const Ceiling& before : earlier.ceilings) {
    if (before.shown_only) continue;
    if (Ceiling* const now = ceiling_named(machine.ceilings, before.name)) {
      kept += keep_faster(*now, before) ? 1 : 0;
      continue;
    }
    machine.ceilings.push_back(before);
    ++kept;
  }
  machine.notes.push_back(
      fmt::format("{} of {} ceilings are an earlier probe's, which was faster or measured more",
                  kept, machine.ceilings.size()));
  close_upwards(machine);
}

}  // namespace rooftune::probe
