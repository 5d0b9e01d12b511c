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

std::string rate_text(const Ceiling& ceiling) {
  return ceiling.kind == Ceiling::Kind::in_core ? to_text(FlopRate(ceiling.rate.value))
                                                : to_text(ByteRate(ceiling.rate.value));
}

/// "44.1 GB/s to 61.2 GB/s"
std::string range_text(Ceiling ceiling, const Estimate& rates) {
  ceiling.rate.value = rates.low;
  const std::string slowest = rate_text(ceiling);
  ceiling.rate.value = rates.high;
  return slowest + " to " + rate_text(ceiling);
}

const std::string& subject_of(const Ceiling& ceiling) {
  return ceiling.kind == Ceiling::Kind::in_core ? ceiling.precision : ceiling.level;
}

/// Options that the launcher sets itself, that could hide its jobs from it, or that could run other
/// code: from another folder or a container.
constexpr std::array kept{"--array",     "-a",          "--job-name", "-J",         "--output",
                          "-o",          "--error",     "-e",         "--parsable", "--wait",
                          "-W",          "--wrap",      "--chdir",    "--signal",   "--requeue",
                          "--test-only", "--container", "-D"};

/// A job's variables can load code: --export=ALL,LD_PRELOAD=x.so; --export=NONE sets none.
bool sets_variables(const std::string& option) {
  return option.starts_with("--export-") ||
         (option.starts_with("--e") && std::ranges::count(option, '=') > 1);
}

bool is_kept(const std::string& option) {
  const std::string name = text_before(option, '=');
  for (const std::string_view each : kept)
    // sbatch takes a long name's beginning for the name.
    if ((name.size() > 1 && each.starts_with(name)) ||
        (each.size() == 2 && option.starts_with(each) && option[1] != '-'))
      return true;
  return false;
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

bool covers(const Drift& drift, const Ceiling& ceiling) {
  return drift.kind == ceiling.kind && drift.subject == subject_of(ceiling) &&
         drift.threads == ceiling.threads;
}

std::vector<Drift> drift(const Machine& machine, const AnchorReadings& readings) {
  std::vector<Drift> result;
  const auto add = [&](const CeilingList& list, const char* when, bool at_one_moment) {
    for (const Ceiling& reading : list) {
      const Ceiling* file = ceiling_named(machine.ceilings, reading.name);
      if (!file) continue;
      const auto seen = at_one_moment ? Estimate::exact(reading.rate.value) : reading.rate;
      const double least = seen.low / file->rate.value, most = seen.high / file->rate.value;
      Drift* one = first_with(result, &Drift::ceiling, reading.name);
      if (!one)
        one = &result.emplace_back(
            Drift{file->name, file->kind, subject_of(*file), file->threads, least, most,
                  file->name + ": " + rate_text(*file) + " in the machine file"});
      one->low = std::min(one->low, least);
      one->high = std::max(one->high, most);
      one->sentence += at_one_moment ? fmt::format(", {} ({:+.1f} %) {}", rate_text(reading),
                                                   100 * (most - 1), when)
                                     : fmt::format(", {} {}", range_text(*file, seen), when);
    }
  };
  add(readings.start, "at the start", true);
  add(readings.end, "at the end", true);
  add(readings.between, "between trials", false);
  add(readings.beside, "beside races", false);
  return result;
}

Machine as_seen(const Machine& machine, const std::vector<Drift>& drifts) {
  Machine result = machine;
  for (Ceiling& ceiling : result.ceilings) {
    double low = 1;
    const Drift* fastest = nullptr;
    for (const Drift& drift : drifts) {
      if (!covers(drift, ceiling)) continue;
      low = std::min(low, drift.low);
      if (drift.high > (fastest ? fastest->high : 1)) fastest = &drift;
    }
    ceiling.rate.low = std::min(ceiling.rate.low, ceiling.rate.value * low);
    if (!fastest) continue;
    ceiling.rate.value *= fastest->high;
    ceiling.rate.high *= fastest->high;
    ceiling.source.text += fmt::format("; {:.1f} % faster during the study, as \"{}\" was",
                                       100 * (fastest->high - 1), fastest->ceiling);
  }
  return result;
}

Texts SlurmRequest::words() const {
  SlurmRequest named = *this;
  named.options.clear();
  const Json json = encode(named);
  Texts words;
  for (const auto& [name, text] : json.items())
    words.push_back("--" + name + "=" + text.get<std::string>());
  append(words, options);
  return words;
}

void SlurmRequest::check(const SlurmRequest& request, const Place& place) {
  const Place list = place.member("options");
  for (const size_t i : indices(request.options)) {
    const std::string& option = request.options[i];
    if (!option.starts_with('-'))
      list.element(i).fault("\"" + option + "\" is no option of sbatch",
                            "one text for an option and its value: \"--qos=night\"");
    else if (is_kept(option))
      list.element(i).fault("\"" + option + "\" is set by the launcher", "leave it out");
    else if (sets_variables(option))
      list.element(i).fault("\"" + option + "\" sets variables, which can load code into the jobs",
                            "set them where you start the sweep: jobs have its environment");
  }
}

}  // namespace rooftune::roofline
