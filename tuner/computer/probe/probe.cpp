#include "probe/probe.h"

#include <algorithm>

#include "core/error.h"
#include "probe/bench.h"
#include "probe/in_core_kernels.h"
#include "probe/memory_kernels.h"
#include "probe/self_check.h"

namespace rooftune::probe {
namespace {

/// Beside other work.
double rate_now(Bench& bench, Subject& subject) {
  std::vector<double> rates;
  // Windows far too short are thrown away.
  for (int tries = 0; rates.empty() && tries < 4; ++tries) {
    subject.samples.restart();
    bench.visit(subject);
    rates = subject.samples.best();
  }
  return rates.empty() ? 0 : rates[rates.size() / 2];
}

}  // namespace

std::vector<Ceiling> remeasure(const Machine& machine, const std::vector<std::string>& names,
                               const std::function<bool()>& interrupted) {
  std::vector<Ceiling> wanted;
  for (const std::string& name : names) {
    const Ceiling* const found = ceiling_named(machine.ceilings, name);
    if (!found)
      throw Error("machine \"" + machine.name + "\" has no ceiling \"" + name + "\"", "remeasure");
    wanted.push_back(*found);
  }
  const auto bench = bench_for(wanted);
  std::vector<Ceiling> result;
  constexpr double seconds_each = 0.2;
  for (const Ceiling& ceiling : wanted) {
    if (interrupted && interrupted()) break;
    auto subject = bench->subject(ceiling);
    if (!subject) continue;
    go_round(*bench, {&*subject}, now() + seconds_each, {}, {});
    // On a machine busy with other work, not one window may fit: then there is no rate, not a rate
    // of 0.
    if (const Ceiling now = measured(*subject); now.rate.value > 0) result.push_back(now);
  }
  return result;
}

std::vector<std::string> anchors(const Machine& machine) {
  const Ceiling* roof = nullptr;
  std::vector<const Ceiling*> loads(machine.levels.size(), nullptr);
  const auto raise = [](const Ceiling*& best, const Ceiling& ceiling) {
    if (best == nullptr || best->rate.value < ceiling.rate.value) best = &ceiling;
  };
  for (const Ceiling& ceiling : machine.ceilings) {
    if (ceiling.shown_only) continue;
    if (ceiling.kind == Ceiling::Kind::in_core && ceiling.precision == double_precision)
      raise(roof, ceiling);
    if (ceiling.kind != Ceiling::Kind::bandwidth || ceiling.mix != word(StreamMix::load) ||
        ceiling.stride > 8)
      continue;
    for (std::size_t i = 0; i < machine.levels.size(); ++i)
      if (machine.levels[i].name == ceiling.level) raise(loads[i], ceiling);
  }
  std::vector<std::string> names;
  if (roof != nullptr) names.push_back(roof->name);
  if (loads.size() > 2 && loads[1] != nullptr) names.push_back(loads[1]->name);
  if (!loads.empty() && loads.back() != nullptr) names.push_back(loads.back()->name);
  return names;
}

RoofBench::RoofBench(const Machine& machine, const std::vector<std::string>& names) {
  std::vector<Ceiling> all;
  for (const std::string& name : names)
    if (const Ceiling* ceiling = ceiling_named(machine.ceilings, name);
        ceiling && misses_of(*ceiling) == 0)
      all.push_back(*ceiling);
  if (all.empty() || in_core_kernels(cpu_features()).empty()) return;
  bench_ = bench_for(all);
  for (const Ceiling& ceiling : all)
    if (auto subject = bench_->subject(ceiling)) {
      subjects_.push_back(std::move(*subject));
      names_.push_back(ceiling.name);
    }
}

RoofBench::~RoofBench() = default;

std::vector<double> RoofBench::rates() {
  std::vector<double> rates;
  for (Subject& subject : subjects_) rates.push_back(rate_now(*bench_, subject));
  return rates;
}

}  // namespace rooftune::probe
