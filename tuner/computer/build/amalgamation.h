// One configuration of a kernel's source as one plain text: its own headers in place, branches of
// other configurations gone, knobs as their numbers.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "build/flags.h"

namespace rooftune::build {

struct Amalgamation {
  /// Names of the included headers of the system. They stand in front of the text, so it may be put
  /// into a namespace.
  std::set<std::string> system_headers;
  std::string text;
  /// The #include lines of the system's headers; a header missing on a system is left out there.
  std::string includes() const;
};

/// The compiler of the text: the host's; the host's, of a source for Kokkos; the host's, of the
/// launching half of a cuda.cu; NVRTC, of the half with the kernels.
enum class Side { host, kokkos, launching, kernels };

/// `directory` holds headers beside those of the source's own folder. Throws Error when a file
/// cannot be read.
Amalgamation amalgamated(const std::filesystem::path& source,
                         const std::filesystem::path& directory, const std::vector<Macro>& macros,
                         Side side = Side::host);

}  // namespace rooftune::build
