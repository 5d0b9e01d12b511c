// What counts say of a call: figures that cannot all be right, in words, both figures, their
// sources and the probable error; and what holds code back that is at no roof. No figure is changed
// for it, so every sentence must reach the reader.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "core/units.h"
#include "roofline/counts.h"
#include "roofline/roofline.h"

namespace rooftune::roofline {
namespace {

/// Declared and counted figures closer than this are called equal.
constexpr double count_tolerance = 0.02;
/// Two providers count the same call differently by a few percent (prologues, spills).
constexpr double provider_tolerance = 0.05;

/// The least work within the intervals of the counts. Flops of unknown precision count for no
/// single ceiling and are left out.
Work least_counted(const Counts& counts) {
  Work work;
  for (const auto& [precision, kinds] : counts.operations)
    if (precision != Counts::unknown_precision)
      work.least[precision] = Flops(flops(counts, precision).low);
  return work;
}

TrafficByLevel least_moved(const Counts& counts) {
  TrafficByLevel levels;
  for (const auto& [level, count] : counts.traffic)
    levels[level] = {Bytes(std::max(0.0, count.read.low)), Bytes(std::max(0.0, count.write.low))};
  return levels;
}

/// "L1 48 KiB, L2 2 MiB": the caches inside a level.
std::string caches_inside(const Machine& machine, const std::string& level) {
  std::string text;
  for (const MemoryLevel& inner : machine.levels) {
    if (inner.name == level) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", inner.name,
                        to_text(Bytes(Machine::most_held(inner) * inner.instances)));
  }
  return text;
}

std::string likely_wrong(const Counts& counts, const Machine& machine, const CeilingTime& part) {
  const std::string ceiling =
      fmt::format("or \"{}\" was measured too slow (tune probe --full)", part.ceiling);
  const auto traffic = counts.traffic.find(part.level);
  if (traffic == counts.traffic.end())
    return counts.operations_source.kind == Source::Kind::instrumented
               ? fmt::format(
                     "probably \"{}\" was measured too slow (tune probe --full): the "
                     "operations were counted one by one",
                     part.ceiling)
               : "probably the events count operations that were masked or counted twice, " +
                     ceiling;
  if (traffic->second.source.kind == Source::Kind::counted)
    return "probably the counters saw traffic of others on this socket, " + ceiling;
  const std::string inside = caches_inside(machine, part.level);
  return fmt::format(
      "probably the traffic, which a model of the caches gave: the caches{} may hold more, "
      "or keep it longer, than the model's, {}",
      inside.empty() ? "" : " inside (" + inside + ")", ceiling);
}

std::string sentence(const Estimate& seconds, const Counts& counts, const Machine& machine,
                     const CeilingTime& part) {
  const auto traffic = counts.traffic.find(part.level);
  const bool moves = traffic != counts.traffic.end();
  const Source& source = moves ? traffic->second.source : counts.operations_source;
  const double amount = moves ? traffic->second.read.value + traffic->second.write.value
                              : flops(counts, part.level).value;
  const std::string quantity = moves ? part.level + " traffic of " + to_text(Bytes(amount))
                                     : fmt::format("{:.6g} {} flops", amount, part.level);
  return fmt::format(
      "rate factor below 1: {} ({}, {}) takes at least {} at \"{}\", but a call took {} [{}, {}]; "
      "{}",
      quantity, to_text(source.kind), source.text, to_text(part.low), part.ceiling,
      to_text(Seconds(seconds.value)), to_text(Seconds(seconds.low)),
      to_text(Seconds(seconds.high)), likely_wrong(counts, machine, part));
}

bool above_roof(const std::string& flag) { return flag.find(" above the roof: ") != flag.npos; }

/// Whether one of `flags` names the level or precision at the start of `flag`.
bool is_repeated(const std::string& flag, const std::vector<std::string>& flags) {
  const std::string name = " " + flag.substr(0, flag.find(' ')) + " ";
  return std::any_of(flags.begin(), flags.end(),
                     [&](const std::string& other) { return other.find(name) != other.npos; });
}

}  // namespace

std::vector<std::string> faster_than_counted(const Roofline& roofline, const Estimate& seconds,
                                             const Counts& counts) {
  std::vector<std::string> found;
  for (const CeilingTime& part : roofline.parts(least_counted(counts), least_moved(counts)).times)
    if (part.low.value() > seconds.high)
      found.push_back(sentence(seconds, counts, roofline.machine, part));
  return found;
}

