#include "report/best_configuration.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/figures.h"
#include "report/sentences.h"
#include "report/study_evidence.h"
#include "report/trade_offs.h"

namespace rooftune::report {

std::string verdict_text(const BestConfiguration& best) {
  if (best.inconclusive.empty())
    return best.baseline_stands ? "conclusive: nothing beats the defaults beyond the noise"
                                : "conclusive";
  return fmt::format("not conclusive: {}", fmt::join(best.inconclusive, "; "));
}

std::vector<std::string> settings_to_apply(const BestConfiguration& best) {
  std::vector<std::string> lines;
  const auto add = [&](const char* what, const Knob& knob) {
    const std::string name = knob.setting.empty() ? knob.name : knob.setting;
    lines.push_back(fmt::format("{}{}={}", what, name, to_text(best.configuration.at(knob.name))));
  };
  for (const Knob& knob : best.knobs) {
    if (!best.configuration.has(knob.name)) continue;
    if (knob.kind == Knob::Kind::environment) add("environment ", knob);
    if (knob.kind == Knob::Kind::openmp) add("OpenMP ", knob);
    if (knob.kind == Knob::Kind::memory) add("arrays ", knob);
  }
  return lines;
}

BestConfiguration best_configuration(const StudyResult& result) {
  if (!result.best)
    throw Error("study " + result.identity.id + " has no validated configuration to export",
                result.identity.kernel,
                "tune it again; `tune report` tells why every trial failed");
  BestConfiguration best;
  best.identity = result.identity;
  best.machine = result.roofline.machine.name;
  best.machine_id = result.roofline.machine.id;
  best.machine_identity = result.roofline.machine.identity;
  best.machine_class = machine_class(result.roofline.machine);
  best.threads = result.roofline.threads;
  best.problem = result.problem;
  if (result.inputs) {
    for (const InputRow& row : result.inputs->rows) best.problems.push_back(row.problem);
    best.notes.push_back(fmt::format("{} The times here are those of input {}.",
                                     inputs_sentence(*result.inputs), result.inputs->shown + 1));
  }
  best.configuration = result.best->configuration;
  best.knobs = result.space.knobs;
  // The space knows its defaults even where the baseline itself could not be measured.
  for (const auto& [name, value] : best.configuration.values()) best.baseline.set(name, value);
  for (const Knob& knob : best.knobs) best.baseline.set(knob.name, knob.fallback);
  if (result.baseline) best.baseline = result.baseline->configuration;
  best.seconds = result.best->seconds;
  best.speedup = result.speedup;
  best.own_figure = result.own_figure;
  best.figures = further_figures(result, result.best->trial);
  best.gap = result.best->gap;
  if (result.bound.known()) best.ceilings.push_back(result.bound.ceiling);
  best.ceilings.insert(best.ceilings.end(), result.bound.also.begin(), result.bound.also.end());
  best.ceiling_source = result.bound.source;
  best.bound = result.bound.time;
  best.inconclusive = result.inconclusive;
  best.baseline_stands = result.baseline_stands;
  if (const std::string tie = tie_sentence(result); !tie.empty()) best.notes.push_back(tie);
  best.notes.insert(best.notes.end(), result.notes.begin(), result.notes.end());
  return best;
}

int x86_simd_bits(const Machine& machine) {
  const bool avx2 = std::ranges::count(machine.features, "avx2") > 0;
  return avx2 ? machine.simd_bits : 0;
}

const char* isa_flag(int simd_bits) {
  return simd_bits >= 512 ? "-march=x86-64-v4" : simd_bits >= 256 ? "-march=x86-64-v3" : nullptr;
}

}  // namespace rooftune::report
