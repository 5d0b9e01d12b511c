# What the engine is built with: packages of the system, or of any prefix in CMAKE_PREFIX_PATH and PKG_CONFIG_PATH.
# Those that are headers alone may also be named by their source trees, where nobody may install packages:
#   -DFMT_SOURCE_DIR=  -DNLOHMANN_JSON_SOURCE_DIR=  -DCLI11_SOURCE_DIR=  -DXXHASH_SOURCE_DIR=  -DCATCH2_SOURCE_DIR=
# or environment variables of these names, which quickstart and run-tests pass on; each an unpacked release.

# rooftune_headers(<NAME> <header> <target>...): the targets stand for the headers of <NAME>_SOURCE_DIR, which has
# <header> below include, single_include or the top. Sets <NAME>_IS_LOCAL in the caller.
function(rooftune_headers name header)
  set(${name}_SOURCE_DIR "$ENV{${name}_SOURCE_DIR}" CACHE PATH "Source tree of ${header}, where no package has it")
  set(${name}_IS_LOCAL FALSE PARENT_SCOPE)
  set(tree "${${name}_SOURCE_DIR}")
  if(NOT tree)
    return()
  endif()
  find_path(directory ${header} PATHS ${tree}/include ${tree}/single_include ${tree} NO_DEFAULT_PATH NO_CACHE)
  if(NOT directory)
    message(FATAL_ERROR "${name}_SOURCE_DIR=${tree} has no ${header}, neither at its top nor in include or "
                        "single_include: name the root of its unpacked source")
  endif()
  message(STATUS "${header}: of ${tree}")
  foreach(target ${ARGN})
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE ${directory})
  endforeach()
  set(${name}_IS_LOCAL TRUE PARENT_SCOPE)
endfunction()

rooftune_headers(FMT fmt/format.h fmt::fmt fmt::fmt-header-only)
if(FMT_IS_LOCAL)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
  target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY=1)
else()
  find_package(fmt REQUIRED)
endif()
rooftune_headers(NLOHMANN_JSON nlohmann/json.hpp nlohmann_json::nlohmann_json)
if(NOT NLOHMANN_JSON_IS_LOCAL)
  find_package(nlohmann_json 3.10 REQUIRED)
endif()
rooftune_headers(CLI11 CLI/CLI.hpp CLI11::CLI11)
if(NOT CLI11_IS_LOCAL)
  find_package(CLI11 REQUIRED)
endif()
find_package(PkgConfig REQUIRED)
rooftune_headers(XXHASH xxhash.h PkgConfig::xxhash)
if(XXHASH_IS_LOCAL)
  # All of it lies in the header.
  target_compile_definitions(PkgConfig::xxhash INTERFACE XXH_INLINE_ALL)
else()
  pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
endif()

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS context)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(numa REQUIRED IMPORTED_TARGET numa)
# libpfm has no package file of its own: the counters link it by name.
find_path(ROOFTUNE_PFM_INCLUDE perfmon/pfmlib_perf_event.h)
find_library(ROOFTUNE_PFM_LIBRARY pfm)
if(NOT ROOFTUNE_PFM_INCLUDE OR NOT ROOFTUNE_PFM_LIBRARY)
  message(FATAL_ERROR "libpfm4 is not here (Debian and Ubuntu: libpfm4-dev)")
endif()
