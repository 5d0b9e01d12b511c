// The named steps of a kernel's optimisation in the literature:
// kernels/<kernel>/published.<backend>.json. A step may be impossible on some machine.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/kernel.h"

namespace rooftune::kernel {

/// The source's figures of a step, on its own machine.
struct PublishedFigures {
  std::optional<double> seconds;  ///< s per call
  std::optional<double> flops;    ///< executed, per call
  std::optional<double> rate;     ///< flop/s
  std::string machine, source;    ///< their machine; page or slide
};

struct PublishedStep {
  std::string name;                  ///< "v7"
  std::string title;                 ///< "reciprocal and multiply instead of division"
  std::string doc;                   ///< the change and its reason, may be empty
  std::map<std::string, Value> set;  ///< knobs against the step before
  std::optional<PublishedFigures> published;
};

struct PublishedPath {
  std::string kernel, backend;  ///< whose path it is
  std::string title, source;
  Facts problem;                     ///< parameters of the publication
  std::vector<PublishedStep> steps;  ///< the first is on top of the space's defaults
};

/// <kernel>/published.<backend>.json, whether there is one or not.
std::filesystem::path published_path_file(const std::filesystem::path& kernel_folder,
                                          const std::string& backend);
/// nullopt when the kernel has no file for this back end. Throws Error as the next.
std::optional<PublishedPath> published_path(const Kernel& kernel, const std::string& backend);
/// Throws Error with all faults, also for the path of another kernel or back end.
PublishedPath published_path_from_json(const Json& json, const std::string& where,
                                       const std::string& kernel, const std::string& backend);

/// Cumulative configurations of the steps; the reason where one is not allowed. Throws Error for a
/// knob or a value unknown to the space.
struct PlacedStep {
  Configuration configuration;  ///< normalised
  std::string impossible;       ///< the constraint or the machine against it; empty: allowed
};
std::vector<PlacedStep> placed(const PublishedPath& path, const SearchSpace& space,
                               const std::string& where);

}  // namespace rooftune::kernel
