# Which Kokkos the back end "kokkos" uses when the user names none at run time (ROOFTUNE_KOKKOS):
#   1. the source tree in FETCHCONTENT_SOURCE_DIR_KOKKOS, built and installed inside this build;
#   2. what find_package(Kokkos) finds;
#   3. the pinned release, downloaded and built inside this build;
#   4. none, said so: everything else works, and tune looks again when it runs.
set(ROOFTUNE_KOKKOS "AUTO" CACHE STRING "Kokkos back end: AUTO, FETCH (build the pinned release) or OFF")
set(ROOFTUNE_KOKKOS_DIRECTORY "" CACHE INTERNAL "")
set(kokkos_repository "https://github.com/kokkos/kokkos.git")
set(kokkos_release "4.7.01")

# Builds Kokkos as its own project, so that neither its targets nor its install rules become ours.
function(rooftune_build_kokkos source)
  include(ExternalProject)
  set(prefix ${PROJECT_BINARY_DIR}/kokkos)
  ExternalProject_Add(kokkos
    SOURCE_DIR ${source}
    BINARY_DIR ${PROJECT_BINARY_DIR}/kokkos-build
    INSTALL_DIR ${prefix}
    CMAKE_ARGS -DCMAKE_INSTALL_PREFIX=${prefix} -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release
               -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_POSITION_INDEPENDENT_CODE=ON
               -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_OPENMP=ON -DKokkos_ENABLE_TESTS=OFF)
  set(ROOFTUNE_KOKKOS_DIRECTORY ${prefix} CACHE INTERNAL "")
endfunction()

function(rooftune_find_kokkos)
  if(ROOFTUNE_KOKKOS STREQUAL "OFF")
    message(STATUS "Kokkos back end: off (ROOFTUNE_KOKKOS=OFF)")
    return()
  endif()
  if(FETCHCONTENT_SOURCE_DIR_KOKKOS)
    if(NOT EXISTS ${FETCHCONTENT_SOURCE_DIR_KOKKOS}/CMakeLists.txt)
      message(FATAL_ERROR "FETCHCONTENT_SOURCE_DIR_KOKKOS=${FETCHCONTENT_SOURCE_DIR_KOKKOS} holds no CMakeLists.txt: "
                          "name the root of a Kokkos source tree")
    endif()
    message(STATUS "Kokkos back end: built from ${FETCHCONTENT_SOURCE_DIR_KOKKOS}")
    rooftune_build_kokkos(${FETCHCONTENT_SOURCE_DIR_KOKKOS})
    return()
  endif()
  if(NOT ROOFTUNE_KOKKOS STREQUAL "FETCH")
    find_package(Kokkos QUIET)
    if(Kokkos_FOUND)
      message(STATUS "Kokkos back end: ${Kokkos_DIR}")
      set(ROOFTUNE_KOKKOS_DIRECTORY ${Kokkos_DIR} CACHE INTERNAL "")
      return()
    endif()
  endif()
  # Asked before FetchContent, which ends the whole configuration where there is no network.
  find_program(GIT_PROGRAM git)
  set(answer 1)
  if(GIT_PROGRAM)
    execute_process(COMMAND ${GIT_PROGRAM} ls-remote --exit-code ${kokkos_repository} refs/tags/${kokkos_release}
                    RESULT_VARIABLE answer OUTPUT_QUIET ERROR_QUIET TIMEOUT 15)
  endif()
  if(NOT answer EQUAL 0)
    if(ROOFTUNE_KOKKOS STREQUAL "FETCH")
      message(FATAL_ERROR "Kokkos ${kokkos_release} cannot be downloaded from ${kokkos_repository}: name a source tree "
                          "with -DFETCHCONTENT_SOURCE_DIR_KOKKOS=, or install a Kokkos and use -DROOFTUNE_KOKKOS=AUTO")
    endif()
    message(STATUS "Kokkos back end: OFF, no Kokkos was found and none can be downloaded (apt-get install "
                   "libtrilinos-kokkos-dev, or -DFETCHCONTENT_SOURCE_DIR_KOKKOS=<source tree>)")
    return()
  endif()
  include(FetchContent)
  FetchContent_Declare(kokkos GIT_REPOSITORY ${kokkos_repository} GIT_TAG ${kokkos_release} GIT_SHALLOW TRUE)
  FetchContent_GetProperties(kokkos)
  if(NOT kokkos_POPULATED)
    FetchContent_Populate(kokkos)
  endif()
  message(STATUS "Kokkos back end: release ${kokkos_release}, built inside this build")
  rooftune_build_kokkos(${kokkos_SOURCE_DIR})
endfunction()

rooftune_find_kokkos()
