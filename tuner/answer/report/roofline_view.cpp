#include "report/roofline_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "core/units.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "roofline/applicable.h"

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

/// One line stands for all with the same paradigms: the fastest of them.
void mark_typical(std::vector<RooflineLine>& lines) {
  std::map<std::pair<std::string, Paradigms>, RooflineLine*> fastest;
  for (RooflineLine& line : lines) {
    RooflineLine*& first = fastest[{line.family, line.requirements}];
    line.typical = !first || line.rate > first->rate;
    if (line.typical && first) first->typical = false;
    if (line.typical) first = &line;
  }
}

/// `parts`: the ceilings used by the bound; where it used none of a family, the fastest is the
/// roof.
void mark_roofs(std::vector<RooflineLine>& lines, const std::vector<CeilingTime>& parts) {
  const auto used = [&](const RooflineLine& line) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const CeilingTime& part) { return part.ceiling == line.name; });
  };
  std::set<std::string> settled;
  for (RooflineLine& line : lines)
    if ((line.roof = used(line))) settled.insert(line.family);
  for (RooflineLine& line : lines)
    if (settled.count(line.family) == 0)
      line.roof = std::none_of(lines.begin(), lines.end(), [&](const RooflineLine& other) {
        return &other != &line && other.family == line.family && other.diagonal == line.diagonal &&
               (other.rate > line.rate || (other.rate == line.rate && other.roof));
      });
  std::stable_sort(lines.begin(), lines.end(), [](const RooflineLine& a, const RooflineLine& b) {
    if (a.roof != b.roof) return a.roof;
    if (a.diagonal != b.diagonal) return b.diagonal;
    return a.rate > b.rate;
  });
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

std::optional<double> slowest_roof(const std::vector<RooflineLine>& lines, bool diagonal) {
  std::optional<double> slowest;
  for (const RooflineLine& line : lines)
    if (line.roof && line.applies && line.diagonal == diagonal)
      slowest = slowest ? std::min(*slowest, line.rate) : line.rate;
  return slowest;
}

