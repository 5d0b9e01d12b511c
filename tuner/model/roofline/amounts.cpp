#include "roofline/amounts.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/list.h"

namespace rooftune::roofline {
namespace {

/// "memory", "L2": levels are numbered, memory is not.
std::string part_of(const std::string& level) {
  const bool cache = level.size() == 2 && level[0] == 'L';
  return cache ? level : "memory";
}

constexpr std::string_view registers = "L1";

/// Relative change, alike for both directions; zero counts as a hundredth of the larger amount.
double change(const Amount& amount) {
  const double most = std::max(amount.before, amount.after);
  const double floor = most / 100;
  return std::abs(std::log(std::max(amount.before, floor) / std::max(amount.after, floor)));
}

double share_of(const Limit& limit, const std::string& part) {
  const auto* const found = first_with(limit.parts, &BusyPart::part, part);
  return found ? found->share.value : 0;
}

}  // namespace

Amounts amounts(const Counts& before, const Counts& after, double seconds_before,
                double seconds_after) {
  Amounts first, last;
  using Kind = Amount::Kind;
  const auto add = [](Amounts& all, std::string what, std::string unit, const Estimate& a,
                      const Estimate& b, Kind kind = Kind::other, std::string part = {}) {
    constexpr double told = 0.03;
    Amount amount{std::move(what), std::move(unit), a.value, b.value, kind, std::move(part)};
    if (!a.overlaps(b) && change(amount) > std::log1p(told)) all.push_back(std::move(amount));
  };
  const auto details = [&](Amounts& all, const char* name, const char* what, const char* unit,
                           double scale = 1, Kind kind = Kind::other, const char* part = "") {
    const auto *a = value_at(before.details, name), *b = value_at(after.details, name);
    if (a || b)
      add(all, what, unit, (a ? *a : Estimate()) * scale, (b ? *b : Estimate()) * scale, kind,
          part);
  };
  for (const auto& [level, count] : before.traffic) {
    auto* other = value_at(after.traffic, level);
    if (!other) continue;
    const Estimate a = count.total(), b = other->total();
    const bool memory = part_of(level) != level;
    add(level == registers ? last : first, part_of(level) + " traffic", "B", a, b,
        memory ? Kind::memory_traffic : Kind::traffic, part_of(level));
    constexpr double same = 1.02;
    if (memory && seconds_before > 0 && seconds_after > 0)
      add(last,
          std::max(a.value, b.value) < same * std::min(a.value, b.value) ? "same bytes," : "memory",
          "B/s", Estimate::exact(a.value / seconds_before),
          Estimate::exact(b.value / seconds_after), Kind::memory_rate, "memory");
  }
  // Divisions and roots are told apart from the rest.
  static const TextSet slow{"div", "sqrt"};
  const auto operations = [&](const Counts& counts, bool quotients) {
    Estimate sum;
    for (const auto& [precision, kinds] : counts.operations)
      for (const auto& [kind, count] : kinds)
        if (slow.contains(kind) == quotients) sum += count * (kind == Counts::fma ? 2 : 1);
    return sum;
  };
  if (!before.operations.empty() && !after.operations.empty()) {
    add(first, "arithmetic", "flop", operations(before, false), operations(after, false),
        Kind::arithmetic, "arithmetic");
    add(first, "divisions and roots", "operation", operations(before, true),
        operations(after, true), Kind::divisions, "divider");
  }
  details(first, vector_share, "operations in vectors", "%", 100, Kind::vectors, "arithmetic");
  details(first, streamed_bytes, "streamed stores", "B");
  details(first, counted_threads, "threads", "thread", 1, Kind::threads);
  // Unknown where only part of the call was traced.
  if (before.details.contains(parallel_regions) && after.details.contains(parallel_regions))
    details(first, parallel_regions, "parallel regions", "region");
  details(first, dependent_loads_detail, "dependent loads", "load");
  details(last, instructions_detail, "instructions", "instruction", 1, Kind::instructions,
          "instructions");
  stable_sort(first, std::greater(), change);
  stable_sort(last, std::greater(), change);
  append(first, last);
  return first;
}

void order_by_relief(Amounts& amounts, const Limit& before, double seconds_before,
                     const Limit& after, double seconds_after) {
  using Kind = Amount::Kind;
  // As a logarithm, how much less there is.
  const auto less = [&](Kind kind) {
    const auto* const found = first_with(amounts, &Amount::kind, kind);
    return found && found->after > 0 ? std::log(found->before / found->after) : 0;
  };
  const double fewer_operations = less(Kind::arithmetic);
  // How long the part alone would take beyond the new time, and how much less it takes in all.
  struct Relief {
    double needed = 0, all = 0;
    auto operator<=>(const Relief&) const = default;
  };
  const auto relief = [&](const Amount& amount) -> Relief {
    if (amount.kind == Kind::threads) return {seconds_before, seconds_before};
    const double busy_before = share_of(before, amount.part),
                 busy_after = share_of(after, amount.part);
    constexpr double busy = 0.4, half = 0.5;
    const bool rate = amount.kind == Kind::memory_rate;
    const double was = busy_before * seconds_before, is = busy_after * seconds_after;
    if (rate || (amount.kind == Kind::memory_traffic && std::max(busy_before, busy_after) > busy)) {
      // Fewer bytes at the new rate, or the same at the old one.
      const double ratio = rate ? amount.after / amount.before : amount.before / amount.after;
      const double saved = (ratio - 1) * seconds_after;
      const bool busiest = !after.parts.empty() && after.parts.front().part == amount.part;
      if (!(saved > 0) || (rate && (!busiest || busy_after <= half || busy_before < busy)))
        return {};
      return {saved, rate ? saved : was - is};
    }
    if (amount.part.empty() || !(was > is) || !(is > 0)) return {};
    const Relief whole{std::max(0.0, was - seconds_after), was - is};
    const bool arithmetic = amount.kind == Kind::arithmetic;
    if (!arithmetic && amount.kind != Kind::vectors) return whole;
    // Vectors explain the part of arithmetic's relief that fewer operations do not.
    const double fewer = std::clamp(fewer_operations / std::log(was / is), 0.0, 1.0);
    const double own = arithmetic ? fewer : 1 - fewer;
    return {own * whole.needed, own * whole.all};
  };
  std::vector<std::pair<Relief, Amount>> ordered;
  double explained = 0;
  for (Amount& amount : amounts) {
    const Relief time = relief(amount);
    // A part that was idle half of the time may have hidden behind the others what it now does
    // less; a part that hardly worked did hide it.
    constexpr double hidden = 0.49, hardly = 0.1;
    const double busy = amount.part.empty() ? 1 : share_of(before, amount.part);
    if (seconds_before > seconds_after && busy >= hardly)
      amount.explains = std::clamp(time.all / (seconds_before - seconds_after), 0.0,
                                   busy <= hidden ? hidden : 1.0);
    if (amount.kind != Kind::memory_rate) explained = std::max(explained, amount.explains);
    ordered.emplace_back(time, std::move(amount));
  }
  constexpr double enough = 0.3;
  for (auto& [time, amount] : ordered)
    if (amount.kind == Kind::memory_rate && explained > enough) time.needed = 0;
  stable_sort(ordered, std::greater(), &std::pair<Relief, Amount>::first);
  amounts.clear();
  for (auto& [time, amount] : ordered) amounts.push_back(std::move(amount));
}

}  // namespace rooftune::roofline
