// The best validated configuration of a study with its provenance: input of exporters.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "study/best_known.h"
#include "study/result.h"

namespace rooftune::report {

struct BestConfiguration {
  ResultIdentity identity;
  std::string machine, machine_id;
  std::map<std::string, std::string> machine_identity;
  MachineClass machine_class;
  int threads = 1;  ///< the most a variant may use
  Facts problem;
  std::vector<Facts> problems;  ///< of a study of several inputs, all of them; else empty
  Configuration configuration;
  Configuration baseline;   ///< the defaults: fallback of an application
  std::vector<Knob> knobs;  ///< docs, kinds and text values; may be empty
  Estimate seconds;
  std::optional<Estimate> speedup;        ///< against the baseline
  std::optional<OwnFigure> own_figure;    ///< as in StudyResult
  std::map<std::string, double> figures;  ///< further ones of a program
  Gap gap;
  std::vector<std::string> ceilings;  ///< the binding ceiling first, then those within its interval
  Source ceiling_source;
  Seconds bound{0};
  std::vector<std::string> inconclusive;  ///< why the answer may be wrong; empty: it stands
  bool baseline_stands = false;           ///< nothing beats the baseline beyond the noise
  std::vector<std::string> flags;         ///< of the compiler, those of knobs too; empty: not known
  std::vector<std::string> notes;         ///< ties and warnings for users of the export
};

/// "conclusive", or why not in a sentence.
std::string verdict_text(const BestConfiguration& best);
/// Further settings for an application, a line each: environment, memory, threads, schedule.
std::vector<std::string> settings_to_apply(const BestConfiguration& best);

/// Throws Error when the study has no validated configuration.
BestConfiguration best_configuration(const StudyResult& result);

/// Width of the machine's vectors of AVX2 and AVX-512; 0: none, or not of x86.
int x86_simd_bits(const Machine& machine);
/// The compiler's flag for a CPU with such vectors of x86; nullptr: its default.
const char* isa_flag(int simd_bits);

}  // namespace rooftune::report
