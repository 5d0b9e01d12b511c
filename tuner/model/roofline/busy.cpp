#include "roofline/busy.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "roofline/rates.h"

namespace rooftune::roofline {
namespace {

using Ceilings = std::vector<const Ceiling*>;
using Kinds = std::map<std::string, double>;

constexpr double line_bytes = 64;

double detail(const Counts& counts, const std::string& name) {
  const auto found = counts.details.find(name);
  return found == counts.details.end() ? 0 : found->second.value;
}

/// Time of some work at its ceiling [s]; `slowest` with the ceiling's low rate, `fastest` with its
/// high one.
struct Spent {
  double time = 0, fastest = 0, slowest = 0;
  const Ceiling* ceiling = nullptr;  ///< of the longest part
  double longest = 0;

  void add(const Spent& more) {
    if (more.longest > longest) {
      ceiling = more.ceiling;
      longest = more.longest;
    }
    time += more.time;
    fastest += more.fastest;
    slowest += more.slowest;
  }
};

/// The rates of one moment.
class Rates {
 public:
  Rates(const Machine& machine, int threads, const std::map<std::string, double>& beside)
      : machine_(machine), threads_(threads), beside_(beside) {}

  Spent spent(double amount, const Ceiling& ceiling, double per_nominal = 1) const {
    const double now = factor(ceiling) * per_nominal;
    const bool paired = beside_.contains(ceiling.name);
    const auto at = [&](double rate) { return amount / (rate * now); };
    return {at(ceiling.rate.value), at(paired ? ceiling.rate.value : ceiling.rate.high),
            at(paired ? ceiling.rate.value : ceiling.rate.low), &ceiling, at(ceiling.rate.value)};
  }

  /// Of a level, for so many bytes of which a share is read; nothing without a measured stream.
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

  /// Of one precision; scalar: one lane in each instruction.
  Ceilings in_core(const std::string& precision, bool scalar) const {
    Ceilings all = with_threads(in_core_ceilings(machine_, precision, threads_), threads_);
    const auto has_lanes = [](const Ceiling* ceiling) { return ceiling->simd_bits > scalar_bits; };
    if (scalar && !std::ranges::all_of(all, has_lanes)) std::erase_if(all, has_lanes);
    return all;
  }

  static constexpr int scalar_bits = 64;

 private:
  /// Rate beside over the rate in the machine.
  double factor(const Ceiling& ceiling) const {
    if (const auto own = beside_.find(ceiling.name); own != beside_.end()) return own->second;
    double same_threads = 0, count = 0, any = 0, all = 0;
    for (const auto& [name, ratio] : beside_) {
      const Ceiling* other = ceiling_named(machine_.ceilings, name);
      if (!other || other->kind != ceiling.kind || other->level != ceiling.level ||
          other->precision != ceiling.precision)
        continue;
      any += ratio;
      ++all;
      if (other->threads != ceiling.threads) continue;
      same_threads += ratio;
      ++count;
    }
    return count > 0 ? same_threads / count : all > 0 ? any / all : 1;
  }

  const Machine& machine_;
  int threads_;
  const std::map<std::string, double>& beside_;
};

/// The demonstrated time of counted operations of one precision: each addition beside a product or
/// a multiply-add, as long as there are both, by the micro-kernel of that pair.
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

  /// At the rate of its own mix, or of any where that has none.
  Spent alone(const char* mix, double flops) const {
    if (!(flops > 0)) return {};
    const Ceiling* own = of_mix(mix);
    if (!own) own = fastest(ceilings_);
    return own ? rates_.spent(flops, *own) : Spent{};
  }

  bool rated(const char* mix) const { return of_mix(mix) != nullptr; }

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

double amount_of(const Kinds& kinds, const char* kind) {
  const auto found = kinds.find(kind);
  return found == kinds.end() ? 0 : found->second;
}

/// Everything that a call keeps busy.
class Parts {
 public:
  Parts(const Counts& counts, const Roofline& roofline, const Estimate& seconds, int threads,
        const std::map<std::string, double>& beside)
      : counts_(counts),
        roofline_(roofline),
        machine_(roofline.machine),
        seconds_(seconds),
        rates_(machine_, threads, beside) {}

  void add_levels(Limit& found) const {
    const double stored = detail(counts_, stored_bytes);
    const bool streamed = stored > 0 && detail(counts_, streamed_bytes) > stored / 2;
    for (const MemoryLevel& level : machine_.levels) {
      const auto counted = counts_.traffic.find(level.name);
      if (counted == counts_.traffic.end()) continue;
      const double read = counted->second.read.value, all = read + counted->second.write.value;
      if (!(all > 0)) continue;
      const bool outermost = &level == &machine_.levels.back();
      if (const auto spent = rates_.moved(level.name, all, read / all, streamed))
        add(found, outermost ? "memory" : level.name, *spent, all, "B", counted->second.source);
      else
        found.unrated.push_back(level.name + " traffic");
    }
  }

