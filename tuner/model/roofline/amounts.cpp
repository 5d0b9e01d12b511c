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

/// Relative change, alike for both directions; of nothing as of a hundredth.
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

std::vector<Amount> amounts(const Counts& before, const Counts& after, double seconds_before,
                            double seconds_after) {
  std::vector<Amount> first, last;
  using Kind = Amount::Kind;
  const auto add = [](std::vector<Amount>& all, std::string what, std::string unit, double a,
                      double b, Kind kind = Kind::other, std::string part = {}) {
    constexpr double told = 0.03;
    Amount amount{std::move(what), std::move(unit), a, b, kind, std::move(part)};
    if (std::max(a, b) > 0 && change(amount) > std::log1p(told)) all.push_back(std::move(amount));
  };
  const auto details = [&](std::vector<Amount>& all, const char* name, const char* what,
                           const char* unit, double scale = 1, Kind kind = Kind::other,
                           const char* part = "") {
    if (before.details.contains(name) || after.details.contains(name))
      add(all, what, unit, scale * detail_of(before, name), scale * detail_of(after, name), kind,
          part);
  };
  for (const auto& [level, count] : before.traffic) {
    auto* other = value_at(after.traffic, level);
    if (!other) continue;
    const double a = count.read.value + count.write.value,
                 b = other->read.value + other->write.value;
    const bool memory = part_of(level) != level;
    add(level == registers ? last : first, part_of(level) + " traffic", "B", a, b,
        memory ? Kind::memory_traffic : Kind::traffic, part_of(level));
    if (memory && seconds_before > 0 && seconds_after > 0)
      add(last, "memory", "B/s", a / seconds_before, b / seconds_after, Kind::memory_rate,
          "memory");
  }
  const auto kind = [](const Counts& counts, std::initializer_list<const char*> kinds) {
    double sum = 0;
    for (const auto& [precision, operations] : counts.operations)
      for (const char* one : kinds)
        if (auto* found = value_at(operations, one)) sum += found->value;
    return sum;
  };
  if (const auto a = flops(before), b = flops(after); a && b) {
    add(first, "arithmetic", "flop", a->value, b->value, Kind::arithmetic, "arithmetic");
    add(first, "divisions and roots", "operation", kind(before, {"div", "sqrt"}),
        kind(after, {"div", "sqrt"}), Kind::divisions, "divider");
  }
  details(first, vector_share, "operations in vectors", "%", 100, Kind::vectors, "arithmetic");
  details(first, streamed_bytes, "streamed stores", "B");
  details(first, counted_threads, "threads", "thread", 1, Kind::threads);
  // Unknown where a part of the call was traced.
  if (before.details.contains(parallel_regions) && after.details.contains(parallel_regions))
    details(first, parallel_regions, "parallel regions", "region");
  details(first, dependent_loads_detail, "dependent loads", "load");
  details(last, instructions_detail, "instructions", "instruction", 1, Kind::instructions,
          "instructions");
  std::ranges::stable_sort(first, std::greater(), change);
  std::ranges::stable_sort(last, std::greater(), change);
  append(first, last);
  return first;
}

void order_by_relief(std::vector<Amount>& amounts, const Limit& before, double seconds_before,
                     const Limit& after, double seconds_after) {
  const auto* const found = first_with(amounts, &Amount::kind, Amount::Kind::arithmetic);
  // As a logarithm, how much less arithmetic there is; the rest of its relief is of vectors.
  const double less = found && found->after > 0 ? std::log(found->before / found->after) : 0;
  // What the part alone would take beyond the new time, and all that it takes less.
  struct Relief {
    double needed = 0, all = 0;
    auto operator<=>(const Relief&) const = default;
  };
  const auto relief = [&](const Amount& amount) -> Relief {
    if (amount.kind == Amount::Kind::threads) return {seconds_before, seconds_before};
    const double busy_before = share_of(before, amount.part),
                 busy_after = share_of(after, amount.part);
    constexpr double busy = 0.4;
    const bool rate = amount.kind == Amount::Kind::memory_rate;
    const bool traffic = amount.kind == Amount::Kind::memory_traffic;
    if (rate || (traffic && std::max(busy_before, busy_after) > busy)) {
      // Fewer bytes at the new rate, or the same at the old one.
      const double ratio = rate ? amount.after / amount.before : amount.before / amount.after;
      const double gained = (ratio - 1) * seconds_after;
      return gained > 0 && (traffic || busy_after > busy) ? Relief{gained, gained} : Relief{};
    }
    const double was = busy_before * seconds_before, is = busy_after * seconds_after;
    if (amount.part.empty() || !(was > is) || !(is > 0)) return {};
    const Relief whole{std::max(0.0, was - seconds_after), was - is};
    const bool arithmetic = amount.kind == Amount::Kind::arithmetic;
    if (!arithmetic && amount.kind != Amount::Kind::vectors) return whole;
    const double fewer = std::clamp(less / std::log(was / is), 0.0, 1.0);
    const double own = arithmetic ? fewer : 1 - fewer;
    return {own * whole.needed, own * whole.all};
  };
  std::vector<std::pair<Relief, Amount>> ordered;
  for (Amount& amount : amounts) ordered.emplace_back(relief(amount), std::move(amount));
  std::ranges::stable_sort(ordered, std::greater(), &std::pair<Relief, Amount>::first);
  amounts.clear();
  for (auto& [time, amount] : ordered) amounts.push_back(std::move(amount));
}

}  // namespace rooftune::roofline
