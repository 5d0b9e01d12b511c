#include "probe/plateau.h"

#include <bit>
#include <cmath>
#include <set>

#include "core/list.h"
#include "core/units.h"

namespace rooftune::probe {
namespace {

constexpr double flat = 0.05;      // spread within a plateau
constexpr double distinct = 1.25;  // least ratio between neighbouring levels
constexpr double capacity_drop = 0.10;
constexpr size_t least_points = 3;
constexpr double least_extent = 1.5;  // largest over smallest size

/// How steeply the rate falls between two points, log over log: 0 flat, 1 rate halves when size
/// doubles.
double slope(const SweepPoint& from, const SweepPoint& to) {
  const double steps = std::log(to.bytes / from.bytes);
  return steps > 0 ? std::max(0.0, std::log(from.rate / to.rate) / steps) : 0;
}

SweepPoints envelope(SweepPoints sweep) {
  for (size_t i = sweep.size(); i-- > 1;)
    sweep[i - 1].rate = std::max(sweep[i - 1].rate, sweep[i].rate);
  return sweep;
}

/// A uniform slope has runs within 5 %, too; but a plateau ends (or begins) much more steeply than
/// it runs.
bool stands_out(const SweepPoints& points, size_t first, size_t last) {
  constexpr size_t reach = 3;
  constexpr double nearly_flat = 0.02;
  const double inside = slope(points[first], points[last]);
  const bool leaves = last + 1 < points.size();
  const size_t beside = leaves ? std::min(points.size() - 1, last + reach) : first;
  const double outside = leaves ? slope(points[last], points[beside])
                                : slope(points[first > reach ? first - reach : 0], points[first]);
  if (!leaves && first == 0) return true;
  return inside <= std::max(nearly_flat, 0.4 * outside) && outside > nearly_flat;
}

bool partly_served(double first, double last, const ReportedCaches& reported) {
  return any_of(reported, [&](const ReportedCache& cache) {
    const auto size = double(cache.bytes);
    return first >= 0.9 * size && last < 2 * size;
  });
}

size_t run_end(const SweepPoints& points, size_t first) {
  size_t last = first;
  while (last + 1 < points.size() && points[last + 1].rate >= (1 - flat) * points[first].rate)
    ++last;
  return last;
}

/// A reported cache for each plateau, in order, so that sizes fit best (least sum of |log2 ratio|).
Indices best_fit(const Plateaus& caches, const ReportedCaches& reported) {
  Indices best;
  double least = HUGE_VAL;
  for (unsigned subset = 0; subset < 1U << reported.size(); ++subset) {
    if (size_t(std::popcount(subset)) != caches.size()) continue;
    Indices chosen;
    double cost = 0;
    for (const size_t i : indices(reported)) {
      if ((subset >> i & 1) == 0) continue;
      const double size = std::max<double>(1, double(reported[i].bytes));
      cost += std::abs(std::log2(caches[chosen.size()].capacity / size));
      chosen.push_back(i);
    }
    if (cost >= least) continue;
    least = cost;
    best = chosen;
  }
  return best;
}

MemoryLevel level_of(const Plateau& plateau, const ReportedCache& cache) {
  return {cache.name, plateau.capacity, double(cache.bytes), cache.instances, cache.ways};
}

/// The first size beyond `capacity` with the next level's rate; 0 for none.
double end_of(double capacity, double next_rate, const SweepPoints& points) {
  constexpr double same = 1.10;
  for (const SweepPoint& point : points)
    if (point.bytes > capacity && point.rate <= same * next_rate) return point.bytes;
  return 0;
}

void limit_levels(Levels& result, const SweepPoints& points) {
  // With neighbours in a shared cache, the rate falls earlier to the next level's.
  constexpr double well = 2;
  for (size_t i = 0; i + 1 < result.levels.size(); ++i) {
    MemoryLevel& level = result.levels[i];
    const double end = end_of(*level.capacity, result.evidence[i + 1].rate, points);
    const bool use_reported = level.reported && (end <= 0 || *level.reported <= well * end);
    if (use_reported)
      level.at_most = std::max(*level.reported, *level.capacity);
    else if (end > 0)
      level.at_most = end;
  }
}

/// Adds reported caches that show no plateau, if sizes beyond the inner caches are faster than the
/// next level: neighbours may take so much from a cache that its rate falls with every size.
void add_sloping(Levels& result, const SweepPoints& points, const ReportedCaches& reported) {
  constexpr double clear = 3;  // times the cache further in
  for (size_t r = 1; r < reported.size(); ++r) {
    const auto inner = named(result.levels, reported[r - 1].name);
    if (named(result.levels, reported[r].name) != result.levels.end() ||
        inner == result.levels.end())
      continue;
    const auto place = inner - result.levels.begin() + 1;
    const double inside = std::max(*inner->capacity, double(reported[r - 1].bytes));
    const double next = result.evidence[place].rate;
    Plateau slope;
    for (const SweepPoint& point : points) {
      if (point.bytes < clear * inside) continue;
      if (point.bytes > double(reported[r].bytes) || point.rate < distinct * next) break;
      if (slope.points == 0) slope = {point.bytes, point.bytes, point.bytes, point.rate, 0};
      ++slope.points;
      if (point.rate >= (1 - flat) * slope.rate) slope.last = point.bytes;
      if (point.rate >= (1 - capacity_drop) * slope.rate) slope.capacity = point.bytes;
    }
    if (slope.points == 0) continue;
    result.levels.insert(result.levels.begin() + place, level_of(slope, reported[r]));
    result.evidence.insert(result.evidence.begin() + place, slope);
    result.notes.push_back(reported[r].name + ": no plateau, but sizes that only it can hold are " +
                           "faster than the next level");
  }
}

/// If there are more plateaus than reported caches, a short one is a kink in a slope; a long one is
/// real.
void drop_kinks(Plateaus& caches, size_t reported, Texts& notes) {
  constexpr double long_extent = 4;  // the size doubles twice
  const auto extent = [](const Plateau& plateau) { return plateau.last / plateau.first; };
  while (reported > 0 && caches.size() > reported) {
    const auto shortest = min_element(caches, {}, extent);
    if (extent(*shortest) >= long_extent) return;
    notes.push_back("a short plateau of " + to_text(ByteRate(shortest->rate)) + " from " +
                    to_text(Bytes(shortest->first)) + " to " + to_text(Bytes(shortest->last)) +
                    " was left out: no cache is reported for it");
    caches.erase(shortest);
  }
}

}  // namespace

Plateaus plateaus(const SweepPoints& sweep, const ReportedCaches& reported) {
  const SweepPoints points = envelope(sweep);
  Plateaus found;
  for (size_t first = 0; first < points.size();) {
    const size_t last = run_end(points, first);
    const auto count = last - first + 1;
    const double extent = points[last].bytes / points[first].bytes;
    if (count < least_points || extent < least_extent || !stands_out(points, first, last)) {
      ++first;
      continue;
    }
    if (last + 1 < points.size() &&
        partly_served(points[first].bytes, points[last].bytes, reported)) {
      first = last + 1;
      continue;
    }
    const double rate = points[first].rate;
    if (found.empty() || rate * distinct <= found.back().rate)
      found.push_back({points[first].bytes, points[last].bytes, 0, rate, int(count)});
    first = last + 1;
  }
  for (Plateau& plateau : found)
    for (const SweepPoint& point : points)
      if (point.rate >= (1 - capacity_drop) * plateau.rate) plateau.capacity = point.bytes;
  return found;
}

Levels memory_levels(const SweepPoints& sweep, const ReportedCaches& reported) {
  Levels result;
  if (sweep.empty()) return result;
  Plateaus found = plateaus(sweep, reported);
  const SweepPoint& outermost = sweep.back();
  if (found.empty() || outermost.rate * distinct <= found.back().rate) {
    result.notes.push_back("the sweep shows no flat end: memory has the rate of its largest size");
    found.push_back({outermost.bytes, outermost.bytes, outermost.bytes, outermost.rate, 1});
  }
  Plateau& memory = found.back();  // slower sizes further out are the same memory
  memory.last = outermost.bytes;
  memory.points =
      int(count_if(sweep, [&](const auto& point) { return point.bytes >= memory.first; }));
  Plateaus caches(found.begin(), found.end() - 1);
  drop_kinks(caches, reported.size(), result.notes);
  const Indices fit = best_fit(caches, reported);
  for (const size_t i : indices(caches)) {
    if (caches.size() <= reported.size())
      result.levels.push_back(level_of(caches[i], reported[fit[i]]));
    else
      result.levels.push_back({"L" + std::to_string(i + 1), caches[i].capacity, std::nullopt, 1});
  }
  result.levels.push_back({"DRAM", std::nullopt, std::nullopt, 1});
  result.evidence = caches;
  result.evidence.push_back(found.back());
  const SweepPoints points = envelope(sweep);
  if (caches.size() < reported.size()) add_sloping(result, points, reported);
  limit_levels(result, points);
  for (const ReportedCache& cache : reported)
    if (named(result.levels, cache.name) == result.levels.end())
      result.notes.push_back(cache.name + ": reported with " + to_text(Bytes(double(cache.bytes))) +
                             ", but no plateau of the sweep shows it");
  if (!reported.empty() && outermost.bytes < 2 * double(reported.back().bytes))
    result.notes.push_back("the sweep ends at " + to_text(Bytes(outermost.bytes)) +
                           ", within twice the reported " + reported.back().name +
                           ": what is called DRAM may hold cache hits where the report is true");
  return result;
}

bool caches_apart(double one, double all, int threads, double next) {
  constexpr double clearly = 1.5, nearly = 0.75;
  return one >= clearly * next && all >= nearly * threads * one;
}

Numbers sweep_sizes(const ReportedCaches& reported, double largest, double granule) {
  constexpr double step = 1.25;
  const double smallest = std::max(8.0 * 1024, granule);
  std::set<double> sizes;
  const auto add = [&](double size) {
    if (size >= smallest && size <= largest) sizes.insert(std::floor(size / granule) * granule);
  };
  for (double size = smallest; size < largest; size *= step) add(size);
  add(largest);
  for (const ReportedCache& cache : reported)
    for (const double part : {0.25, 1.0 / 3, 0.5, 2.0 / 3, 1.0}) add(part * double(cache.bytes));
  return {sizes.begin(), sizes.end()};
}

}  // namespace rooftune::probe
