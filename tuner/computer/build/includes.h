// Scans a source for its headers, which belong to its artefact's key (the compiler's version covers
// system headers), and for the knobs that it names. A misspelt name stops the build; `tune check`
// reports knobs that no source reads. It also writes one configuration as a plain text.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "build/flags.h"
#include "build/tokens.h"
#include "kernel/kernel.h"
#include "space/search_space.h"

namespace rooftune::build {

struct Include {
  std::string name;
  bool quoted = false;  ///< "name", not <name>
};

/// Files included by `source` with a literal name, directly or through others, and found beside the
/// including file or in `directory`; sorted. Conditions around an #include are not evaluated: the
/// list may hold more files than the compiler reads, never fewer.
Paths included_files(const fs::path& source, const fs::path& directory);

/// A word KNOB_... in a source, and where it stands first.
struct NamedKnob {
  std::string macro;
  fs::path file;
  int line = 0;
  bool is_part = false;  ///< ## makes a longer name from it
};
using NamedKnobs = std::vector<NamedKnob>;

/// Each word once, from `source` and its included_files(). Comments and literals do not count. All
/// #if branches do: the answer is the same for all configurations.
NamedKnobs named_knobs(const fs::path& source, const fs::path& directory);

/// "file:line: error: ..." for each name without a macro in the space, with a similar macro.
Texts unknown_knobs(const NamedKnobs& named, const SearchSpace& space);

/// Compile knobs that no source names, and argument knobs that no kernel argument names.
Texts unread_knobs(const NamedKnobs& named, const Kernel& kernel, const SearchSpace& space);

struct Amalgamation {
  /// Names of the included system headers. They stand in front of the text, so it may be put into a
  /// namespace.
  TextSet system_headers;
  std::string text;
  /// The #include lines for the system's headers; a header missing on a system is left out there.
  std::string includes() const;
};

/// Who compiles the text. The host's compiler: a plain source (host), one for Kokkos (kokkos), or a
/// cuda.cu's launching half (launching). NVRTC: the half with the kernels (kernels).
enum class Side { host, kokkos, launching, kernels };

/// `directory` holds headers beside those of the source's own folder. Throws Error when a file
/// cannot be read.
Amalgamation amalgamated(const fs::path& source, const fs::path& directory, const Macros& macros,
                         Side side = Side::host);

}  // namespace rooftune::build
