// The winning variants, as a plain C++ library for an application to build and link: it chooses a
// variant at run time, runs the untuned form where none fits, and tests itself against the
// reference.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "build/artefact.h"
#include "build/flags.h"
#include "core/list.h"
#include "kernel/kernel.h"
#include "run/launch_settings.h"
#include "store/study_record.h"

namespace rooftune::exports {

/// What a problem must satisfy for a configuration to give correct results: the search space's
/// requirement on problem facts, not on knobs or the machine. What neither a call's arguments nor
/// the kernel's inspector can show, the application has to promise.
struct Condition {
  std::string expression;  ///< over parameters and facts, as in the space: "symmetric > 0"
  std::string reason;      ///< tells people why another problem is refused
  /// The expression in C++ over the kernel's scalar arguments, by name, and the inspector's facts_;
  /// empty where it needs more.
  std::string check;
  bool is_promise() const { return check.empty(); }
  bool operator==(const Condition&) const = default;
};
using Conditions = std::vector<Condition>;

/// Whether any of `conditions` has the same requirement, for any reason.
bool holds(const Conditions& conditions, const Condition& one);

/// Conditions for a configuration from the study's space. Entries with "about": "speed" in the
/// space require nothing: the results are right without them.
Conditions conditions_of(const StudyRecord& study, const Kernel& kernel,
                         const Configuration& configuration);

/// A configuration and what an application has to know about it.
struct LibraryVariant {
  std::string name;  ///< for its source file and namespace: "v1"
  Configuration configuration;
  std::string about;   ///< where it was timed, how fast, in one line
  int threads = 0;     ///< where it was timed, or the card's multiprocessors; 0: runs anywhere
  int capability = 0;  ///< its card's compute capability, 80 for 8.0
  int simd_bits = 0;   ///< its instruction set's; 0: any CPU that the compiler targets
  Numbers inspected;   ///< facts that the kernel's inspector finds in its problem
  Conditions conditions;
  LaunchSettings settings;
  std::vector<build::Macro> macros;
  Texts flags;           ///< for the back end and its knobs, as the host's compiler takes them
  Texts kernel_options;  ///< for NVRTC
  std::string compiler;  ///< the one that a knob chose
};

/// What an export is written from: one kernel's studies.
struct LibrarySource : ChosenKernel {
  std::vector<LibraryVariant> variants;  ///< the last one is the untuned form, right everywhere
  Facts problem;                         ///< the self-test's
  Slots slots;                           ///< the self-test's arguments
  Json studies = Json::array();          ///< the studies as JSON, without host names
  std::string name = {};                 ///< the library's; empty: named after the kernel
};

/// One of a study's configurations as a variant. Throws Error where an argument depends on both a
/// knob and the problem.
LibraryVariant library_variant(const StudyRecord& study, const ChosenKernel& chosen,
                               const SearchSpace& space, const Configuration& configuration);

/// A formula over problem facts, in C++ over the arguments that pass these on; empty: it needs
/// more.
std::string in_cpp(const Expression& formula, const Kernel& kernel);

/// File texts by path in the library's folder; equal sources give equal texts.
FileTexts library_files(const LibrarySource& source);

/// Replaces the library in `folder` by these files: all or nothing. Throws Error for a folder with
/// other contents, and on a write error.
void write_library(const fs::path& folder, const FileTexts& files);

}  // namespace rooftune::exports
