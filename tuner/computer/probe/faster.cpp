#include "probe/faster.h"

#include <fmt/format.h>

#include <algorithm>

#include "probe/self_check.h"

namespace rooftune::probe {
namespace {

/// Inserts the level behind its inner neighbours of `earlier`.
void add_level(Machine& machine, const Machine& earlier, std::size_t index) {
  auto place = machine.levels.begin();
  for (std::size_t i = 0; i < index; ++i)
    for (auto level = machine.levels.begin(); level != machine.levels.end(); ++level)
      if (level->name == earlier.levels[i].name) place = level + 1;
  machine.levels.insert(place, earlier.levels[index]);
}

void merge_levels(Machine& machine, const Machine& earlier) {
  const auto raise = [](std::optional<double>& bytes, const std::optional<double>& other) {
    if (bytes && other) bytes = std::max(*bytes, *other);
  };
  for (std::size_t i = 0; i < earlier.levels.size(); ++i) {
    const MemoryLevel& before = earlier.levels[i];
    const auto level = std::find_if(machine.levels.begin(), machine.levels.end(),
                                    [&](const auto& one) { return one.name == before.name; });
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
