#include "roofline/busy.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/list.h"
#include "roofline/rates.h"

namespace rooftune::roofline {
namespace {

/// An integer kind with a smaller share of all instructions takes no time to speak of.
constexpr double negligible = 1e-3;

/// How long some work takes at its ceiling [s]; `slowest` at the ceiling's low rate, `fastest` at
/// its high one.
struct Spent {
  double time = 0, fastest = 0, slowest = 0;
  const Ceiling* ceiling = nullptr;  ///< the longest part's
  double longest = 0;

  void add(const Spent& more) {
    if (more.longest > longest) ceiling = more.ceiling, longest = more.longest;
    time += more.time;
    fastest += more.fastest;
    slowest += more.slowest;
  }
};

/// The rates at one moment.
class Rates {
 public:
  /// With the threads that the counted call used, or the roofline's.
  Rates(const Counts& counts, const Roofline& roofline, const NamedNumbers& beside)
      : machine_(roofline.machine),
        threads_(int(detail_of(counts, counted_threads))),
        beside_(beside) {
    if (threads_ <= 0) threads_ = roofline.threads;
  }

  Spent spent(double amount, const Ceiling& ceiling, double per_nominal = 1) const {
    const double now = factor(ceiling) * per_nominal;
    const bool paired = beside_.contains(ceiling.name);
    const auto at = [&](double rate) { return amount / (rate * now); };
    const auto& [value, low, high] = ceiling.rate;
    return {at(value), at(paired ? value : high), at(paired ? value : low), &ceiling, at(value)};
  }

  /// How long a level takes to move bytes with this share of reads; nothing without a measured
  /// stream.
  std::optional<Spent> moved(const std::string& level, double bytes, double reads,
                             bool streamed) const {
    const bool innermost = machine_.levels.empty() || machine_.levels.front().name == level;
    std::optional<Spent> best;
    double nearest = 2;
    for (const Ceiling* ceiling :
         with_threads(streams(bandwidth_ceilings(machine_, level, threads_), true), threads_)) {
      if (ceiling->non_temporal && !streamed) continue;
      const bool allocates = !machine_.is_gpu() && !innermost && !ceiling->non_temporal &&
                             !ceiling->is_update() && !ceiling->of_any_mix();
      const double all = allocates ? 2 - ceiling->reads : 1;  // a store reads its line first
      const double share = allocates ? 1 / all : ceiling->reads;
      const double distance =
          ceiling->of_any_mix() ? 0 : std::round(100 * std::abs(share - reads)) / 100;
      const Spent one = spent(bytes, *ceiling, all);
      if (distance > nearest || (distance == nearest && best->time <= one.time)) continue;
      best = one;
      nearest = distance;
    }
    return best;
  }

  /// One precision's ceilings; scalar: one lane in each instruction.
  Ceilings in_core(const std::string& precision, bool scalar) const {
    Ceilings all = with_threads(in_core_ceilings(machine_, precision, threads_), threads_);
    const auto has_lanes = [](const Ceiling* ceiling) { return ceiling->simd_bits > scalar_bits; };
    if (scalar && !all_of(all, has_lanes)) std::erase_if(all, has_lanes);
    return all;
  }

  /// The rate beside the race over the machine's: the ceiling's own, or the mean over its like.
  double factor(const Ceiling& ceiling) const {
    if (auto* own = value_at(beside_, ceiling.name)) return *own;
    double sum = 0, count = 0;
    for (const auto& [name, ratio] : beside_) {
      const Ceiling* other = ceiling_named(machine_.ceilings, name);
      if (!other || other->kind != ceiling.kind || other->level != ceiling.level ||
          other->precision != ceiling.precision || other->threads != ceiling.threads)
        continue;
      sum += ratio;
      ++count;
    }
    return count > 0 ? sum / count : 1;
  }

  static constexpr int scalar_bits = 64;

 private:
  const Machine& machine_;
  int threads_;
  const NamedNumbers& beside_;
};

/// How long counted operations in one precision take as demonstrated: while there are both, each
/// addition goes beside a product or a multiply-add, at the rate of that pair's micro-kernel.
class Arithmetic {
 public:
  Arithmetic(const Rates& rates, Ceilings ceilings)
      : rates_(rates), ceilings_(std::move(ceilings)) {}

