// The search for the event set of a processor or a chip. An unreadable file ends the search with an
// Error: an incomplete set would count wrong.
#include "counters/event_set.h"

#include <algorithm>

#include "core/error.h"
#include "os/paths.h"

namespace rooftune::counters {

namespace {

bool within(const std::pair<int, int>& range, int value) {
  return range.first <= value && value <= range.second;
}

}  // namespace

bool FittingCpus::fit(const CpuIdentity& cpu) const {
  if (implementer >= 0) return cpu.implementer == implementer && cpu.part == part;
  if (cpu.vendor != vendor || cpu.family != family) return false;
  if (steppings && !within(*steppings, cpu.stepping)) return false;
  return std::any_of(models.begin(), models.end(),
                     [&](const auto& range) { return within(range, cpu.model); });
}

const CounterEvent* EventSet::event(const std::string& id) const {
  const auto found = std::find_if(events.begin(), events.end(),
                                  [&](const CounterEvent& event) { return event.id == id; });
  return found == events.end() ? nullptr : &*found;
}

EventSet read_event_set(const std::filesystem::path& file) {
  return event_set_from_json(read_json(file), file.string());
}

std::vector<EventSet> read_event_sets(const std::filesystem::path& directory) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  if (error)
    throw Error("cannot read the event sets: " + error.message(), directory.string(),
                "set ROOFTUNE_HOME to a directory with machines/events");
  std::sort(files.begin(), files.end());
  std::vector<EventSet> sets;
  for (const auto& file : files) sets.push_back(read_event_set(file));
  return sets;
}

const std::vector<EventSet>& event_sets() {
  static const std::vector<EventSet> sets = read_event_sets(home() / "machines" / "events");
  return sets;
}

const EventSet* event_set(const std::vector<EventSet>& sets, const CpuIdentity& cpu) {
  for (const EventSet& set : sets)
    for (const FittingCpus& cpus : set.cpus)
      if (cpus.fit(cpu)) return &set;
  return nullptr;
}

const EventSet* event_set_of_chip(const std::vector<EventSet>& sets, const std::string& chip) {
  for (const EventSet& set : sets)
    if (std::count(set.chips.begin(), set.chips.end(), chip) > 0) return &set;
  return nullptr;
}

}  // namespace rooftune::counters
