#include "report/best_configuration.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/figures.h"
#include "report/inputs_answer.h"
#include "report/sentences.h"

namespace rooftune::report {

std::string verdict_text(const BestConfiguration& best) {
  if (best.inconclusive.empty())
    return best.baseline_stands ? "conclusive: nothing beats the defaults beyond the noise"
                                : "conclusive";
  return fmt::format("not conclusive: {}", fmt::join(best.inconclusive, "; "));
}

std::string energy_text(const BestConfiguration& best) {
  if (!best.joules) return {};
  std::string text = joules_interval(*best.joules) + " per call";
  if (best.saving) text += fmt::format(", {} less than the defaults", ratio_interval(*best.saving));
  return text;
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

BestConfiguration best_configuration(const StudyResult& report) {
  if (!report.best)
    throw Error("study " + report.identity.id + " has no validated configuration to export",
                report.identity.kernel,
                "tune it again; `tune report` tells why every trial failed");
  BestConfiguration best;
  best.identity = report.identity;
  best.machine = report.roofline.machine.name;
  best.machine_id = report.roofline.machine.id;
  best.machine_identity = report.roofline.machine.identity;
  best.machine_class = machine_class(report.roofline.machine);
  best.threads = report.roofline.threads;
  best.problem = report.problem;
  if (report.inputs) {
    for (const InputRow& row : report.inputs->rows) best.problems.push_back(row.problem);
    best.notes.push_back(fmt::format("{} The times here are those of input {}.",
                                     inputs_sentence(*report.inputs), report.inputs->shown + 1));
  }
  best.configuration = report.best->configuration;
  best.knobs = report.space.knobs;
  // The space knows its defaults even where the baseline itself could not be measured.
  for (const auto& [name, value] : best.configuration.values()) best.baseline.set(name, value);
  for (const Knob& knob : best.knobs) best.baseline.set(knob.name, knob.fallback);
  if (report.baseline) best.baseline = report.baseline->configuration;
  best.seconds = report.best->seconds;
  best.speedup = report.speedup;
  best.ranked_by = report.ranked_by;
  best.saving = report.saving;
  if (report.ranked_by == Figure::energy) best.joules = report.best->joules;
  best.gap = report.best->gap;
  if (report.bound.known()) best.ceilings.push_back(report.bound.ceiling);
  best.ceilings.insert(best.ceilings.end(), report.bound.also.begin(), report.bound.also.end());
  best.ceiling_source = report.bound.source;
  best.bound = report.bound.time;
  best.inconclusive = report.inconclusive;
  best.baseline_stands = report.baseline_stands;
  if (const std::string tie = tie_sentence(report); !tie.empty()) best.notes.push_back(tie);
  best.notes.insert(best.notes.end(), report.notes.begin(), report.notes.end());
  return best;
}

int x86_simd_bits(const Machine& machine) {
  const auto& features = machine.features;
  const bool avx2 = std::find(features.begin(), features.end(), "avx2") != features.end();
  return avx2 ? machine.simd_bits : 0;
}

const char* isa_flag(int simd_bits) {
  return simd_bits >= 512 ? "-march=x86-64-v4" : simd_bits >= 256 ? "-march=x86-64-v3" : nullptr;
}

}  // namespace rooftune::report