std::vector<std::string> below_least(const Roofline& roofline, const Counts& counts,
                                     double tolerance) {
  std::vector<std::string> found;
  const auto check = [&](const std::string& quantity, double counted, double least,
                         const Source& source) {
    if (counted >= least * (1 - tolerance)) return;
    found.push_back(fmt::format(
        "{}: {:.6g} were counted ({}, {}), the kernel declares {:.6g} as the least: one of them is "
        "wrong, and so may be the bound",
        quantity, counted, to_text(source.kind), source.text, least));
  };
  const double declared = least_flops(roofline.work);
  if (const auto all = flops(counts)) check("flops", all->high, declared, counts.operations_source);
  for (const auto& [level, least] : roofline.least_traffic())
    if (const auto count = counts.traffic.find(level); count != counts.traffic.end())
      check(level + " bytes", count->second.read.high + count->second.write.high,
            least.total().value(), count->second.source);
  return found;
}

namespace {

/// Code that does one of these times its declaration most likely has a wrong one.
constexpr std::array<double, 2> multiples{2, 4};
/// What code does beside, as the first term of a sum.
constexpr double multiple_tolerance = 0.03;
/// Flops that take less of a call are of addresses and loops.
constexpr double least_share = 0.01;

std::optional<double> multiple(double counted, double declared) {
  for (const double factor : multiples)
    if (std::abs(counted - factor * declared) <= multiple_tolerance * counted) return factor;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> undeclared(const Roofline& roofline, const Estimate& seconds,
                                    const Counts& counts) {
  std::vector<std::string> found;
  const double declared = least_flops(roofline.work);
  const double all = flops(counts).value_or(Estimate{}).value;
  double share = 0;
  for (const CeilingTime& part : roofline.parts(least_counted(counts), {}).times)
    share = std::max(share, part.time.value() / seconds.value);
  if (!(declared > 0) && share > least_share)
    found.push_back(fmt::format(
        "flops: {:.6g} were counted ({}, {}), the kernel declares none: its bound leaves them out",
        all, to_text(counts.operations_source.kind), counts.operations_source.text));
  else if (const auto times = multiple(all, declared); times && declared > 0)
    found.push_back(
        fmt::format("flops: {:.6g} were counted, {} times the {:.6g} that the kernel declares: "
                    "needless ones, or the declaration forgets a factor",
                    all, *times, declared));
  std::optional<double> everywhere;
  std::size_t levels = 0;
  for (const auto& [level, least] : roofline.least_traffic()) {
    const auto count = counts.traffic.find(level);
    if (count == counts.traffic.end() || !(least.total().value() > 0)) continue;
    const auto times =
        multiple(count->second.read.value + count->second.write.value, least.total().value());
    if (!times || (everywhere && *everywhere != *times)) return found;
    everywhere = times;
    ++levels;
  }
  if (levels >= 2)
    found.push_back(fmt::format(
        "bytes: {} times the least were counted at each of {} levels: no cache does that, the "
        "kernel's declaration forgets a factor",
        *everywhere, levels));
  return found;
}

std::vector<std::string> contradictions(const Roofline& roofline, const Estimate& seconds,
                                        const std::vector<Counts>& counted) {
  if (counted.empty()) return {};
  const Counts all = combined(counted);
  std::vector<std::string> found = impossible_counts(all, roofline.machine, seconds);
  const auto add = [&](const std::vector<std::string>& more) {
    found.insert(found.end(), more.begin(), more.end());
  };
  // Nothing follows from invalid figures; one above the roof is said once, with its sources.
  if (std::all_of(found.begin(), found.end(), above_roof)) {
    const auto slow = faster_than_counted(roofline, seconds, all);
    std::erase_if(found, [&](const std::string& roof) { return is_repeated(roof, slow); });
    add(slow);
  }
  add(below_least(roofline, all, count_tolerance));
  add(undeclared(roofline, seconds, all));
  for (std::size_t i = 1; i < counted.size(); ++i)
    add(disagreements(counted[0], counted[i], provider_tolerance));
  return found;
}

namespace {

/// A part of the time worth a word.
constexpr double noticeable_part = 0.2;
constexpr double line_bytes = 64;
/// Instructions in a cycle: below, they wait; above, they themselves take the time. Cores of today
/// issue 4 to 8, none more than 12.
constexpr double waiting = 1.5, crowded = 2.5, impossible = 12;
/// With fewer lines from outside of L1 for each instruction, memory is not what they wait for.
constexpr double few_lines = 0.01;

struct Details {
  const Counts& counts;
  std::optional<double> operator()(const char* name) const {
    const auto found = counts.details.find(name);
    return found == counts.details.end() ? std::nullopt : std::optional(found->second.value);
  }
};

/// Time of one dependent load from a level [s]; nullopt where no such walk was measured.
std::optional<double> latency(const Machine& machine, const std::string& level) {
  std::optional<double> least;
  for (const Ceiling& ceiling : machine.ceilings) {
    if (ceiling.kind != Ceiling::Kind::latency || ceiling.level != level) continue;
    const double one = line_bytes * ceiling.threads / ceiling.rate.value;
    least = std::min(least.value_or(one), one);
  }
  return least;
}

/// Loads that no prefetcher foresees, one after the other on each thread. Of those that jump, at
/// most as many miss a cache as lines come from outside of it; the rest are found inside.
std::optional<Bottleneck> waits(const Details& details, const Machine& machine, double seconds,
                                double threads) {
  const auto jumps = details(scattered_loads);
  if (!jumps) return std::nullopt;
  double left = *jumps, time = 0, loads = 0;
  for (auto level = machine.levels.rbegin(); level + 1 < machine.levels.rend(); ++level) {
    const auto counted = details.counts.traffic.find(level->name);
    const auto each = latency(machine, level->name);
    if (counted == details.counts.traffic.end() || !each) continue;
    const double missed = std::min(left, counted->second.read.value / line_bytes);
    left -= missed;
    loads += missed;
    time += missed * *each;
  }
  if (!(loads > 0)) return std::nullopt;
  return Bottleneck{Bottleneck::Kind::latency, time / threads / seconds, loads, time / loads};
}

/// The lowest and the highest clock seen beside operations [Hz]; 0 where none was.
std::pair<double, double> clocks(const Machine& machine) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Ceiling& ceiling : machine.ceilings)
    if (ceiling.kind == Ceiling::Kind::in_core && ceiling.clock > 0) {
      low = std::min(low, ceiling.clock);
      high = std::max(high, ceiling.clock);
    }
  return {high > 0 ? low : 0, high};
}

/// Lines from outside of L1; nullopt where they were not counted.
std::optional<double> lines_missed(const Counts& counts, const Machine& machine) {
  if (machine.levels.size() < 2) return std::nullopt;
  const auto outside = counts.traffic.find(machine.levels[1].name);
  if (outside == counts.traffic.end()) return std::nullopt;
  return outside->second.read.value / line_bytes;
}

/// By how many instructions pass in a cycle, each time with the clock and the end of the time that
/// speak against it.
std::optional<Bottleneck> pace(double instructions, const Machine& machine, const Estimate& seconds,
                               bool explained) {
  const auto [low, high] = clocks(machine);
  if (!(high > 0) || !(instructions > 0)) return std::nullopt;
  const double least = instructions / (seconds.high * high),
               most = instructions / (seconds.low * low);
  if (most < waiting && !explained) return Bottleneck{Bottleneck::Kind::dependency, 0, most, 0};
  if (least > crowded && least < impossible)
    return Bottleneck{Bottleneck::Kind::instructions, 0, least, 0};
  return std::nullopt;
}

}  // namespace

