// The compilers of this host: C++, and C and Fortran beside it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "core/list.h"

namespace rooftune::build {

struct HostCompiler {
  std::string path;     ///< "/usr/bin/g++"
  std::string version;  ///< from a line of --version
  Texts flags;          ///< base flags with the ISA of this host
  /// Chooses the linker, without effect on the timed code; empty: the compiler's own.
  Texts linker = {};
};
/// $ROOFTUNE_CXX, else $CXX, else c++/g++/clang++ on PATH. Throws Error with the package to
/// install.
HostCompiler host_compiler();
/// The newest compiler of the other family (clang++ beside g++) on PATH that builds variants;
/// nullopt where there is none. Asked once for each PATH.
std::optional<HostCompiler> other_compiler(const HostCompiler& host);
/// "g++" or "clang++", by what the compiler says, whatever its program is called.
std::string family(const HostCompiler& compiler);
bool is_gnu(const HostCompiler& compiler);
/// Files of the OpenMP library that its programs need, the likeliest first.
Texts openmp_libraries(const HostCompiler& compiler);

/// The end of a file's name tells the language of a source.
enum class Language { cpp, c, fortran };
Language language_of(const fs::path& source);
/// The compiler of a language beside `host`, with flags of the same meaning: $CC or $FC, else the
/// one of its family ("clang" of "clang++") and gfortran. Throws Error with the package to install.
HostCompiler compiler_of(Language language, const HostCompiler& host);

/// Why a library with OpenMP and mathematics is not built with these flags more; empty: it is.
std::string sample_fault(const HostCompiler& compiler, const std::string& flag = {});

}  // namespace rooftune::build
