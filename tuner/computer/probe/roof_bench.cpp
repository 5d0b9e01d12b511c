// Micro-kernels of ceilings beside other work: the machine's rates at the moment.

#include "probe/bench.h"
#include "probe/in_core_kernels.h"
#include "probe/probe.h"

namespace rooftune::probe {
namespace {

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
