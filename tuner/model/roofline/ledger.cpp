#include "roofline/ledger.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/list.h"
#include "roofline/line.h"

namespace rooftune::roofline {
namespace {

/// With such a value a knob does nothing.
bool is_off(const Value& value) {
  static const TextSet words{"none", "off", "no", "false", "never", "plain"};
  if (value.is_text()) return words.contains(value.text());
  return value.is_number() && (value.real() == 0 || value.real() == 1) && value != Value(true);
}

/// Paradigms with an amount: more or less of it.
bool is_amount(Paradigm paradigm) {
  static const Paradigms amounts{Paradigm::ilp, Paradigm::prefetch, Paradigm::simd, Paradigm::tlp};
  return amounts.contains(paradigm);
}

using Kind = LedgerEntry::Kind;

/// Whether a stair is below a line, or above it, for certain.
enum class Side { below, above, open };
Side side(const Estimate& seconds, double low, double high) {
  return seconds.high < low ? Side::below : seconds.low > high ? Side::above : Side::open;
}

/// A stair's counted flops over the least: at a precision's ceiling the code takes so many times
/// longer than the problem. nullopt: not counted, or another kind of line.
std::optional<double> own_work(const Roofline& roofline, const Line& line,
                               const StairEvidence& evidence, size_t stair) {
  if (line.kind != Kind::in_core || line.lacks.empty() || stair >= evidence.flops.size()) return {};
  const auto* const own = value_at(evidence.flops[stair], line.time.level);
  const auto* const least = value_at(roofline.work.least, line.time.level);
  return own && least ? std::optional(*own / least->value()) : std::nullopt;
}

/// The stairs beside a line's ceiling. Where that did not run, beside the fastest with its level
/// and threads: a slow moment hits all alike. A roof takes the fastest too, since no rate may lie
/// above it.
const std::vector<Scaled>* beside(const Machine& machine, const Line& line,
                                  const StairEvidence& evidence) {
  auto* own = value_at(evidence.beside, line.time.ceiling);
  const Ceiling* ceiling = ceiling_named(machine.ceilings, line.time.ceiling);
  const bool roof = line.kind != Kind::wall && line.lacks.empty();
  if ((own && !roof) || !ceiling || ceiling->kind != Ceiling::Kind::bandwidth) return own;
  const std::vector<Scaled>* fastest = own;
  for (const auto& [name, times] : evidence.beside)
    if (const Ceiling* other = ceiling_named(machine.ceilings, name);
        other && other->kind == ceiling->kind && other->level == ceiling->level &&
        other->threads == ceiling->threads &&
        (!fastest || times.back().whole.value > fastest->back().whole.value))
      fastest = &times;
  return fastest;
}

/// The stairs beside one line.
class Position {
 public:
  Position(const Roofline& roofline, const Line& line, const std::vector<Step>& stairs,
           const StairEvidence& evidence)
      : line_(line),
        stairs_(stairs),
        evidence_(evidence),
        beside_(beside(roofline.machine, line, evidence)) {
    for (const size_t stair : indices(stairs)) {
      work_.push_back(own_work(roofline, line, evidence, stair));
      if (!work_.back()) continue;
      least_ = std::min(least_.value_or(*work_.back()), *work_.back());
      most_ = std::max(most_, *work_.back());
    }
  }
  bool paired() const { return beside_ != nullptr; }

  /// The ceiling's slowdown in the same rounds hit the code as much, or half as much where the code
  /// waits for the ceiling in part only: a stair is on a side where both cases agree. What an
  /// uncounted stair computes lies between the others.
  Side of(size_t stair) const {
    const CeilingTime& time = line_.time;
    const double less = work_[stair].value_or(least_.value_or(1)),
                 more = work_[stair].value_or(most_);
    if (!beside_)
      return side(stairs_[stair].seconds, less * time.low.value(), more * time.high.value());
    const double at = time.time.value();
    const Side first = side((*beside_)[stair].whole, less * at, more * at);
    return first == side((*beside_)[stair].half, less * at, more * at) ? first : Side::open;
  }

  /// The first stair from which on all are in front of the line; nullopt: the top is not.
  std::optional<size_t> passed() const {
    const size_t by_time = first_of([&](size_t i) { return of(i) == Side::below; });
    if (line_.kind != Kind::wall || !bytes(0)) return some(by_time);
    // A wall is an amount: code that moves less is past it, however slowly.
    return some(std::min(by_time, first_of([&](size_t i) { return moves_less(i); })));
  }

