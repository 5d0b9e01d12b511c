// A spec made ready: kernel, machine and space read and checked, every input built, loaded and
// modelled.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "kernel/published.h"
#include "roofline/roofline.h"
#include "search/pruning.h"
#include "search/strategy.h"
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
  std::optional<SearchSpace> space;  ///< of several inputs the common one
  LeastMovements movements;
  Roofline roofline;
  Bound bound;
  std::string id, explanation;  ///< of a study of this input alone
};

struct PreparedStudy {
  StudySpec spec;  ///< machine and back end chosen
  Kernel kernel;
  Backend backend;
  Machine machine;
  int threads = 1;
  StoredSpace space_file;
  Json published;                                      ///< content of the published path, or null
  std::vector<std::unique_ptr<PreparedInput>> inputs;  ///< at least one
  std::optional<Objective> objective;                  ///< of several inputs
  StudyHeader header;
  Bound bound;  ///< of the input; of several its time is the geometric mean of theirs

  PreparedInput& first() { return *inputs.front(); }
  const PreparedInput& first() const { return *inputs.front(); }
  bool on_gpu() const { return runs_on_gpu(backend.name); }
  CacheState cache_state() const { return kernel.warm ? CacheState::warm : CacheState::cold; }
  /// The figure of a program, in its user's unit; nullopt: its time.
  std::optional<OwnFigure> own_figure() const;
  /// A bound exists. Only a program may lack a statement of its least work.
  bool states_limit() const { return !kernel.program || kernel.program->states_limit(); }
};

/// Reads and checks everything named by the spec; builds reference and problem, loads each input.
/// `planned`: for a dry run, on a machine possibly elsewhere. Throws Error with the option or file
/// at fault: an unknown kernel, machine or back end; an objective with one input; equal inputs, or
/// inputs without a common configuration; a problem larger than the memory.
PreparedStudy prepare(StudySpec spec, Platform& platform, bool planned = false);

/// Checks everything readable without building or measuring: kernel, back end, machine, threads,
/// space file, strategy, parameters. A host without a probe is probed later. Throws Error.
void require_readable(const StudySpec& spec, Platform& platform);

/// The settings of a study on record, to run its configurations again.
StudySpec spec_of(const StudyRecord& record);

/// The evaluator of all inputs; `history` is the study's. Both must outlive it.
std::shared_ptr<Evaluator> evaluator_of(const PreparedStudy& study, const History& history);

/// What to try before the search, each once: the steps of the published path that this machine
/// allows, in order, then `own_starts`.
Configurations first_configurations(const PreparedStudy& study);
/// The user's own, of the spec and the space's file. Throws Error for one that is not allowed.
Configurations own_starts(const PreparedStudy& study);

/// The paradigms for the bounds and walls of any input.
Knowledge knowledge_of(const PreparedStudy& study);

/// A search through the times that the machine's model expects of compiled code, of which none
/// runs: the baseline, `first` and what the strategy proposes, `most` at most, and no more batches
/// after so many seconds. In the order asked; 0 seconds where no time can be told. Empty off cards
/// and of several inputs. Throws Interrupted.
std::vector<Modelled> modelled(PreparedStudy& study, const Configurations& first, size_t most,
                               double seconds);

/// Least possible times of configurations, for the objective; the study must outlive it. Throws
/// Error for a statement of the search space about a wall unknown to the kernel.
LeastTimeOf least_times(const PreparedStudy& study);

/// The knobs behind these times.
TextSet bound_knobs(const PreparedStudy& study);

/// Other studies' knowledge at the begin of the study, if any (`stored`). Else, unless the spec
/// turns it off, the fastest in other studies of the kernel in `results` and in the shipped files,
/// as far as the space allows it: of the nearest machine and problem first, the best of each, then
/// the second of each. nullopt without any knowledge. Throws Error for an unreadable shipped file.
std::optional<Transfer> transfer_of(const PreparedStudy& study,
                                    const std::optional<StudyRecord>& stored,
                                    const fs::path& results);

}  // namespace rooftune::study