std::optional<double> extreme(const std::vector<RooflineLine>& lines, bool diagonal, bool fastest) {
  std::optional<double> found;
  for (const RooflineLine& line : lines)
    if (line.diagonal == diagonal)
      found = !found    ? line.rate
              : fastest ? std::max(*found, line.rate)
                        : std::min(*found, line.rate);
  return found;
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
bool lay_on_axis(RooflineLine& line, const Ceiling& ceiling, const StudyResult& report,
                 const Performance& performance) {
  const auto work = report.roofline.work.least.find(ceiling.precision);
  if (work == report.roofline.work.least.end() || !(work->second.value() > 0)) return false;
  double limited = work->second.value();
  for (const CeilingTime& part : report.bound.parts)
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

std::vector<RooflineLine> study_lines(const StudyResult& report, const Performance& performance) {
  std::vector<RooflineLine> lines;
  for (const Ceiling& ceiling : report.roofline.machine.ceilings) {
    if (!is_drawn(ceiling, report.roofline.machine) || ceiling.threads > report.roofline.threads)
      continue;
    RooflineLine line = line_of(ceiling);
    if (line.diagonal) {
      line.applies = least_bytes(report, ceiling.level) > 0;
    } else {
      if (!lay_on_axis(line, ceiling, report, performance)) continue;
    }
    if (const auto time = report.roofline.time_at(ceiling); time && line.applies)
      line.seconds = {time->time.value(), time->low.value(), time->high.value()};
    line.binding = ceiling.name == report.bound.ceiling;
    for (const LedgerEntry& entry : report.ledger)
      if (entry.kind != LedgerEntry::Kind::wall && entry.ceiling == ceiling.name)
        line.state = entry.state;
    lines.push_back(std::move(line));
  }
  mark_typical(lines);
  mark_roofs(lines, report.bound.parts);
  name_lines(lines, report.ledger);
  if (report.best) mark_next(lines, report.best->seconds.value);
  const auto meant = applicable_ceilings(report.roofline, std::nullopt);
  for (RooflineLine& line : lines)
    line.own = !meant.empty() && meant.front().ceiling->name == line.name;
  return lines;
}

RooflinePoint point(double x, const Estimate& seconds, const Performance& performance,
                    std::string label) {
  return {x, performance.rate(seconds.value), performance.rate(seconds.high),
          performance.rate(seconds.low), std::move(label)};
}

void add_walls(RooflineView& view, const StudyResult& report, double amount, double least) {
  for (const Wall& wall : report.roofline.traffic.walls) {
    if (!wall.level.empty() && wall.level != view.level) continue;
    // The caches save as much for a variant in front of the wall.
    const double bytes =
        report.roofline.least_traffic(view.level, wall.read, wall.write).total().value();
    // A wall without extra traffic over the least is none for this problem.
    if (bytes > least * (1 + 1e-9)) view.walls.push_back({amount / bytes, 0, 0, 0, wall.name});
  }
  std::sort(view.walls.begin(), view.walls.end(),
            [](const RooflinePoint& a, const RooflinePoint& b) { return a.x > b.x; });
}

/// The hierarchical roofline: the best at the counted intensity of each level.
void add_counted(RooflineView& view, const StudyResult& report, const Performance& performance) {
  for (const MemoryLevel& level : report.roofline.machine.levels) {
    const auto count = report.best->counts->traffic.find(level.name);
    if (count == report.best->counts->traffic.end()) continue;
    const double bytes = count->second.read.value + count->second.write.value;
    if (bytes > 0)
      view.levels.push_back(
          point(performance.amount / bytes, report.best->seconds, performance, level.name));
  }
}

/// Where work and traffic of the other counted configurations put them.
void add_sample(RooflineView& view, const StudyResult& report, const Performance& performance) {
  for (const Contender& other : report.sample) {
    if (!other.counts) continue;
    const auto count = other.counts->traffic.find(view.level);
    if (count == other.counts->traffic.end()) continue;
    const double bytes = count->second.read.value + count->second.write.value;
    if (bytes > 0)
      view.sample.push_back(point(performance.amount / bytes, other.seconds, performance,
                                  fmt::format("trial {}", other.trial)));
  }
}

void add_points(RooflineView& view, const StudyResult& report, const Performance& performance) {
  if (!view.level.empty()) {
    const double least = least_bytes(report, view.level);
    if (least > 0) view.x = performance.amount / least;
    if (least > 0) add_walls(view, report, performance.amount, least);
  }
  // Without traffic every byte rate is out of play; the points then stand where the axis is
  // centred.
  if (!view.x) view.x = 1;
  const Bound& b = report.bound;
  if (b.time.value() > 0)
    view.bound =
        point(*view.x, {b.time.value(), b.low.value(), b.high.value()}, performance, "bound");
  add_sample(view, report, performance);
  if (report.baseline)
    view.baseline = point(*view.x, report.baseline->seconds, performance, "baseline");
  if (!report.best) return;
  view.best = point(*view.x, report.best->seconds, performance, "best");
  if (report.best->counts) return add_counted(view, report, performance);
  for (const MemoryLevel& level : report.roofline.machine.levels)
    if (level.name != view.level && least_bytes(report, level.name) > 0)
      view.levels.push_back(point(performance.amount / least_bytes(report, level.name),
                                  report.best->seconds, performance, level.name));
}

void span_study(RooflineView& view, const StudyResult& report, const Performance& performance) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  const auto include = [&](double y) {
    low = std::min(low, y);
    high = std::max(high, y);
  };
  for (const auto& p : {view.bound, view.baseline, view.best})
    if (p) include(p->y), include(p->low), include(p->high);
  for (const Trial& trial : report.trials)
    if (trial.ok()) include(performance.rate(trial.measurement->seconds.value));
  if (high == 0) low = high = 1;
  double x_low = *view.x, x_high = *view.x;
  for (const RooflinePoint& p : view.walls)
    x_low = std::min(x_low, p.x), x_high = std::max(x_high, p.x);
  for (const auto* points : {&view.levels, &view.sample})
    for (const RooflinePoint& p : *points)
      x_low = std::min(x_low, p.x), x_high = std::max(x_high, p.x);
  const auto peak = extreme(view.lines, false, true);
  const auto memory = slowest_roof(view.lines, true);
  if (peak && memory) x_high = std::max(x_high, *peak / *memory);
  if (const auto top = extreme(view.lines, false, true)) high = std::max(high, *top);
  for (const RooflineLine& line : view.lines)
    if (!peak && line.diagonal && line.roof && line.applies)
      high = std::max(high, line.rate * *view.x);
  view.x_low = x_low / 4;
  view.x_high = x_high * 4;
  view.y_low = low / 4;
  view.y_high = high * 1.8;
}

void span_machine(RooflineView& view) {
  const auto peak = extreme(view.lines, false, true), floor = extreme(view.lines, false, false);
  const auto fast = extreme(view.lines, true, true), slow = slowest_roof(view.lines, true);
  view.y_high = peak.value_or(fast.value_or(1)) * 1.8;
  view.y_low = floor ? std::min(*floor / 3, view.y_high / 500) : view.y_high / 1e3;
  view.x_low = fast ? view.y_low / *fast * 1.2 : 0.01;
  view.x_high = slow ? view.y_high / *slow * 4 : 100;
  // Slow ceilings would otherwise leave less than a decade of each roof in the picture.
  view.x_low = std::min(view.x_low, view.x_high / 1e3);
}

}  // namespace

RooflineView roofline_view(const StudyResult& report) {
  RooflineView view;
  const Performance speed = performance(report.roofline.work);
  view.unit = speed.unit;
  view.level = charted_level(report);
  view.lines = study_lines(report, speed);
  add_points(view, report, speed);
  span_study(view, report, speed);
  return view;
}

RooflineView machine_view(const Machine& machine) {
  RooflineView view;
  for (const Ceiling& ceiling : machine.ceilings)
    if (is_drawn(ceiling, machine)) view.lines.push_back(line_of(ceiling));
  mark_typical(view.lines);
  mark_roofs(view.lines, {});
  name_lines(view.lines, {});
  span_machine(view);
  return view;
}

}  // namespace rooftune::report
