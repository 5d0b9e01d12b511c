#include "report/roofline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>

#include "core/list.h"
#include "core/units.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/staircase.h"

namespace rooftune::report {
namespace {

std::string hover(const Ceiling& ceiling) {
  std::string text =
      fmt::format("{}\n{}\n{}", ceiling.name, rate_interval(ceiling.rate, rate_unit(ceiling)),
                  source_text(ceiling.source));
  if (!ceiling.requirements.empty()) text += "\nneeds " + joined(words(ceiling.requirements), " ");
  if (ceiling.clock > 0) text += "\nat " + to_text(Hertz(ceiling.clock));
  return text;
}

RooflineLine line_of(const Ceiling& ceiling) {
  RooflineLine line;
  line.name = ceiling.name;
  line.diagonal = ceiling.kind == Ceiling::Kind::bandwidth;
  line.family = line.diagonal ? ceiling.level : ceiling.precision;
  line.words = ceiling.mix.empty() ? ceiling.name : line.family + " " + ceiling.mix;
  line.rate = ceiling.rate.value;
  line.rate_label = rate_text(ceiling.rate.value, rate_unit(ceiling));
  line.hover = hover(ceiling);
  line.requirements = ceiling.requirements;
  return line;
}

/// Fastest first. In a family, the first line with certain paradigms is typical: it stands for all
/// that have them.
void sort_lines(RooflineLines& lines) {
  stable_sort(lines, std::greater(), &RooflineLine::rate);
  std::set<std::pair<std::string, Paradigms>> seen;
  for (RooflineLine& line : lines)
    line.typical = seen.emplace(line.family, line.requirements).second;
}

/// `parts`: the ceilings that the bound used; where it used none from a family, the fastest is the
/// roof. Roofs first, level lines before slanted ones.
void mark_roofs(RooflineLines& lines, const std::vector<CeilingTime>& parts) {
  TextSet settled;
  for (RooflineLine& line : lines) {
    line.roof = contains(parts, line.name, &CeilingTime::ceiling);
    if (line.roof) settled.insert(line.family);
  }
  for (RooflineLine& line : lines)
    if (!line.roof) line.roof = settled.insert(line.family).second;
  stable_sort(lines, {},
              [](const RooflineLine& line) { return std::pair(!line.roof, line.diagonal); });
}

/// The words that a staircase's table uses.
std::string words_of(const RooflineLine& line, const Paradigms& lacks) {
  return short_name(
      {.kind = line.diagonal ? LedgerEntry::Kind::bandwidth : LedgerEntry::Kind::in_core,
       .level = line.family,
       .lacks = line.roof ? Paradigms{} : lacks});
}

/// Names each line by the paradigms that it lacks and its family's roof has.
void name_lines(RooflineLines& lines) {
  for (RooflineLine& line : lines) {
    Paradigms all;
    for (const RooflineLine& other : lines)
      if (other.family == line.family && other.roof)
        all.insert(other.requirements.begin(), other.requirements.end());
    Paradigms lacks;
    std::set_difference(all.begin(), all.end(), line.requirements.begin(), line.requirements.end(),
                        std::inserter(lacks, lacks.end()));
    // Divisions and square roots are their own arithmetic: they lack nothing.
    const bool own_kind = line.words.ends_with(" div") || line.words.ends_with(" sqrt");
    if (line.roof || (!lacks.empty() && !own_kind)) line.words = words_of(line, lacks);
    if (line.words != line.name) line.hover = line.words + "\n" + line.hover;
  }
}

/// The rates of slanted or of level lines, each once; `roofs`: only the roofs' rates.
std::set<double> rates(const RooflineLines& lines, bool diagonal, bool roofs = false) {
  std::set<double> all;
  for (const RooflineLine& line : lines)
    if (line.diagonal == diagonal && (!roofs || line.roof)) all.insert(line.rate);
  return all;
}

/// Whether a ceiling is drawn. Strides count whole lines, and the innermost cache moves none.
bool is_drawn(const Ceiling& ceiling, const Machine& machine) {
  constexpr double word = 8;
  const bool innermost = !machine.levels.empty() && ceiling.level == machine.levels.front().name;
  return ceiling.kind != Ceiling::Kind::latency && ceiling.kind != Ceiling::Kind::launch &&
         ceiling.rate.value > 0 && !(innermost && ceiling.stride > word);
}

/// Counted bytes at a level; 0: not counted.
double counted_bytes(const std::optional<Counts>& counts, const std::string& level) {
  if (!counts || !counts->traffic.contains(level)) return 0;
  const auto& count = counts->traffic.at(level);
  return count.total().value;
}

/// Places a stair without counts in the middle between its nearest neighbours with counts.
void place_uncounted(std::vector<RooflinePoint>& stairs, double least) {
  for (const size_t i : indices(stairs)) {
    if (stairs[i].counted) continue;
    double logs = 0;
    int found = 0;
    const auto look = [&](auto from, auto to) {
      const auto next = find_if(from, to, &RooflinePoint::counted);
      if (next != to) logs += std::log(next->x), ++found;
    };
    look(stairs.begin() + ptrdiff_t(i), stairs.end());
    look(std::make_reverse_iterator(stairs.begin() + ptrdiff_t(i)), stairs.rend());
    stairs[i].x = found > 0 ? std::exp(logs / found) : least;
  }
}

void span_machine(RooflineView& view) {
  const auto peaks = rates(view.lines, false), memory = rates(view.lines, true),
             roofs = rates(view.lines, true, true);
  const double top = !peaks.empty() ? *peaks.rbegin() : !memory.empty() ? *memory.rbegin() : 1;
  view.y_high = top * 1.8;
  view.y_low = peaks.empty() ? view.y_high / 1e3 : std::min(*peaks.begin() / 3, view.y_high / 500);
  view.x_low = memory.empty() ? 0.01 : view.y_low / *memory.rbegin() * 1.2;
  view.x_high = roofs.empty() ? 100 : view.y_high / *roofs.begin() * 4;
  // Otherwise slow ceilings would leave less than a decade of each roof in the picture.
  view.x_low = std::min(view.x_low, view.x_high / 1e3);
}

/// Makes a study's view.
struct StudyView {
  const StudyResult& result;
  Performance performance = rooftune::performance(result.roofline.work);
  RooflineView view = {};

