// What surrounds the code of a library: its build, its test of itself, its terms and where it
// comes from; and the kernels of CUDA variants.
#pragma once
#include <string>
#include <vector>

#include "exports/kernel_library.h"
#include "os/paths.h"

namespace rooftune::exports {

/// A set of instructions that a variant is compiled for.
struct Level {
  const char* name;  ///< of its namespace and, of x86-64, in -march
  int bits;          ///< of vectors; 0: any CPU
};
/// That of the machine where it was timed and those below it; of the untuned form all.
std::vector<Level> levels_of(const LibraryVariant& variant);
/// The kernels of a CUDA variant, for NVRTC.
std::string cuda_kernels_text(const LibrarySource& source, const LibraryVariant& variant);
/// Texts of the launching half of a CUDA variant only.
Fillings cuda_fillings(const LibrarySource& source, const LibraryVariant& variant);
std::string self_test_text(const LibrarySource& source);
std::string build_text(const LibrarySource& source);  ///< CMakeLists.txt
std::string readme_text(const LibrarySource& source);
std::string licence_text(const LibrarySource& source);
std::string provenance_text(const LibrarySource& source);

}  // namespace rooftune::exports
