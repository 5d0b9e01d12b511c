#include "roofline/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/list.h"
#include "core/text.h"
#include "core/units.h"

namespace rooftune::roofline {
namespace {

/// `text` fits `pattern`, where * stands for any text.
bool fits(const char* pattern, const char* text) {
  if (*pattern == '\0') return *text == '\0';
  if (*pattern != '*') return *pattern == *text && fits(pattern + 1, text + 1);
  for (; *text != '\0'; ++text)
    if (fits(pattern + 1, text)) return true;
  return fits(pattern + 1, text);
}

}  // namespace

/// A slice is no card: it has other ceilings, and its name begins like the card's.
bool GpuFacts::describes(const std::string& device) const {
  const auto is_slice = [](const std::string& name) { return contains(name, " MIG "); };
  return any_of(devices, [&](const std::string& pattern) {
    return is_slice(pattern) == is_slice(device) && fits(pattern.c_str(), device.c_str());
  });
}

std::string compute_capability_text(int capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

const Ceiling* ceiling_named(const CeilingList& ceilings, const std::string& name) {
  return first_with(ceilings, &Ceiling::name, name);
}

Ceiling* ceiling_named(CeilingList& ceilings, const std::string& name) {
  return first_with(ceilings, &Ceiling::name, name);
}

const MemoryLevel* Machine::level(const std::string& wanted) const {
  return first_with(levels, &MemoryLevel::name, wanted);
}

std::string Machine::why_no_ceilings() const {
  return contains(notes, no_micro_kernels) ? no_micro_kernels
                                           : "this machine was never probed (tune probe, 15 s)";
}

double Machine::most_held(const MemoryLevel& level) {
  if (level.at_most) return *level.at_most;
  constexpr double believed = 4;
  if (!level.capacity && !level.reported) return HUGE_VAL;
  const double effective = level.capacity ? *level.capacity : *level.reported;
  const double reported = level.reported.value_or(effective);
  return reported <= believed * effective ? std::max(effective, reported) : effective;
}

double Machine::held_inside(const std::string& wanted, int threads) const {
  double bytes = 0;
  for (const MemoryLevel& inner : levels) {
    if (inner.name == wanted) return bytes;
    // A core's private cache keeps nothing without a thread; a GPU's threads are not the host's.
    const int used = is_gpu() ? inner.instances : std::min(inner.instances, std::max(threads, 1));
    bytes += most_held(inner) * used;
  }
  throw Error("machine " + name + " has no level \"" + wanted + "\"");
}

double Machine::kept_inside(const std::string& wanted, int threads) const {
  double bytes = held_inside(wanted, threads);
  if (!is_gpu()) return bytes;
  for (const MemoryLevel& inner : levels) {
    if (inner.name == wanted) break;
    if (inner.instances > 1) bytes -= most_held(inner) * inner.instances;
  }
  return bytes;
}

const Ceiling* Machine::fastest_launch() const {
  const Ceiling* best = nullptr;
  for (const Ceiling& ceiling : ceilings)
    if (ceiling.kind == Ceiling::Kind::launch && !ceiling.shown_only &&
        (!best || ceiling.rate.value > best->rate.value))
      best = &ceiling;
  return best;
}

}  // namespace rooftune::roofline