  /// In-core ceilings bound the kernel's own speed: least work over rate is a time, nominal work
  /// over this time is where the line lies. That is the rate itself where least and nominal work
  /// agree. A ceiling that the bound uses for only some operations lies where the bound has it.
  /// False: the problem has no work in this precision.
  bool lay_on_axis(RooflineLine& line, const Ceiling& ceiling) const {
    const auto work = result.roofline.work.least.find(ceiling.precision);
    if (work == result.roofline.work.least.end() || !(work->second.value() > 0)) return false;
    double limited = work->second.value();
    for (const CeilingTime& part : result.bound.parts)
      if (part.ceiling == ceiling.name && part.time.value() * line.rate < 0.99 * limited)
        limited = part.time.value() * line.rate;
    const double scale = performance.amount / limited;
    line.rate *= scale;
    if (std::abs(scale - 1) <= 1e-9) return true;
    line.rate_label = rate_text(line.rate, performance.unit) + " nominal";
    line.hover +=
        fmt::format("\ndrawn at {}: the axis counts nominal work, {:.3g} times {}",
                    rate_text(line.rate, performance.unit), scale,
                    limited < work->second.value() ? "what this ceiling limits" : "the least");
    return true;
  }

  /// The ceilings that the staircase names: those that a step broke, and the next ahead.
  std::vector<std::pair<std::string, const LedgerEntry*>> spoken_entries() const {
    std::vector<std::pair<std::string, const LedgerEntry*>> spoken;
    const auto add = [&](const LedgerEntry& entry) {
      if (entry.kind == LedgerEntry::Kind::wall || entry.kind == LedgerEntry::Kind::launch) return;
      const std::string words = short_name(entry);
      auto* const same = first_with(spoken, &decltype(spoken)::value_type::first, words);
      if (!same)
        spoken.emplace_back(words, &entry);
      else if (entry.time.value() < same->second->time.value())
        same->second = &entry;
    };
    if (!result.staircase) return spoken;
    for (const Stair& stair : result.staircase->stairs)
      for (const LedgerEntry& entry : stair.passed) add(entry);
    const LedgerEntry* next = nullptr;
    for (const LedgerEntry& entry : result.ledger)
      if (result.best && !entry.passed_by && entry.time.value() < result.best->seconds.value &&
          (!next || entry.time.value() > next->time.value()))
        next = &entry;
    if (next) add(*next);
    return spoken;
  }

  /// Gives each line the staircase's words where the staircase names it; a roof gets its own.
  void speak(RooflineLines& lines) const {
    for (RooflineLine& line : lines)
      if (line.roof) line.words = words_of(line, {});
    for (const auto& [words, entry] : spoken_entries())
      if (auto* const line = first_with(lines, &RooflineLine::name, entry->ceiling)) {
        line->broken = entry->passed_by.has_value() || entry->broken_by.has_value();
        line->words = words;
      }
  }

  RooflineLines lines() const {
    RooflineLines lines;
    for (const Ceiling& ceiling : result.roofline.machine.ceilings) {
      if (!is_drawn(ceiling, result.roofline.machine) || ceiling.threads > result.roofline.threads)
        continue;
      RooflineLine line = line_of(ceiling);
      if (line.diagonal ? ceiling.level != view.level : !lay_on_axis(line, ceiling)) continue;
      line.binding = ceiling.name == result.bound.ceiling;
      line.words.clear();
      lines.push_back(std::move(line));
    }
    sort_lines(lines);
    mark_roofs(lines, result.bound.parts);
    speak(lines);
    std::erase_if(lines, [](const RooflineLine& line) { return line.words.empty(); });
    for (RooflineLine& line : lines) line.hover = line.words + "\n" + line.hover;
    return lines;
  }

