#include "roofline/amounts.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace rooftune::roofline {
namespace {

/// "memory traffic", "L2 traffic": levels are numbered, memory is not.
std::string traffic_of(const std::string& level) {
  const bool cache = level.size() == 2 && level[0] == 'L';
  return (cache ? level : "memory") + " traffic";
}

constexpr std::string_view registers = "L1";

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
      add(all, what, unit, scale * detail_of(before, name), scale * detail_of(after, name));
  };
  for (const auto& [level, count] : before.traffic) {
    const auto other = after.traffic.find(level);
    if (other == after.traffic.end()) continue;
    const double a = count.read.value + count.write.value,
                 b = other->second.read.value + other->second.write.value;
    add(level == registers ? last : first, traffic_of(level), "B", a, b);
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

}  // namespace rooftune::roofline
