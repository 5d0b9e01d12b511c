// The input of a study, made once: arrays and facts of the problem, outputs of the reference, in a
// scratch directory of its own.
#pragma once
#include "run/host_evaluator.h"
#include "run/message.h"

namespace rooftune::run {

class StudyInput {
 public:
  StudyInput(const Study& study, ArtefactCache& cache, std::filesystem::path scratch,
             const RunLimits& limits);
  /// Builds problem and reference, runs the problem. Throws Error for faults of their authors or
  /// the user.
  Facts load();
  /// Parameters and facts; load() comes first.
  const Facts& facts() const { return facts_; }
  /// Runs the reference on the default scalars, once; then returns the workers' setup. `baseline`
  /// builds the stand-in for a reference: where the kernel has none, or `stands_in`.
  const Setup& ready(const Json& scalars, bool stands_in,
                     const std::function<Artefact()>& baseline);
  /// The same without outputs of the reference: nothing is compared.
  const Setup& planned();
  /// Bytes of all arrays.
  double array_bytes() const;
  /// How many sets of all arrays fit half of the memory limit: 1 to 16.
  std::size_t sets_in_memory() const;

 private:
  Json ask(Action action, Json body, const std::filesystem::path& source);
  void run_problem(const Artefact& problem);
  void run_reference(const Json& scalars, const Artefact& artefact,
                     const std::filesystem::path& source);
  void check_facts(const Facts& facts) const;
  void take_arrays(const std::map<std::string, MadeArray>& arrays);
  std::filesystem::path manifest() const { return study_.kernel.folder / "kernel.json"; }

  const Study& study_;
  ArtefactCache& cache_;
  std::filesystem::path scratch_;
  const RunLimits& limits_;
  Artefact reference_;
  Facts facts_;
  Setup setup_;
  bool loaded_ = false, referenced_ = false, stands_in_ = false;
};

/// Names of the OpenMP library needed by a compiler's artefacts.
std::vector<std::string> openmp_libraries(const HostCompiler& compiler);
/// Bytes of a walk to empty every cache: more than all caches together.
std::size_t flush_bytes();

}  // namespace rooftune::run
