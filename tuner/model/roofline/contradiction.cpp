#include "roofline/contradiction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/list.h"
#include "core/text.h"
#include "core/units.h"
#include "roofline/counts.h"
#include "roofline/roofline.h"

namespace rooftune::roofline {
namespace {

/// Declared and counted figures closer than this are called equal.
constexpr double count_tolerance = 0.02;
/// Two providers count the same call differently by a few percent (prologues, spills).
constexpr double provider_tolerance = 0.05;

/// The least work within the counts' intervals. Flops without a known precision belong to no single
/// ceiling and are left out.
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

std::string likely_wrong(const Counts& counts, const CeilingTime& part) {
  const std::string slow = "that ceiling was measured too slow (tune probe --full)";
  const LevelCount* const traffic = value_at(counts.traffic, part.level);
  if (!traffic)
    return counts.operations_source.kind == Source::Kind::instrumented
               ? fmt::format("probably {}: the operations were counted one by one", slow)
               : "the events may count operations that were masked, or " + slow;
  if (traffic->source.kind == Source::Kind::counted)
    return "the counters may have seen traffic of others on this socket, or " + slow;
  return "the caches may keep more than their model, or " + slow;
}

std::string sentence(const Estimate& seconds, const Counts& counts, const CeilingTime& part) {
  const LevelCount* const moved = value_at(counts.traffic, part.level);
  const Source& source = moved ? moved->source : counts.operations_source;
  const double amount = moved ? moved->total().value : flops(counts, part.level).value;
  const std::string quantity = moved ? part.level + " traffic of " + decimal_text(Bytes(amount))
                                     : fmt::format("{:.6g} {} flops", amount, part.level);
  return fmt::format("a call took {} [{}, {}], but its {} ({}) takes at least {} at \"{}\": {}",
                     to_text(Seconds(seconds.value)), to_text(Seconds(seconds.low)),
                     to_text(Seconds(seconds.high)), quantity, to_text(source.kind),
                     to_text(part.low), part.ceiling, likely_wrong(counts, part));
}

bool above_roof(const std::string& flag) { return contains(flag, " above the roof: "); }

/// Whether any of `flags` names the level or precision that `flag` starts with.
bool is_repeated(const std::string& flag, const Texts& flags) {
  const std::string name = " " + text_before(flag, ' ') + " ";
  return any_of(flags, [&](const std::string& other) { return contains(other, name); });
}

/// Code that does so many times its declared work most likely has a wrong declaration.
constexpr std::array<double, 2> multiples{2, 4};
/// How far other work may shift the multiple, as the first term of a sum does.
constexpr double multiple_tolerance = 0.03;
/// Flops that take a smaller share of a call belong to addresses and loops.
constexpr double least_share = 0.01;

std::optional<double> multiple(double counted, double declared) {
  for (const double factor : multiples)
    if (std::abs(counted - factor * declared) <= multiple_tolerance * counted) return factor;
  return std::nullopt;
}

/// Work that the declaration leaves out, or states too low by a factor; empty: neither.
std::string undeclared(const Roofline& roofline, const Estimate& seconds, const Counts& counts) {
  const double declared = least_flops(roofline.work);
  const double all = flops(counts).value_or(Estimate{}).value;
  const std::string did = fmt::format("flops: the baseline did {} ({})", decimal_text(all, "flop"),
                                      to_text(counts.operations_source.kind));
  if (declared > 0) {
    const auto times = multiple(all, declared);
    return !times ? ""
                  : fmt::format(
                        "{}, {} times the {} that the kernel declares: needless ones, or "
                        "the declaration forgets a factor",
                        did, *times, decimal_text(declared, "flop"));
  }
  double share = 0;
  for (const CeilingTime& part : roofline.parts(least_counted(counts), {}).times)
    share = std::max(share, part.time.value() / seconds.value);
  return share > least_share ? did + ", the kernel declares none: its bound leaves them out" : "";
}

}  // namespace

Texts faster_than_counted(const Roofline& roofline, const Estimate& seconds, const Counts& counts) {
  Texts found;
  for (const CeilingTime& part : roofline.parts(least_counted(counts), least_moved(counts)).times)
    if (part.low.value() > seconds.high) found.push_back(sentence(seconds, counts, part));
  return found;
}

Texts below_least(const Roofline& roofline, const Counts& counts, double tolerance) {
  Texts found;
  const auto check = [&](const std::string& quantity, double counted, double least,
                         const Source& source) {
    if (counted >= least * (1 - tolerance)) return;
    found.push_back(
        fmt::format("{}: {:.6g} were counted ({}), the kernel declares {:.6g} as the least: one of "
                    "them is wrong, "
                    "and so may be the bound",
                    quantity, counted, to_text(source.kind), least));
  };
  const double declared = least_flops(roofline.work);
  if (const auto all = flops(counts)) check("flops", all->high, declared, counts.operations_source);
  for (const auto& [level, least] : roofline.least_traffic())
    if (auto* count = value_at(counts.traffic, level))
      check(level + " bytes", count->read.high + count->write.high, least.total().value(),
            count->source);
  return found;
}

Texts forgotten(const Roofline& roofline, const Estimate& seconds, const Counts& counts) {
  // Borders, tables and points left out explain less than an array as large as all others.
  constexpr double beside = 1.9;
  const Traffic& traffic = roofline.traffic;
  // A baseline in a wasteful format stands behind a declared wall.
  Bytes most_read = traffic.read, most_written = traffic.write;
  for (const Wall& wall : traffic.walls) {
    if (wall.lacks == Paradigm::write_allocate) continue;
    most_read = std::max(most_read, wall.read);
    most_written = std::max(most_written, wall.write);
  }
  Texts found;
  if (!roofline.work.partial)
    if (const std::string flop = undeclared(roofline, seconds, counts); !flop.empty())
      found.push_back(flop);
  const auto check = [&](const char* name, const char* verb, const Bytes& declared) {
    auto* counted = value_at(counts.details, name);
    if (!counted || counted->value <= beside * declared.value()) return;
    found.push_back(
        fmt::format("bytes: the baseline {} {}, each once ({}), the kernel declares {}: its "
                    "declaration forgets "
                    "an array or a factor, and its bound is too low",
                    verb, to_text(Bytes(counted->value)), to_text(counts.access_source.kind),
                    declared.value() > 0 ? to_text(declared) : std::string("none")));
  };
  check(bytes_read_first, "reads", most_read);
  check(bytes_left_written, "writes", most_written);
  return found;
}

Texts contradictions(const Roofline& roofline, const Estimate& seconds, const CountsList& counted) {
  if (counted.empty()) return {};
  const Counts all = combined(counted);
  Texts found = impossible_counts(all, roofline.machine, seconds);
  const auto add = [&](const Texts& more) { append(found, more); };
  // Nothing follows from invalid figures; a figure above the roof is told once, with its sources.
  if (all_of(found, above_roof)) {
    const auto slow = faster_than_counted(roofline, seconds, all);
    std::erase_if(found, [&](const std::string& roof) { return is_repeated(roof, slow); });
    add(slow);
  }
  add(below_least(roofline, all, count_tolerance));
  for (size_t i = 1; i < counted.size(); ++i)
    add(disagreements(counted[0], counted[i], provider_tolerance));
  return found;
}

}  // namespace rooftune::roofline
