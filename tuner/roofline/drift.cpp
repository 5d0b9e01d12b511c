#include "roofline/drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"

namespace rooftune::inline roofline {
namespace {

const Ceiling* named(const std::vector<Ceiling>& ceilings, const std::string& name) {
  const auto found = std::find_if(ceilings.begin(), ceilings.end(),
                                  [&](const Ceiling& ceiling) { return ceiling.name == name; });
  return found == ceilings.end() ? nullptr : &*found;
}

std::string rate_text(const Ceiling& ceiling) {
  return ceiling.kind == Ceiling::Kind::in_core ? to_text(FlopRate(ceiling.rate.value))
                                                : to_text(ByteRate(ceiling.rate.value));
}

std::string change_text(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

bool moved(const Ceiling& from, const Ceiling& to) {
  return std::abs(to.rate.value / from.rate.value - 1) > drift_limit &&
         !from.rate.overlaps(to.rate);
}

void judge(const Ceiling& file, const Ceiling* start, const Ceiling* end, Drift& drift) {
  drift.sentence = file.name + ": " + rate_text(file) + " in the machine file, ";
  if (!start || !end || !start->stable || !end->stable) {
    drift.sentence += "not reproduced at the start or at the end: the machine is too busy";
    return;
  }
  const double first = start->rate.value / file.rate.value;
  const double last = end->rate.value / file.rate.value;
  drift.sentence += fmt::format("{} ({}) at the start and {} ({}) at the end", rate_text(*start),
                                change_text(first), rate_text(*end), change_text(last));
  if (moved(*start, *end)) {
    drift.verdict = Drift::Verdict::changed;
  } else if (moved(file, *start) && moved(file, *end)) {
    drift.verdict = Drift::Verdict::rescaled;
    drift.factor = (first + last) / 2;
  } else {
    drift.verdict = Drift::Verdict::steady;
  }
}

double factor_for(const Ceiling& ceiling, const Machine& machine,
                  const std::vector<Drift>& drifts) {
  const bool innermost = !machine.levels.empty() && ceiling.level == machine.levels.front().name;
  const bool core = ceiling.kind == Ceiling::Kind::in_core || innermost;
  for (const Drift& drift : drifts)
    if (core ? drift.kind == Ceiling::Kind::in_core : drift.level == ceiling.level)
      return drift.factor;
  return 1;
}

}  // namespace

const char* to_text(Drift::Verdict verdict) {
  switch (verdict) {
    case Drift::Verdict::steady:
      return "steady";
    case Drift::Verdict::rescaled:
      return "rescaled";
    case Drift::Verdict::changed:
      return "changed";
    case Drift::Verdict::unknown:
      return "unknown";
  }
  return "";
}

std::vector<Drift> drift(const Machine& machine, const AnchorReadings& readings) {
  std::vector<Drift> result;
  for (const Ceiling& start : readings.start) {
    const Ceiling* file = named(machine.ceilings, start.name);
    if (!file) continue;
    Drift one;
    one.ceiling = file->name;
    one.kind = file->kind;
    one.level = file->level;
    judge(*file, &start, named(readings.end, start.name), one);
    result.push_back(std::move(one));
  }
  return result;
}

Machine rescaled(const Machine& machine, const std::vector<Drift>& drifts) {
  Machine result = machine;
  for (Ceiling& ceiling : result.ceilings) {
    const double factor = factor_for(ceiling, machine, drifts);
    if (factor == 1) continue;
    for (double* rate : {&ceiling.rate.value, &ceiling.rate.low, &ceiling.rate.high})
      *rate *= factor;
    for (double& sample : ceiling.samples) sample *= factor;
    ceiling.source.text += fmt::format("; rescaled by {:.3f} after its anchor", factor);
  }
  return result;
}

}  // namespace rooftune::inline roofline
