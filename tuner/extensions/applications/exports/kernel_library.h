// The winning variants, as a library of plain C++ for an application to build and link: the choice
// among them at run time, the untuned form where none fits, and a test against the reference.
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

/// A condition on a problem for correct results of a configuration: the search space's requirement
/// on the facts of a problem, not on knobs or the machine. Those beyond the arguments of a call and
/// what the kernel's inspector finds in them are the application's duty.
struct Condition {
  std::string expression;  ///< over parameters and facts, as the space has it: "symmetric > 0"
  std::string reason;      ///< why another problem is refused, for people
  /// The same in C++ over the scalar arguments of the kernel, by their names, and facts_ of the
  /// inspector; empty where it needs more.
  std::string check;
  bool is_promise() const { return check.empty(); }
  bool operator==(const Condition&) const = default;
};

/// Whether one of them has the same requirement, for any reason.
bool holds(const std::vector<Condition>& conditions, const Condition& one);

/// Conditions for a configuration of the study's space. Entries of the space with "about": "speed"
/// require nothing: the results are right without them.
std::vector<Condition> conditions_of(const StudyRecord& study, const Kernel& kernel,
                                     const Configuration& configuration);

/// One configuration with an application's facts about it.
struct LibraryVariant {
  std::string name;  ///< for its source file and namespace: "v1"
  Configuration configuration;
  std::string about;   ///< where it was timed, how fast, in one line
  int threads = 0;     ///< where it was timed, a card's multiprocessors; 0: anywhere
  int capability = 0;  ///< compute capability of its card, 80 for 8.0
  int simd_bits = 0;   ///< its instruction set's; 0: any CPU of the compiler's target
  Numbers inspected;   ///< facts of its problem that the kernel's inspector finds
  std::vector<Condition> conditions;
  LaunchSettings settings;
  std::vector<build::Macro> macros;
  Texts flags;           ///< for the back end and its knobs, as words to the host's compiler
  Texts kernel_options;  ///< for NVRTC
  std::string compiler;  ///< a knob's choice
};

/// Contents of an export, from the studies of one kernel.
struct LibrarySource {
  Kernel kernel;
  Backend backend;
  std::vector<LibraryVariant> variants;  ///< the last one is the untuned form, right everywhere
  Facts problem;                         ///< the test's
  std::vector<Slot> slots;               ///< the arguments of the test
  Json studies = Json::array();          ///< their exports as JSON, without names of hosts
  std::string name = {};                 ///< the library's; empty: by the kernel
};

/// A variant of a study. Throws Error where an argument depends on a knob and on the problem.
LibraryVariant library_variant(const StudyRecord& study, const Kernel& kernel,
                               const Backend& backend, const SearchSpace& space,
                               const Configuration& configuration);

/// A formula over facts that arguments pass on, in C++ over these arguments; empty: it needs more.
std::string in_cpp(const Expression& formula, const Kernel& kernel);

/// Texts by their names in the library's folder; equal sources give equal texts.
std::map<fs::path, std::string> library_files(const LibrarySource& source);

/// Puts them into `folder`, the old ones away: all or nothing. Throws Error for a folder with other
/// contents, and for a write error.
void write_library(const fs::path& folder, const std::map<fs::path, std::string>& files);

}  // namespace rooftune::exports
