// The input of a study, made once: arrays and facts from the problem, outputs from the reference,
// in a separate scratch directory.
#pragma once
#include <functional>

#include "build/artefact.h"
#include "run/message.h"

namespace rooftune::run {

/// How trials are timed, beside no incumbent, and what bounds every run.
struct RunLimits : Timing {
  double first_call_seconds = 60;  ///< one validation call before any incumbent is known
  double factor = 20;              ///< later: max(floor, factor * incumbent) per call
  double floor_seconds = 2;
  double compile_seconds = 120;
  double reference_seconds = 600;  ///< problem.cpp, and one reference call
  size_t memory_bytes = 0;         ///< a worker's; 0: 80 % of the machine's memory
};

/// A study of one input.
struct Study : ChosenKernel {
  Facts parameters;  ///< checked problem parameters
  int threads = 0;   ///< most threads; 0: all usable
  /// How many calls share one conversion (`prepare`): times hold 1/amortize of it. 0: not counted.
  double amortize = 0;
  GpuSetup gpu = {};  ///< where kernels for a GPU run
  int builders = 1;   ///< compilers at work at once
};

class StudyInput {
 public:
  StudyInput(const Study& study, ArtefactCache& cache, fs::path scratch, const RunLimits& limits);
  /// Builds problem and reference, runs the problem. Throws Error where their authors or the user
  /// are at fault.
  Facts load();
  /// Parameters and facts; load() comes first.
  const Facts& facts() const { return facts_; }
  /// Runs the reference on the default scalars, once; then returns the workers' setup. `baseline`
  /// builds the stand-in for a reference: where the kernel has none, or `stands_in`.
  const Setup& ready(const Json& scalars, bool stands_in,
                     const std::function<Artefact()>& baseline);
  bool is_referenced() const { return referenced_; }
  /// False when a variant has removed problem or reference files.
  bool is_whole() const { return !referenced_ || files() == files_; }
  /// Makes them again: the next ready() runs the reference. Throws Error as load().
  void restore();
  /// Why the comparison cannot tell right from wrong, after ready(): nothing is compared, all
  /// elements are equal, or other random inputs change nothing; empty: it can, as far as this
  /// tells.
  std::string weakness() const;
  /// The compiler's warning that the reference reads what it never set; empty: none.
  std::string suspicion() const;
  /// ready()'s setup without the reference's outputs: nothing is compared.
  const Setup& planned() const { return setup_; }
  /// Bytes of all arrays.
  double array_bytes() const;
  /// How many array sets fit into half the memory limit: 1 to 16.
  size_t sets_in_memory() const;

 private:
  Json ask(Action action, Json body, const fs::path& source);
  void run_problem(const Artefact& problem);
  void run_reference(const Json& scalars, const Artefact& artefact, const fs::path& source);
  size_t files() const;  ///< for problem and reference
  void check_facts(const Facts& facts) const;
  /// Takes arrays whose contents the kernel keeps in files, and their results.
  void take_files();
  void take_arrays(const ByName<Slot>& arrays);
  fs::path manifest() const { return study_.kernel.folder / "kernel.json"; }

  const Study& study_;
  ArtefactCache& cache_;
  fs::path scratch_;
  const RunLimits& limits_;
  Artefact reference_;
  Facts facts_;
  Setup setup_;
  bool referenced_ = false, stands_in_ = false;
  size_t files_ = 0;  ///< after the reference's run
};

}  // namespace rooftune::run
