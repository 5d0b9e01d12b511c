// The evaluator for a whole program: builds it where the build has knobs, runs it as its user does,
// and takes its time from the clock or from its output.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/list.h"
#include "os/subprocess.h"
#include "run/command_template.h"
#include "run/metric.h"
#include "run/printed_output.h"
#include "run/program_builds.h"
#include "run/study_input.h"
#include "trial/evaluator.h"

namespace rooftune::run {

/// The run planned for a configuration.
struct PlannedCommand {
  Texts build, run, check;  ///< words; empty: there is none
  NamedTexts environment;
  bool in_copy = false;  ///< runs in a copy of the user's folder, named by {BUILD_DIR}
  /// Input files made for the run: names and contents.
  FilledFiles files;
};

class CommandEvaluator : public Evaluator {
 public:
  /// Set once. Throws Error for a placeholder without a knob or parameter, and for a knob without
  /// effect.
  virtual void use(const SearchSpace& space) = 0;
  virtual PlannedCommand plan(const Configuration& configuration) const = 0;
};

/// The study's kernel stands for a program (program_kernel); `scratch` holds its builds. Throws
/// Error naming the option: unreadable words, pattern, pointer or unit, a missing program.
std::unique_ptr<CommandEvaluator> command_evaluator(const Study& study, fs::path scratch);

}  // namespace rooftune::run
