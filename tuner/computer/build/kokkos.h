// The variants' Kokkos: its version, its execution space, its flags for the compiler. Finding out
// takes seconds, so a directory keeps the answer.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "build/artefact.h"

namespace rooftune::build {

struct KokkosLibrary {
  std::string origin;    ///< the directory with KokkosConfig.cmake
  int version = 0;       ///< 10000 major + 100 minor + patch
  std::string space;     ///< default execution space: serial, openmp, threads, cuda ...
  std::string compiler;  ///< Kokkos' own compiler (nvcc_wrapper); empty: the host's
  Texts compile;         ///< before the source
  Texts link;            ///< after the source

  std::string version_text() const;  ///< "4.6.1"
  bool on_host() const;              ///< the space runs on the CPU
  ROOFTUNE_FIELDS(origin, version, space, compiler, compile, link)
};

/// Asks CMake's find_package(Kokkos) as an application would: in $ROOFTUNE_KOKKOS (a prefix or the
/// directory with KokkosConfig.cmake), else in the prefix configured with this build, else by
/// CMake's own search. The answer is kept in `directory` until that file changes. Throws Error
/// (ExitCode::unavailable) when there is none, it is older than 3.4 or it cannot be used.
KokkosLibrary kokkos_library(const fs::path& directory, const HostCompiler& compiler);

/// kokkos_version and kokkos_space, for expressions in a search space.
Facts kokkos_facts(const KokkosLibrary& library);

}  // namespace rooftune::build
