// One study made ready: kernel, machine, problem, space, bound and the evaluator that can run it.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/options.h"
#include "os/temporary_directory.h"
#include "roofline/roofline.h"
#include "run/host_evaluator.h"
#include "space/compulsion.h"
#include "space/isolation.h"
#include "store/record_store.h"

namespace rooftune {

struct ReadyStudy {
  Kernel kernel;
  Backend backend;
  Facts parameters;  ///< of the problem, as chosen and defaulted
  Facts facts;       ///< parameters and what the problem said of itself
  std::filesystem::path space_file;
  std::optional<SearchSpace> space;
  Compulsions compulsions;
  std::vector<Isolation> isolations;
  Roofline roofline;  ///< of the problem on the machine, with the threads that were chosen
  std::optional<Bound> bound;
  StudyHeader header;
  std::unique_ptr<TemporaryDirectory> scratch;
  std::unique_ptr<ArtefactCache> cache;
  std::string not_compiled;  ///< dry run for a GPU: why its kernels cannot be compiled here
  std::unique_ptr<HostEvaluator> evaluator;
};

/// The options with what they leave open filled in: the machine of --machine auto, the back end
/// that fits the machine. Throws Error for an unknown machine.
StudyOptions completed(StudyOptions options);

/// Reads and checks everything that the options name; builds reference and problem, loads the
/// problem, which is one (see input_set.h for several). `elsewhere` allows a machine that is not
/// this host (a dry run); otherwise that is an Error with ExitCode::unavailable that says which
/// machine this is. `sharers`: studies that share the memory of this host.
ReadyStudy ready_study(const StudyOptions& options, bool elsewhere, std::size_t sharers = 1);

/// What a back end adds to the facts of a search space (the version of Kokkos and where it
/// computes). Throws Error (ExitCode::unavailable) when it cannot be used here for the machine.
Facts backend_facts(const Backend& backend, const ArtefactCache& cache, const Machine& machine);

/// "n=1000,steps=4" words to a map. Throws Error for a word without '='.
std::map<std::string, std::string> problem_words(const std::vector<std::string>& options);
/// The input of each --problem; one of defaults when there is none. Throws Error when one of
/// several leaves a parameter open that another sets, because that would be a default that nobody
/// chose.
std::vector<std::map<std::string, std::string>> problem_inputs(
    const std::vector<std::string>& options);
/// What the records keep so that a page can be drawn without running anything.
Json setup_record(const ReadyStudy& study, const std::vector<std::string>& argv);

}  // namespace rooftune
