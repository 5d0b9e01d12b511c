#include "report/roofline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>

#include "core/units.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "roofline/rates.h"

namespace rooftune::report {
namespace {

std::string hover(const Ceiling& ceiling) {
  std::string text =
      fmt::format("{}\n{}\n{}", ceiling.name, rate_interval(ceiling.rate, rate_unit(ceiling)),
                  source_text(ceiling.source));
  if (!ceiling.requirements.empty())
    text += fmt::format("\nneeds {}", fmt::join(words(ceiling.requirements), " "));
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
  line.low = ceiling.rate.low;
  line.high = ceiling.rate.high;
  line.rate_label = rate_text(ceiling.rate.value, rate_unit(ceiling));
  line.hover = hover(ceiling);
  line.requirements = ceiling.requirements;
  return line;
}

/// Fastest first. The first of a family with the same paradigms is typical: it stands for all.
void sort_lines(std::vector<RooflineLine>& lines) {
  std::ranges::stable_sort(lines, std::greater(), &RooflineLine::rate);
  std::set<std::pair<std::string, Paradigms>> seen;
  for (RooflineLine& line : lines)
    line.typical = seen.emplace(line.family, line.requirements).second;
}

/// `parts`: the ceilings used by the bound; where it used none of a family, the fastest is the
/// roof. Roofs first, level lines before slanted ones.
void mark_roofs(std::vector<RooflineLine>& lines, const std::vector<CeilingTime>& parts) {
  std::set<std::string> settled;
  for (RooflineLine& line : lines) {
    line.roof = std::ranges::find(parts, line.name, &CeilingTime::ceiling) != parts.end();
    if (line.roof) settled.insert(line.family);
  }
  for (RooflineLine& line : lines)
    if (!line.roof) line.roof = settled.insert(line.family).second;
  std::ranges::stable_sort(
      lines, {}, [](const RooflineLine& line) { return std::pair(!line.roof, line.diagonal); });
}

/// Paradigms of its family's roof a line lacks; of ledger entries as stated there.
void name_lines(std::vector<RooflineLine>& lines, const std::vector<LedgerEntry>& ledger) {
  for (RooflineLine& line : lines) {
    Paradigms all;
    for (const RooflineLine& other : lines)
      if (other.family == line.family && other.roof)
        all.insert(other.requirements.begin(), other.requirements.end());
    Paradigms lacks;
    std::set_difference(all.begin(), all.end(), line.requirements.begin(), line.requirements.end(),
                        std::inserter(lacks, lacks.end()));
    for (const LedgerEntry& entry : ledger)
      if (entry.kind != LedgerEntry::Kind::wall && entry.ceiling == line.name) lacks = entry.lacks;
    // Divisions and square roots are no arithmetic in lack of something.
    const bool own_kind = line.words.ends_with(" div") || line.words.ends_with(" sqrt");
    if (line.roof || (!lacks.empty() && !own_kind)) line.words = line.family;
    if (!lacks.empty() && !line.roof)
      line.words += fmt::format(" without {}", fmt::join(words(lacks), ", "));
    if (line.words != line.name) line.hover = line.words + "\n" + line.hover;
  }
}

/// Rates of the slanted lines or of the level ones, each once; `roofs`: of roofs in play alone.
std::set<double> rates(const std::vector<RooflineLine>& lines, bool diagonal, bool roofs = false) {
  std::set<double> all;
  for (const RooflineLine& line : lines)
    if (line.diagonal == diagonal && (!roofs || (line.roof && line.applies))) all.insert(line.rate);
  return all;
}

/// Strides count whole lines; the innermost cache moves none.
bool is_drawn(const Ceiling& ceiling, const Machine& machine) {
  constexpr double word = 8;
  const bool innermost = !machine.levels.empty() && ceiling.level == machine.levels.front().name;
  return ceiling.kind != Ceiling::Kind::latency && ceiling.kind != Ceiling::Kind::launch &&
         ceiling.rate.value > 0 && !(innermost && ceiling.stride > word);
}

/// The ceilings next to the best, in time.
void mark_next(std::vector<RooflineLine>& lines, double best) {
  RooflineLine *ahead = nullptr, *past = nullptr;
  for (RooflineLine& line : lines) {
    const double seconds = line.seconds.value;
    if (!(seconds > 0)) continue;
    RooflineLine*& nearest = seconds < best ? ahead : past;
    if (!nearest || std::abs(seconds - best) < std::abs(nearest->seconds.value - best))
      nearest = &line;
  }
  for (RooflineLine* line : {ahead, past})
    if (line) line->next = true;
}

/// In-core ceilings bound the kernel's own speed: least work over rate is a time, nominal work over
/// this time is where the line lies. Equal to the rate where least and nominal work agree. A
/// ceiling the bound uses for a part of the operations alone lies where the bound has it. False:
/// the problem has no work of this precision.
bool lay_on_axis(RooflineLine& line, const Ceiling& ceiling, const StudyResult& result,
                 const Performance& performance) {
  const auto work = result.roofline.work.least.find(ceiling.precision);
  if (work == result.roofline.work.least.end() || !(work->second.value() > 0)) return false;
  double limited = work->second.value();
  for (const CeilingTime& part : result.bound.parts)
    if (part.ceiling == ceiling.name && part.time.value() * line.rate < 0.99 * limited)
      limited = part.time.value() * line.rate;
  const double scale = performance.amount / limited;
  line.rate *= scale, line.low *= scale, line.high *= scale;
  if (std::abs(scale - 1) <= 1e-9) return true;
  line.rate_label = rate_text(line.rate, performance.unit) + " nominal";
  line.hover +=
      fmt::format("\ndrawn at {}: the axis counts nominal work, {:.3g} times {}",
                  rate_text(line.rate, performance.unit), scale,
                  limited < work->second.value() ? "what this ceiling limits" : "the least");
  return true;
}

std::vector<RooflineLine> study_lines(const StudyResult& result, const Performance& performance) {
  std::vector<RooflineLine> lines;
  for (const Ceiling& ceiling : result.roofline.machine.ceilings) {
    if (!is_drawn(ceiling, result.roofline.machine) || ceiling.threads > result.roofline.threads)
      continue;
    RooflineLine line = line_of(ceiling);
    if (line.diagonal) {
      line.applies = least_bytes(result, ceiling.level) > 0;
    } else {
      if (!lay_on_axis(line, ceiling, result, performance)) continue;
    }
    if (const auto time = result.roofline.time_at(ceiling); time && line.applies)
      line.seconds = {time->time.value(), time->low.value(), time->high.value()};
    line.binding = ceiling.name == result.bound.ceiling;
    for (const LedgerEntry& entry : result.ledger)
      if (entry.kind != LedgerEntry::Kind::wall && entry.ceiling == ceiling.name)
        line.listed = true, line.passed = entry.passed_by.has_value();
    lines.push_back(std::move(line));
  }
  sort_lines(lines);
  mark_roofs(lines, result.bound.parts);
  name_lines(lines, result.ledger);
  if (result.best) mark_next(lines, result.best->seconds.value);
  const Ceiling* const meant = applicable_ceiling(result.roofline);
  for (RooflineLine& line : lines) line.own = meant && meant->name == line.name;
  return lines;
}

RooflinePoint point(double x, const Estimate& seconds, const Performance& performance,
                    std::string label) {
  return {x, performance.rate(seconds.value), performance.rate(seconds.high),
          performance.rate(seconds.low), std::move(label)};
}

void add_walls(RooflineView& view, const StudyResult& result, double amount, double least) {
  for (const Wall& wall : result.roofline.traffic.walls) {
    if (!wall.level.empty() && wall.level != view.level) continue;
    // The caches save as much for a variant in front of the wall.
    const double bytes =
        result.roofline.least_traffic(view.level, wall.read, wall.write).total().value();
    // A wall without extra traffic over the least is none for this problem.
    if (bytes > least * (1 + 1e-9)) view.walls.push_back({amount / bytes, 0, 0, 0, wall.name});
  }
  std::sort(view.walls.begin(), view.walls.end(),
            [](const RooflinePoint& a, const RooflinePoint& b) { return a.x > b.x; });
}

/// Counted bytes at a level; 0: not counted.
double counted_bytes(const std::optional<Counts>& counts, const std::string& level) {
  if (!counts || !counts->traffic.contains(level)) return 0;
  const auto& count = counts->traffic.at(level);
  return count.read.value + count.write.value;
}

void add_points(RooflineView& view, const StudyResult& result, const Performance& performance) {
  const double least = view.level.empty() ? 0 : least_bytes(result, view.level);
  // Without traffic every byte rate is out of play; the points then stand where the axis is
  // centred.
  view.x = least > 0 ? performance.amount / least : 1;
  if (least > 0) add_walls(view, result, performance.amount, least);
  const Bound& b = result.bound;
  if (b.time.value() > 0)
    view.bound =
        point(*view.x, {b.time.value(), b.low.value(), b.high.value()}, performance, "bound");
  if (result.baseline)
    view.baseline = point(*view.x, result.baseline->seconds, performance, "baseline");
  if (!result.best) return;
  view.best = point(*view.x, result.best->seconds, performance, "best");
  for (const MemoryLevel& level : result.roofline.machine.levels) {
    const double bytes = result.best->counts        ? counted_bytes(result.best->counts, level.name)
                         : level.name == view.level ? 0
                                                    : least_bytes(result, level.name);
    if (bytes > 0)
      view.levels.push_back(
          point(performance.amount / bytes, result.best->seconds, performance, level.name));
  }
}

void span_study(RooflineView& view, const StudyResult& result, const Performance& performance) {
  std::vector<double> xs{*view.x}, ys;
  for (const auto& p : {view.bound, view.baseline, view.best})
    if (p) ys.insert(ys.end(), {p->y, p->low, p->high});
  for (const Trial& trial : result.trials)
    if (trial.ok()) ys.push_back(performance.rate(trial.measurement->seconds.value));
  if (ys.empty()) ys.push_back(1);
  for (const auto* points : {&view.walls, &view.levels})
    for (const RooflinePoint& p : *points) xs.push_back(p.x);
  view.x_low = std::ranges::min(xs) / 4;
  view.y_low = std::ranges::min(ys) / 4;
  const auto peaks = rates(view.lines, false), memory = rates(view.lines, true, true);
  if (!peaks.empty()) ys.push_back(*peaks.rbegin());
  if (!peaks.empty() && !memory.empty()) xs.push_back(*peaks.rbegin() / *memory.begin());
  if (peaks.empty() && !memory.empty()) ys.push_back(*memory.rbegin() * *view.x);
  view.x_high = std::ranges::max(xs) * 4;
  view.y_high = std::ranges::max(ys) * 1.8;
}

void span_machine(RooflineView& view) {
  const auto peaks = rates(view.lines, false), memory = rates(view.lines, true),
             roofs = rates(view.lines, true, true);
  const double top = !peaks.empty() ? *peaks.rbegin() : !memory.empty() ? *memory.rbegin() : 1;
  view.y_high = top * 1.8;
  view.y_low = peaks.empty() ? view.y_high / 1e3 : std::min(*peaks.begin() / 3, view.y_high / 500);
  view.x_low = memory.empty() ? 0.01 : view.y_low / *memory.rbegin() * 1.2;
  view.x_high = roofs.empty() ? 100 : view.y_high / *roofs.begin() * 4;
  // Slow ceilings would otherwise leave less than a decade of each roof in the picture.
  view.x_low = std::min(view.x_low, view.x_high / 1e3);
}

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

RooflineView roofline_view(const StudyResult& result) {
  RooflineView view;
  const Performance speed = performance(result.roofline.work);
  view.unit = speed.unit;
  view.level = charted_level(result);
  view.lines = study_lines(result, speed);
  add_points(view, result, speed);
  span_study(view, result, speed);
  return view;
}

RooflineView machine_view(const Machine& machine) {
  RooflineView view;
  for (const Ceiling& ceiling : machine.ceilings)
    if (is_drawn(ceiling, machine)) view.lines.push_back(line_of(ceiling));
  sort_lines(view.lines);
  mark_roofs(view.lines, {});
  name_lines(view.lines, {});
  span_machine(view);
  return view;
}

}  // namespace rooftune::report