  Spent adds_and_products(double fma, double add, double mul) const {
    Spent all;
    const auto pair = [&](const char* mix, double& one, double flops_each) {
      const Ceiling* together = of_mix(mix);
      const double both = std::min(one, add);
      if (!together || !(both > 0)) return;
      all.add(rates_.spent(both * (flops_each + 1), *together));
      one -= both;
      add -= both;
    };
    pair("fma_add", fma, 2);
    pair("add_mul", mul, 1);
    all.add(alone("fma", 2 * fma));
    all.add(alone("mul", mul));
    all.add(alone("add", add));
    return all;
  }

  /// At its own mix's rate, or at the fastest where that mix was not measured.
  Spent alone(const std::string& mix, double flops) const {
    if (!(flops > 0)) return {};
    const Ceiling* own = of_mix(mix);
    if (!own) own = fastest(ceilings_);
    return own ? rates_.spent(flops, *own) : Spent{};
  }

  bool rated(const std::string& mix) const { return of_mix(mix) != nullptr; }
  bool rated() const { return !ceilings_.empty(); }

 private:
  const Ceiling* of_mix(const std::string& mix) const {
    const Ceiling* best = nullptr;
    for (const Ceiling* ceiling : ceilings_)
      if (ceiling->mix == mix && (!best || ceiling->rate.value > best->rate.value)) best = ceiling;
    return best;
  }

  const Rates& rates_;
  Ceilings ceilings_;
};

/// An amount and the time it takes.
struct Done {
  Spent spent;
  double amount = 0;
  void add(const Spent& more, double of) {
    spent.add(more);
    amount += of;
  }
};

/// Everything that a call keeps busy.
class Parts {
 public:
  Parts(const Counts& counts, const Roofline& roofline, const Estimate& seconds,
        const NamedNumbers& beside)
      : counts_(counts),
        roofline_(roofline),
        machine_(roofline.machine),
        seconds_(seconds),
        rates_(counts, roofline, beside) {}

  void add_levels(Limit& found) const {
    const double stored = detail_of(counts_, stored_bytes);
    const bool streamed = stored > 0 && detail_of(counts_, streamed_bytes) > stored / 2;
    for (const MemoryLevel& level : machine_.levels) {
      auto* counted = value_at(counts_.traffic, level.name);
      if (!counted) continue;
      const double read = counted->read.value, all = counted->total().value;
      if (!(all > 0)) continue;
      const bool outermost = &level == &machine_.levels.back();
      if (const auto spent = rates_.moved(level.name, all, read / all, streamed))
        add(found, outermost ? "memory" : level.name, {*spent, all}, "B", counted->source);
      else
        found.unrated.push_back(level.name + " traffic");
    }
  }

  void add_arithmetic(Limit& found) const {
    Done sums, quotients;
    const bool known = counts_.details.contains(vector_share);
    const double vectors = known ? detail_of(counts_, vector_share) : 1;
    for (const auto& [precision, operations] : counts_.operations)
      for (const auto& [scalar, share] : {std::pair(true, 1 - vectors), {false, vectors}})
        if (share > 0) add_operations(found, precision, operations, scalar, share, sums, quotients);
    add(found, "arithmetic", sums, "flop", counts_.operations_source);
    add(found, "divider", quotients, "division", counts_.operations_source);
  }

  void add_integers(Limit& found) const {
    Done done;
    for (const auto& [name, count] : counts_.details) {
      const auto kind = integer_kind(name);
      if (!kind) continue;
      const Arithmetic unit(rates_, rates_.in_core(kind->precision, !kind->vector));
      if (unit.rated(kind->mix))
        done.add(unit.alone(kind->mix, count.value), count.value);
      else if (count.value > negligible * detail_of(counts_, instructions_detail))
        unrated(found, "some integer operations");
    }
    add(found, "integers", done, "operation", counts_.operations_source);
  }

