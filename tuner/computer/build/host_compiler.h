// This host's compilers: C++, and C and Fortran beside it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/list.h"

namespace rooftune::build {

struct HostCompiler {
  std::string path;     ///< "/usr/bin/g++"
  std::string version;  ///< a line from --version
  Texts flags;          ///< base flags with the ISA of this host
  /// Chooses the linker, without effect on the timed code; empty: the compiler's own.
  Texts linker = {};
};
/// $ROOFTUNE_CXX, else $CXX, else c++/g++/clang++ on PATH. Throws Error with the package to
/// install.
HostCompiler host_compiler();
/// The newest compiler from the other family (clang++ beside g++) on PATH that builds variants;
/// nullopt where there is none. Asked once for each PATH.
std::optional<HostCompiler> other_compiler(const HostCompiler& host);
/// "g++" or "clang++", by what the compiler says, whatever its program is called.
std::string family(const HostCompiler& compiler);
bool is_gnu(const HostCompiler& compiler);
/// OpenMP library files that this compiler's programs need, the likeliest first.
Texts openmp_libraries(const HostCompiler& compiler);

/// The end of a source file's name tells its language.
enum class Language { cpp, c, fortran };
Language language_of(const fs::path& source);
/// The compiler for a language beside `host`, with flags that mean the same: $CC or $FC, else its
/// family's C compiler ("clang" for "clang++") and gfortran. Throws Error with the package to
/// install.
HostCompiler compiler_of(Language language, const HostCompiler& host);

/// Why these flags and `flag` do not build a library with OpenMP and mathematics; empty: they do.
std::string sample_fault(const HostCompiler& compiler, const std::string& flag = {});

}  // namespace rooftune::build