  void add_arithmetic(Limit& found) const {
    Spent sums, quotients;
    double flops = 0, divided = 0;
    const bool known = counts_.details.contains(vector_share);
    const double vectors = known ? detail(counts_, vector_share) : 1;
    for (const auto& [counted, operations] : counts_.operations) {
      Kinds kinds;
      for (const auto& [kind, count] : operations) kinds[kind] = count.value;
      const std::string precision = counted == Counts::unknown_precision ? declared() : counted;
      for (const bool scalar : {true, false}) {
        const double part = scalar ? 1 - vectors : vectors;
        const Ceilings ceilings = rates_.in_core(precision, scalar);
        if (!(part > 0)) continue;
        const Arithmetic unit(rates_, ceilings);
        const double fma = part * amount_of(kinds, "fma"), div = part * amount_of(kinds, "div"),
                     sqrt = part * amount_of(kinds, "sqrt"), mul = part * amount_of(kinds, "mul");
        double others = 0;  // minima, estimates and what was counted without kinds
        for (const auto& [kind, count] : kinds)
          if (kind == "flop" || kind == "minmax" || kind == "other") others += part * count;
        const double add = part * amount_of(kinds, "add");
        const double done = 2 * fma + add + mul + others;
        if (ceilings.empty()) {
          if (done + div + sqrt > 0) unrated(found, counted + " operations");
          continue;
        }
        flops += done;
        sums.add(unit.adds_and_products(fma, add, mul));
        sums.add(unit.alone("", others));
        for (const auto& [kind, count] : {std::pair("div", div), {"sqrt", sqrt}}) {
          if (!unit.rated(kind)) {
            if (count > 0) unrated(found, counted + " " + kind);
            continue;
          }
          divided += count;
          quotients.add(unit.alone(kind, count));
        }
      }
    }
    add(found, "arithmetic", sums, flops, "flop", counts_.operations_source);
    add(found, "divider", quotients, divided, "operation", counts_.operations_source);
  }

  void add_integers(Limit& found) const {
    Spent spent;
    double all = 0;
    for (const auto& [name, count] : counts_.details) {
      const auto kind = integer_kind(name);
      if (!kind) continue;
      const auto& [precision, mix, vector] = *kind;
      const Arithmetic unit(rates_, rates_.in_core(precision, !vector));
      if (!unit.rated(mix.c_str())) {
        if (count.value > 0) unrated(found, "integer operations");
        continue;
      }
      all += count.value;
      spent.add(unit.alone(mix.c_str(), count.value));
    }
    add(found, "integers", spent, all, "operation", counts_.operations_source);
  }

  void add_issue(Limit& found) const {
    const double all = detail(counts_, instructions_detail);
    if (const Ceiling* width = fastest(rates_.in_core("instructions", true)); width && all > 0)
      add(found, "instructions", rates_.spent(all, *width), all, "instruction",
          counts_.operations_source);
  }

  void add_launch(Limit& found) const {
    if (const Ceiling* launch = machine_.is_gpu() ? machine_.fastest_launch() : nullptr)
      add(found, "launch", rates_.spent(1, *launch), 1, "launch", launch->source);
  }

 private:
  static void unrated(Limit& found, const std::string& what) {
    if (std::ranges::find(found.unrated, what) == found.unrated.end())
      found.unrated.push_back(what);
  }

  void add(Limit& found, const std::string& part, const Spent& spent, double amount,
           const char* unit, const Source& source) const {
    if (!(spent.time > 0)) return;
    found.parts.push_back(
        {part,
         {spent.time / seconds_.value, spent.fastest / seconds_.high, spent.slowest / seconds_.low},
         amount,
         unit,
         amount / spent.time,
         spent.ceiling->name,
         source});
  }

  /// The precision of flops that were counted without one.
  std::string declared() const {
    const auto most = std::ranges::max_element(roofline_.work.least, {},
                                               [](const auto& one) { return one.second.value(); });
    return most == roofline_.work.least.end() ? "fp64" : most->first;
  }