  void add_issue(Limit& found) const {
    const double all = detail_of(counts_, instructions_detail);
    if (const Ceiling* width = fastest(rates_.in_core(Ceiling::issue, true)); width && all > 0)
      add(found, "instructions", {rates_.spent(all, *width), all}, "instruction",
          counts_.operations_source);
  }

  void add_launch(Limit& found) const {
    if (const Ceiling* launch = machine_.is_gpu() ? machine_.fastest_launch() : nullptr)
      add(found, "launch", {rates_.spent(1, *launch), 1}, "launch", launch->source);
  }

 private:
  static void unrated(Limit& found, const std::string& what) { add_once(found.unrated, what); }

  /// Adds a share of one precision's operations.
  void add_operations(Limit& found, const std::string& counted,
                      const Counts::Operations& operations, bool scalar, double share, Done& sums,
                      Done& quotients) const {
    const Arithmetic unit(
        rates_,
        rates_.in_core(counted == Counts::unknown_precision ? declared() : counted, scalar));
    const auto of = [&](const char* kind) {
      const Estimate* const one = value_at(operations, kind);
      return one ? share * one->value : 0;
    };
    if (!unit.rated()) return unrated(found, counted + " operations");
    const double fma = of("fma"), adds = of("add"), mul = of("mul");
    sums.add(unit.adds_and_products(fma, adds, mul), 2 * fma + adds + mul);
    // Minima, estimates, and operations counted without kinds.
    for (const char* kind : {"flop", "minmax", "other"})
      sums.add(unit.alone("", of(kind)), of(kind));
    for (const char* kind : {"div", "sqrt"})
      if (unit.rated(kind))
        quotients.add(unit.alone(kind, of(kind)), of(kind));
      else if (of(kind) > 0)
        unrated(found, counted + " " + kind);
  }

  void add(Limit& found, const std::string& part, const Done& done, const char* unit,
           const Source& source) const {
    const Spent& spent = done.spent;
    if (!(spent.time > 0)) return;
    found.parts.push_back(
        {part,
         {spent.time / seconds_.value, spent.fastest / seconds_.high, spent.slowest / seconds_.low},
         done.amount,
         unit,
         done.amount / spent.time,
         spent.ceiling->name,
         source,
         rates_.factor(*spent.ceiling)});
  }

  /// The precision to take for flops that were counted without one.
  std::string declared() const {
    std::pair<std::string, Flops> most{"fp64", 0};
    for (const auto& one : roofline_.work.least)
      if (!is_of_integers(one.first) && one.second > most.second) most = one;
    return most.first;
  }

  const Counts& counts_;
  const Roofline& roofline_;
  const Machine& machine_;
  const Estimate& seconds_;
  Rates rates_;
};

}  // namespace

Texts memory_ceilings(const Roofline& roofline) {
  Texts names;
  if (roofline.machine.levels.empty()) return names;
  const NamedNumbers none;
  const Rates rates({}, roofline, none);
  const std::string& memory = roofline.machine.levels.back().name;
  const double read = roofline.traffic.read.value(), written = roofline.traffic.write.value();
  const double allocated = roofline.traffic.in_place() ? 0 : written;
  for (const bool streamed : {true, false}) {
    const double reads = streamed ? read : read + allocated, all = reads + written;
    if (!(all > 0)) continue;
    if (const auto spent = rates.moved(memory, all, reads / all, streamed))
      add_once(names, spent->ceiling->name);
  }
  return names;
}

Limit limit(const Counts& counts, const Roofline& roofline, const Estimate& seconds,
            const NamedNumbers& rates_beside) {
  Limit found;
  if (!(seconds.value > 0)) return found;
  const Parts parts(counts, roofline, seconds, rates_beside);
  parts.add_levels(found);
  parts.add_arithmetic(found);
  parts.add_integers(found);
  parts.add_issue(found);
  parts.add_launch(found);
  stable_sort(found.parts, std::greater(), [](const BusyPart& part) { return part.share.value; });
  if (roofline.machine.is_gpu() || found.at_limit()) return found;
  const double busiest = found.parts.empty() ? 0 : found.parts.front().share.value;
  found.cause = longest_wait(counts, roofline.machine, seconds, 1 - busiest);
  return found;
}

}  // namespace rooftune::roofline