  /// The stair up to `passed` whose change brought what the line, and the baseline with it, lacks.
  /// Counts tell between which stairs; among those that declare that they can, and that the top
  /// keeps, the stair that gained most.
  std::optional<size_t> broken_by(size_t passed) const {
    size_t first = 1, last = passed;
    bool seen = false;
    for (size_t stair = 1; stair <= passed && !seen; ++stair)
      if (const auto here = brought(stair)) {
        seen = *here;
        if (seen)
          last = stair;
        else
          first = stair + 1;
      }
    // What no count shows came with the step that passed the line.
    if (!seen) first = std::max(first, passed);
    std::optional<size_t> able;
    for (size_t stair = last; stair >= first; --stair)
      if (any_of(stairs_[stair].changes,
                 [&](const auto& change) { return adds_for_good(change); }) &&
          (!able || gain(stair) > gain(*able)))
        able = stair;
    // Among many changes a declaration tells nothing.
    constexpr size_t few = 3;
    if (able && (seen || stairs_[*able].changes.size() <= few)) return able;
    return seen && first == last && brought(last - 1) ? std::optional(last) : std::nullopt;
  }

  /// A stair's knobs that add for good what the line lacks, else all that the top keeps.
  Texts knobs(size_t stair) const {
    Texts able, kept;
    for (const Step::Change& change : stairs_[stair].changes) {
      const Step::Change whole = from_first_to_last(change);
      if (whole.from != whole.to) kept.push_back(change.knob);
      if (adds_for_good(change)) able.push_back(change.knob);
    }
    return able.empty() ? kept : able;
  }

  /// The ceiling's time in the race's rounds, as the top saw it, for the work counted at the stair
  /// that passed it. A roof gets no faster by that moment: the bound knows the fastest rate.
  Seconds seconds_beside(std::optional<size_t> passed) const {
    const double seconds = line_.time.time.value() * (passed ? work_[*passed].value_or(1) : 1);
    if (!beside_) return Seconds(seconds);
    const double now = seconds * stairs_.back().seconds.value / beside_->back().whole.value;
    const bool roof = line_.kind != Kind::wall && line_.lacks.empty();
    return Seconds(roof ? std::max(now, seconds) : now);
  }

  /// Counted bytes across the wall's level; nullopt: not counted.
  std::optional<double> bytes(size_t stair) const {
    if (stair >= evidence_.moved.size()) return std::nullopt;
    const auto* const found = value_at(evidence_.moved[stair], line_.time.level);
    return found ? std::optional(found->total().value()) : std::nullopt;
  }
  bool behind_wall(size_t stair) const {
    const auto counted = bytes(stair);
    if (!counted) return true;
    return is_of_allocation() ? !has(stair) : *counted >= line_.bytes.value() * (1 - tolerance);
  }
  bool past_wall(size_t stair) const {
    const auto counted = bytes(stair);
    if (!counted) return true;
    return is_of_allocation() ? has(stair) : *counted <= line_.bytes.value() * (1 + tolerance);
  }
  /// Whether the stair moves less than all the wall's bytes, and less than the baseline, whose
  /// count shows what caches keep.
  bool moves_less(size_t stair) const {
    constexpr double margin = 0.95;
    const auto own = bytes(stair), first = bytes(0);
    if (!own || !first) return false;
    return is_of_allocation() ? has(stair) : *own < margin * std::min(line_.plain.value(), *first);
  }
  /// The code was seen to have what the line lacks.
  bool has(size_t stair) const {
    if (stair >= evidence_.has.size()) return false;
    return any_of(line_.lacks, [&](Paradigm one) { return evidence_.has[stair].contains(one); });
  }

 private:
  static constexpr double tolerance = 0.02;

  /// Lines read for stores are counted by themselves. The wall's bytes assume caches that keep all
  /// they can, and the code's other bytes may exceed them.
  bool is_of_allocation() const { return line_.lacks.contains(Paradigm::write_allocate); }

  /// All changes to its knob together.
  Step::Change from_first_to_last(Step::Change whole) const {
    bool seen = false;
    for (const Step& step : stairs_)
      if (const auto* const same = first_with(step.changes, &Step::Change::knob, whole.knob)) {
        if (!std::exchange(seen, true)) whole.from = same->from;
        whole.to = same->to;
      }
    return whole;
  }
  /// The change can add what the line lacks, and no later one takes it back.
  bool adds_for_good(const Step::Change& change) const {
    const Step::Change whole = from_first_to_last(change);
    return whole.from != whole.to && can_add(change, line_.lacks) && can_add(whole, line_.lacks);
  }
  double gain(size_t stair) const {
    return stairs_[stair - 1].seconds.value / stairs_[stair].seconds.value;
  }
  template <class Passes>
  size_t first_of(const Passes& passes) const {
    size_t first = stairs_.size();
    while (first > 0 && passes(first - 1)) --first;
    return first;
  }
  std::optional<size_t> some(size_t stair) const {
    return stair < stairs_.size() ? std::optional(stair) : std::nullopt;
  }