std::vector<Bottleneck> bottlenecks(const Counts& counts, const Machine& machine,
                                    const Estimate& seconds) {
  std::vector<Bottleneck> all;
  const Details details{counts};
  const double threads = details(counted_threads).value_or(0);
  if (machine.is_gpu() || !(seconds.value > 0) || threads < 1) return all;
  const double slowest = seconds.high / seconds.value;
  const auto add = [&](const std::optional<Bottleneck>& found) {
    if (found && found->part >= noticeable_part * slowest) all.push_back(*found);
  };
  const auto regions = details(parallel_regions), empty = details(empty_region);
  if (regions && empty)
    add(Bottleneck{Bottleneck::Kind::regions, *regions * *empty / seconds.value, *regions, *empty});
  const auto instructions = details(instructions_detail), busiest = details(busiest_thread);
  if (instructions && busiest && *busiest > 0) {
    const double over = *busiest * threads / *instructions;
    if (1 - 1 / over >= noticeable_part)
      all.push_back({Bottleneck::Kind::imbalance, 1 - 1 / over, over, 0});
  }
  add(waits(details, machine, seconds.value, threads));
  std::ranges::stable_sort(all, std::greater(), &Bottleneck::part);
  const auto missed = lines_missed(counts, machine);
  const bool explained = !missed || *missed > few_lines * instructions.value_or(0) ||
                         std::ranges::any_of(all, [](const auto& one) {
                           return one.kind != Bottleneck::Kind::imbalance;
                         });
  const double on_busiest = busiest.value_or(instructions.value_or(0) / threads);
  if (const auto found = pace(on_busiest, machine, seconds, explained)) all.push_back(*found);
  return all;
}

}  // namespace rooftune::roofline