  const Counts& counts_;
  const Roofline& roofline_;
  const Machine& machine_;
  const Estimate& seconds_;
  Rates rates_;
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

/// Time of one operation that needs the result of the one before [s]; 0 where no chain was
/// measured.
double latency(const Machine& machine, const std::string& precision, const std::string& mix) {
  double least = 0;
  for (const Ceiling& ceiling : machine.ceilings) {
    if (ceiling.kind != Ceiling::Kind::in_core || ceiling.precision != precision ||
        ceiling.mix != mix || ceiling.ilp != 1)
      continue;
    const double lanes = ceiling.simd_bits > 64
                             ? static_cast<double>(ceiling.simd_bits) / element_bits(precision)
                             : 1;
    const double one = lanes * (mix == "fma" ? 2 : 1) * ceiling.threads / ceiling.rate.value;
    least = least > 0 ? std::min(least, one) : one;
  }
  return least;
}

/// Of those loads as many come from a level as lines were read there, the outermost first. What
/// the outermost cache holds of them is uncertain, since others share it: at most all lines that
/// passed it come from memory.
double load_chain(const Counts& counts, const Machine& machine) {
  double left = detail(counts, dependent_loads_detail), time = 0, outside = 0;
  for (auto level = machine.levels.rbegin(); level != machine.levels.rend() && left > 0; ++level) {
    const auto counted = counts.traffic.find(level->name);
    const auto each = latency(machine, level->name);
    if (counted == counts.traffic.end() || !each) continue;
    outside = counted->second.read.value / line_bytes;
    const bool memory = level == machine.levels.rbegin(),
               innermost = level + 1 == machine.levels.rend();
    if (memory && level + 2 < machine.levels.rend())
      if (const auto inner = counts.traffic.find((level + 1)->name); inner != counts.traffic.end())
        outside = std::max(outside, inner->second.read.value / line_bytes);
    const double here = innermost ? left : std::min(left, outside);
    left -= here;
    time += here * *each;
  }
  return time;
}

/// The chains of operations in loops, all threads' one after the other [s], and how many there are.
std::pair<double, double> operation_chain(const Counts& counts, const Machine& machine) {
  double time = 0, all = 0;
  for (const auto& [name, count] : counts.details) {
    if (!name.starts_with(dependent_prefix) || name == dependent_loads_detail) continue;
    const std::string what = name.substr(std::string_view(dependent_prefix).size());
    const std::size_t space = what.find(' ');
    if (space == std::string::npos) continue;
    const double each = latency(machine, what.substr(0, space), what.substr(space + 1));
    if (each > 0) all += count.value;
    time += count.value * each;
  }
  return {time, all};
}

/// The longest wait; none below a fifth of the time.
std::optional<Cause> longest_wait(const Counts& counts, const Roofline& roofline,
                                  const Estimate& seconds, double left) {
  using Wait = Cause::Kind;
  constexpr double noticeable = 0.2;
  const Machine& machine = roofline.machine;
  std::optional<Cause> longest;
  const auto consider = [&](Wait kind, double share, double amount, double each) {
    // What overlaps with the busiest part costs nothing.
    const double alone = std::min(share, left);
    if (alone * seconds.value / seconds.high < noticeable) return;
    if (!longest || share > longest->share) longest = Cause{kind, share, amount, each};
  };
  const double threads = std::max(1.0, detail(counts, counted_threads));
  const double all = detail(counts, instructions_detail);
  const double over = all > 0 ? std::max(1.0, detail(counts, busiest_thread) * threads / all) : 1;
  consider(Wait::imbalance, 1 - 1 / over, over, 0);
  const double regions = detail(counts, parallel_regions), empty = detail(counts, empty_region);
  consider(Wait::regions, regions * empty / seconds.value, regions, empty);
  const double loads = detail(counts, dependent_loads_detail), walked = load_chain(counts, machine);
  const auto [computed, operations] = operation_chain(counts, machine);
  const double chain = (walked + computed) * over / threads / seconds.value;
  if (walked > computed)
    consider(Wait::dependent_loads, chain, loads, walked / loads);
  else if (operations > 0)
    consider(Wait::dependent_operations, chain, operations, computed / operations);
  if (longest) longest->share = std::min(longest->share, left);
  return longest;
}

}  // namespace

Limit limit(const Counts& counts, const Roofline& roofline, const Estimate& seconds,
            const std::map<std::string, double>& rates_beside) {
  Limit found;
  if (!(seconds.value > 0)) return found;
  const auto counted = static_cast<int>(detail(counts, counted_threads));
  const Parts parts(counts, roofline, seconds, counted > 0 ? counted : roofline.threads,
                    rates_beside);
  parts.add_levels(found);
  parts.add_arithmetic(found);
  parts.add_integers(found);
  parts.add_issue(found);
  parts.add_launch(found);
  std::ranges::stable_sort(found.parts, std::greater(),
                           [](const BusyPart& part) { return part.share.value; });
  if (roofline.machine.is_gpu() || found.at_limit()) return found;
  const double busiest = found.parts.empty() ? 0 : found.parts.front().share.value;
  found.cause = longest_wait(counts, roofline, seconds, 1 - busiest);
  return found;
}

namespace {

/// "memory traffic", "L2 traffic": levels are numbered, memory is not.
std::string traffic_of(const std::string& level) {
  const bool cache = level.size() == 2 && level[0] == 'L';
  return (cache ? level : "memory") + " traffic";
}

/// Relative change, alike for both directions; of nothing as of a hundredth.
double change(const Amount& amount) {
  const double most = std::max(amount.before, amount.after);
  const double floor = most / 100;
  return std::abs(std::log(std::max(amount.before, floor) / std::max(amount.after, floor)));
}

}  // namespace

std::vector<Amount> amounts(const Counts& before, const Counts& after, double seconds_before,
                            double seconds_after) {
  std::vector<Amount> first, last;
  const auto add = [](std::vector<Amount>& all, std::string what, std::string unit, double a,
                      double b) {
    constexpr double told = 0.03;
    Amount amount{std::move(what), std::move(unit), a, b};
    if (std::max(a, b) > 0 && change(amount) > std::log1p(told)) all.push_back(std::move(amount));
  };
  const auto details = [&](std::vector<Amount>& all, const char* name, const char* what,
                           const char* unit, double scale = 1) {
    if (before.details.contains(name) || after.details.contains(name))
      add(all, what, unit, scale * detail(before, name), scale * detail(after, name));
  };
  for (const auto& [level, count] : before.traffic) {
    const auto other = after.traffic.find(level);
    if (other == after.traffic.end()) continue;
    const double a = count.read.value + count.write.value,
                 b = other->second.read.value + other->second.write.value;
    add(level == "L1" ? last : first, traffic_of(level), "B", a, b);
    if (traffic_of(level).starts_with("memory") && seconds_before > 0 && seconds_after > 0)
      add(last, "memory", "B/s", a / seconds_before, b / seconds_after);
  }
  const auto kind = [](const Counts& counts, std::initializer_list<const char*> kinds) {
    double sum = 0;
    for (const auto& [precision, operations] : counts.operations)
      for (const char* one : kinds)
        if (const auto found = operations.find(one); found != operations.end())
          sum += found->second.value;
    return sum;
  };
  if (const auto a = flops(before), b = flops(after); a && b) {
    add(first, "arithmetic", "flop", a->value, b->value);
    add(first, "divisions and roots", "operation", kind(before, {"div", "sqrt"}),
        kind(after, {"div", "sqrt"}));
  }
  details(first, vector_share, "operations in vectors", "%", 100);
  details(first, streamed_bytes, "streamed stores", "B");
  details(first, counted_threads, "threads", "thread");
  details(first, parallel_regions, "parallel regions", "region");
  details(first, dependent_loads_detail, "dependent loads", "load");
  details(last, instructions_detail, "instructions", "instruction");
  std::ranges::stable_sort(first, std::greater(), change);
  std::ranges::stable_sort(last, std::greater(), change);
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

namespace {

double share_of(const Limit& limit, const std::string& part) {
  const auto found = std::ranges::find(limit.parts, part, &BusyPart::part);
  return found == limit.parts.end() ? 0 : found->share.value;
}

/// The part of the machine that an amount keeps busy; empty: none alone.
std::string part_of(const Amount& amount) {
  constexpr const char* traffic = " traffic";
  const std::size_t end = amount.what.find(traffic);
  if (end != std::string::npos) return amount.what.substr(0, end);
  if (amount.what == "arithmetic" || amount.what == "operations in vectors") return "arithmetic";
  if (amount.what == "divisions and roots") return "divider";
  return amount.what == "instructions" ? "instructions" : "";
}

}  // namespace

void order_by_relief(std::vector<Amount>& amounts, const Limit& before, double seconds_before,
                     const Limit& after, double seconds_after) {
  const double gained = seconds_before - seconds_after;
  const auto found = std::ranges::find(amounts, "arithmetic", &Amount::what);
  // As a logarithm, how much less arithmetic there is; the rest of its relief is of vectors.
  const double less =
      found == amounts.end() || !(found->after > 0) ? 0 : std::log(found->before / found->after);
  const auto relief = [&](const Amount& amount) {
    if (amount.what == "threads") return seconds_before;
    if (amount.what == "memory") {
      const double busy = share_of(after, "memory");
      return busy > 0.4 ? gained * busy : 0;
    }
    const std::string part = part_of(amount);
    const double was = share_of(before, part) * seconds_before,
                 is = share_of(after, part) * seconds_after;
    if (part.empty() || !(was > is) || !(is > 0)) return 0.0;
    if (part != "arithmetic") return was - is;
    const double own = std::clamp(less / std::log(was / is), 0.0, 1.0);
    return (was - is) * (amount.what == "arithmetic" ? own : 1 - own);
  };
  std::vector<std::pair<double, Amount>> ordered;
  for (Amount& amount : amounts) ordered.emplace_back(relief(amount), std::move(amount));
  std::ranges::stable_sort(ordered, std::greater(), &std::pair<double, Amount>::first);
  amounts.clear();
  for (auto& [time, amount] : ordered) amounts.push_back(std::move(amount));
}

}  // namespace rooftune::roofline
