// A spec made ready: kernel, machine and space read and checked, every input built, loaded and
// modelled.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "roofline/roofline.h"
#include "space/knob.h"
#include "space/search_space.h"
#include "study/platform.h"
#include "study/spec.h"
#include "trial/objective.h"
#include "trial/trial.h"

namespace rooftune::study {

/// One input, ready to run.
struct PreparedInput {
  InputModel model;
  std::unique_ptr<InputRunner> runner;
  std::optional<SearchSpace> space;  ///< for several inputs, the common space
  LeastMovements movements;
  Roofline roofline;
  Bound bound;
  std::string id, explanation;  ///< as in a study of this input alone
};

/// What a study is prepared for. Only to measure, the machine must be here. A check runs kernels
/// for a GPU emulated; a plan runs none of them.
enum class Purpose { measure, check, plan };

struct PreparedStudy : ChosenKernel {
  StudySpec spec;  ///< machine, back end, threads and inputs chosen
  Purpose purpose = Purpose::measure;
  Machine machine;
  StoredSpace space_file;
  Json published;                                      ///< the published path's content, or null
  std::vector<std::unique_ptr<PreparedInput>> inputs;  ///< at least one
  std::optional<Objective> objective;                  ///< for several inputs
  StudyHeader header;
  Bound bound;  ///< the input's; for several, its time is the geometric mean over theirs

  PreparedInput& first() { return *inputs.front(); }
  const PreparedInput& first() const { return *inputs.front(); }
  bool on_gpu() const { return runs_on_gpu(backend.name); }
  CacheState cache_state() const { return kernel.warm ? CacheState::warm : CacheState::cold; }
  /// What expressions may refer to: an input's parameters and facts, and the machine's.
  Facts known(const PreparedInput& input) const;
  /// A program's own figure, in its user's unit; nullopt: its time.
  std::optional<OwnFigure> own_figure() const;
  /// A bound exists: only a program need not state its least work.
  bool states_limit() const { return !kernel.program || kernel.program->states_limit(); }
};

/// Reads and checks all that the spec names; builds reference and problem, loads each input.
/// Throws Error with the option or file at fault: an unknown kernel, machine or back end; an
/// objective with one input; equal inputs, or inputs without a common configuration; a problem
/// larger than the memory.
PreparedStudy prepare(StudySpec spec, Platform& platform, Purpose purpose = Purpose::measure);

/// Checks all that can be read without building or measuring: kernel, back end, machine, threads,
/// space file, strategy, parameters. A host without a probe is probed later. Throws Error.
void require_readable(const StudySpec& spec, Platform& platform);

/// A recorded study's settings, to run its configurations again.
StudySpec spec_of(const StudyRecord& record);

/// The evaluator for all inputs; `history` is the study's. Both must outlive it.
std::shared_ptr<Evaluator> evaluator_of(const PreparedStudy& study, const History& history);

}  // namespace rooftune::study
