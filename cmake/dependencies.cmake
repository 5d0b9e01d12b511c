# What the engine is built with: packages of the system, or of any prefix in CMAKE_PREFIX_PATH and PKG_CONFIG_PATH.
# Of those that are headers alone the sources do where no package is (cmake/fetch.cmake): named by
#   -DFMT_SOURCE_DIR=  -DNLOHMANN_JSON_SOURCE_DIR=  -DCLI11_SOURCE_DIR=  -DXXHASH_SOURCE_DIR=  -DCATCH2_SOURCE_DIR=
# or environment variables of these names, which quickstart and run-tests pass on, else fetched. Debian 12's versions.
include(cmake/fetch.cmake)

option(ROOFTUNE_STATIC_LIBRARIES "Link archives of all libraries but those of the languages, as a wheel needs them" OFF)
if(ROOFTUNE_STATIC_LIBRARIES)
  list(PREPEND CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(Boost_USE_STATIC_LIBS ON)
endif()

# rooftune_headers(<NAME> <header> <package> <url> <sha256> <target>...): the targets stand for the headers of the
# sources of <NAME>, which have <header> below include, single_include or the top. Sets <NAME>_TREE in the caller.
function(rooftune_headers name header package url sha256)
  rooftune_fetch(tree ${name} ${package} ${url} ${sha256})
  find_path(directory ${header} PATHS ${tree}/include ${tree}/single_include ${tree} NO_DEFAULT_PATH NO_CACHE)
  if(NOT directory)
    message(FATAL_ERROR "${name}_SOURCE_DIR=${tree} has no ${header}, neither at its top nor in include or "
                        "single_include: name the root of its unpacked source")
  endif()
  foreach(target ${ARGN})
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE ${directory})
  endforeach()
  set(${name}_TREE ${tree} PARENT_SCOPE)
endfunction()

rooftune_source_option(FMT "fmt")
if(NOT FMT_SOURCE_DIR)
  find_package(fmt QUIET)
endif()
if(FMT_SOURCE_DIR OR NOT fmt_FOUND)
  rooftune_headers(FMT fmt/format.h libfmt-dev https://github.com/fmtlib/fmt/archive/9.1.0.tar.gz
                   5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2 fmt::fmt fmt::fmt-header-only)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
  target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY=1)
endif()

# Debian has no archive of fmt.
set(rooftune_fmt fmt::fmt)
if(ROOFTUNE_STATIC_LIBRARIES)
  set(rooftune_fmt fmt::fmt-header-only)
endif()

rooftune_source_option(NLOHMANN_JSON "nlohmann_json")
if(NOT NLOHMANN_JSON_SOURCE_DIR)
  find_package(nlohmann_json 3.10 QUIET)
endif()
if(NLOHMANN_JSON_SOURCE_DIR OR NOT nlohmann_json_FOUND)
  rooftune_headers(NLOHMANN_JSON nlohmann/json.hpp nlohmann-json3-dev
                   https://github.com/nlohmann/json/archive/v3.11.2.tar.gz
                   d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273 nlohmann_json::nlohmann_json)
endif()

rooftune_source_option(CLI11 "CLI11")
if(NOT CLI11_SOURCE_DIR)
  find_package(CLI11 QUIET)
endif()
if(CLI11_SOURCE_DIR OR NOT CLI11_FOUND)
  rooftune_headers(CLI11 CLI/CLI.hpp libcli11-dev https://github.com/CLIUtils/CLI11/archive/v2.1.2.tar.gz
                   26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb CLI11::CLI11)
endif()

find_package(PkgConfig REQUIRED)
# All of it lies in the header. Inlined by force it does not compile with -Og (gcc 14).
set(ROOFTUNE_XXHASH_IN_HEADER XXH_INLINE_ALL XXH_NO_INLINE_HINTS=1)
rooftune_source_option(XXHASH "xxHash")
if(NOT XXHASH_SOURCE_DIR)
  pkg_check_modules(xxhash QUIET IMPORTED_TARGET libxxhash)
endif()
if(XXHASH_SOURCE_DIR OR NOT xxhash_FOUND)
  rooftune_headers(XXHASH xxhash.h libxxhash-dev https://github.com/Cyan4973/xxHash/archive/v0.8.1.tar.gz
                   3bb6b7d6f30c591dd65aaaff1c8b7a5b94d81687998ca9400082c739a690436c PkgConfig::xxhash)
  target_compile_definitions(PkgConfig::xxhash INTERFACE ${ROOFTUNE_XXHASH_IN_HEADER})
endif()

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS context)
find_package(ZLIB REQUIRED)
pkg_check_modules(numa REQUIRED IMPORTED_TARGET numa)
# libpfm has no package file of its own: tests compare the codes of events with its own.
if(ROOFTUNE_TESTS)
  find_path(ROOFTUNE_PFM_INCLUDE perfmon/pfmlib_perf_event.h)
  find_library(ROOFTUNE_PFM_LIBRARY pfm)
  if(NOT ROOFTUNE_PFM_INCLUDE OR NOT ROOFTUNE_PFM_LIBRARY)
    message(FATAL_ERROR "libpfm4 is not here (Debian and Ubuntu: libpfm4-dev; elsewhere docs/installing.md)")
  endif()
endif()