  RooflinePoint point(double x, const Estimate& seconds, std::string label) const {
    return {x, performance.rate(seconds.value), performance.rate(seconds.high),
            performance.rate(seconds.low), std::move(label)};
  }

  void add_walls(double least) {
    for (const Wall& wall : result.roofline.traffic.walls) {
      if (!wall.level.empty() && wall.level != view.level) continue;
      // The caches save as much for a variant in front of the wall.
      const double bytes =
          result.roofline.least_traffic(view.level, wall.read, wall.write).total().value();
      // A wall that adds no traffic to the least is no wall for this problem.
      if (bytes > least * (1 + 1e-9))
        view.walls.push_back({performance.amount / bytes, 0, 0, 0, wall.name});
    }
    sort(view.walls, std::greater(), &RooflinePoint::x);
  }

  void add_stairs() {
    const Stairs stairs = stairs_of(result);
    for (const size_t i : indices(stairs)) {
      if (!stairs[i].seconds) continue;
      const double bytes = counted_bytes(stairs[i].counts, view.level);
      RooflinePoint& stair =
          view.stairs.emplace_back(point(bytes > 0 ? performance.amount / bytes : 0,
                                         *stairs[i].seconds, stair_name(result, stairs[i])));
      if (result.staircase) stair.stair = i;
      stair.counted = bytes > 0;
    }
    place_uncounted(view.stairs, *view.x);
  }

  void add_points() {
    const double least = view.level.empty() ? 0 : least_bytes(result, view.level);
    // Without traffic no byte rate matters; the points then stand where the axis is centred.
    view.x = least > 0 ? performance.amount / least : 1;
    if (least > 0) add_walls(least);
    const Bound& b = result.bound;
    if (b.time.value() > 0)
      view.bound = point(*view.x, {b.time.value(), b.low.value(), b.high.value()}, "bound");
    add_stairs();
  }

  /// Lets the axes span every mark, and the roofs from where they meet.
  void span() {
    Numbers xs{*view.x}, ys;
    if (view.bound) append(ys, {view.bound->y, view.bound->low, view.bound->high});
    for (const RooflinePoint& stair : view.stairs) {
      xs.push_back(stair.x);
      append(ys, {stair.y, stair.low, stair.high});
    }
    if (ys.empty()) ys.push_back(1);
    append(xs, members(view.walls, &RooflinePoint::x));
    view.x_low = std::ranges::min(xs) / 2.5;
    view.y_low = std::ranges::min(ys) / 2.5;
    const auto peaks = rates(view.lines, false), memory = rates(view.lines, true);
    if (!peaks.empty()) ys.push_back(*peaks.rbegin());
    if (!peaks.empty() && !memory.empty()) xs.push_back(*peaks.rbegin() / *memory.rbegin());
    if (peaks.empty() && !memory.empty()) ys.push_back(*memory.rbegin() * *view.x);
    view.x_high = std::ranges::max(xs) * 2.5;
    view.y_high = std::ranges::max(ys) * 1.8;
  }

  RooflineView run() {
    view.unit = performance.unit;
    view.level = charted_level(result);
    view.lines = lines();
    add_points();
    span();
    return std::move(view);
  }
};

}  // namespace

LineSpan line_span(const RooflineLine& line, const RooflineView& view) {
  if (line.diagonal) {
    const auto peaks = rates(view.lines, false);
    const double top = peaks.empty() ? view.y_high : std::min(*peaks.rbegin(), view.y_high);
    const double x1 = std::max(view.x_low, view.y_low / line.rate);
    const double x2 = std::min(view.x_high, top / line.rate);
    return {x1, x1 * line.rate, x2, x2 * line.rate};
  }
  if (line.rate < view.y_low || line.rate > view.y_high) return {1, line.rate, 0, line.rate};
  const auto memory = rates(view.lines, true);
  const double x1 =
      memory.empty() ? view.x_low : std::max(view.x_low, line.rate / *memory.rbegin());
  return {x1, line.rate, view.x_high, line.rate};
}

RooflineView roofline_view(const StudyResult& result) { return StudyView{result}.run(); }

RooflineView machine_view(const Machine& machine) {
  RooflineView view;
  for (const Ceiling& ceiling : machine.ceilings)
    if (is_drawn(ceiling, machine)) view.lines.push_back(line_of(ceiling));
  sort_lines(view.lines);
  mark_roofs(view.lines, {});
  name_lines(view.lines);
  span_machine(view);
  return view;
}

}  // namespace rooftune::report