  /// Whether a stair's code has what the line lacks; nullopt: nothing tells.
  std::optional<bool> brought(size_t stair) const {
    if (line_.kind == Kind::wall) {
      if (!bytes(stair)) return std::nullopt;
      return moves_less(stair) || (!moves_less(stairs_.size() - 1) && past_wall(stair));
    }
    if (has(stair)) return true;
    const bool counted = stair < evidence_.flops.size() && !evidence_.flops[stair].empty();
    static const Paradigms in_counts{Paradigm::simd, Paradigm::fma, Paradigm::nt_store};
    const bool told = any_of(line_.lacks, [&](Paradigm one) {
      return one == Paradigm::huge_pages || (counted && in_counts.contains(one));
    });
    return told ? std::optional(false) : std::nullopt;
  }

  const Line& line_;
  const std::vector<Step>& stairs_;
  const StairEvidence& evidence_;
  const std::vector<Scaled>* beside_;
  std::vector<std::optional<double>> work_;  ///< each stair's, over the least; nullopt: unknown
  std::optional<double> least_;
  double most_ = 1;
};

/// nullopt: the baseline is not behind the line, or the code has what the line lacks.
std::optional<LedgerEntry> entry_of(const Line& line, const Position& position, size_t top) {
  const bool is_wall = line.kind == Kind::wall;
  auto passed = position.passed();
  if (passed && (*passed == 0 || position.has(0))) return std::nullopt;
  // Counted bytes say for sure that the baseline is behind a wall.
  const bool counted = is_wall && position.bytes(0);
  if (passed && !counted && position.of(0) != Side::above) return std::nullopt;
  if (is_wall && !position.behind_wall(0)) return std::nullopt;
  // The top's time is below the wall's, but it still moves as much.
  if (is_wall && passed && !position.past_wall(top) && !position.moves_less(top))
    return std::nullopt;
  if (!passed && position.has(top)) return std::nullopt;
  LedgerEntry entry;
  entry.kind = line.kind;
  entry.wall = line.wall;
  entry.level = line.time.level;
  entry.ceiling = line.time.ceiling;
  entry.lacks = line.lacks;
  entry.time = line.time.time;
  entry.beside = position.seconds_beside(passed);
  entry.paired = position.paired();
  entry.passed_by = passed;
  if (passed && !line.lacks.empty()) entry.broken_by = position.broken_by(*passed);
  if (entry.broken_by) entry.knobs = position.knobs(*entry.broken_by);
  // Nobody knows what an uncounted stair moves; the change that moves less tells.
  if (is_wall && entry.broken_by && !position.bytes(*entry.broken_by))
    entry.passed_by = entry.broken_by;
  return entry;
}

}  // namespace

bool can_add(const Step::Change& change, const Paradigms& lacks) {
  if (change.to != Value(true) && is_off(change.to)) return false;
  const bool numbers = change.from.is_number() && change.to.is_number();
  const bool less = numbers && change.to < change.from && !is_off(change.from);
  return any_of(change.breaks, [&](Paradigm paradigm) {
    return lacks.contains(paradigm) && !(less && is_amount(paradigm));
  });
}

Texts Roofline::ceilings_near(Seconds best, Seconds baseline) const {
  std::vector<Line> all = lines(*this);
  // First the lines between the two times, then by distance to the nearer time.
  const auto distance = [&](const Line& line) {
    const double seconds = line.time.time.value();
    return std::max({0.0, std::log(best.value() / seconds), std::log(seconds / baseline.value())});
  };
  stable_sort(all, {}, distance);
  Texts names;
  for (const Line& line : all) add_once(names, line.time.ceiling);
  return names;
}

LedgerEntries Roofline::ledger(const std::vector<Step>& stairs,
                               const StairEvidence& evidence) const {
  LedgerEntries entries;
  if (stairs.empty()) return entries;
  for (const Line& line : lines(*this))
    if (auto entry = entry_of(line, Position(*this, line, stairs, evidence), stairs.size() - 1))
      entries.push_back(std::move(*entry));
  return entries;
}

}  // namespace rooftune::roofline
