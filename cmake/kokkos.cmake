# Which Kokkos the back end "kokkos" uses when the user names none at run time (ROOFTUNE_KOKKOS):
#   AUTO   the source tree in KOKKOS_SOURCE_DIR, built and installed inside this build; else what find_package(Kokkos)
#          finds; else none, said so: everything else works, and tune looks again when it runs;
#   FETCH  the pinned release, downloaded (cmake/fetch.cmake) and built inside this build;
#   OFF    none.
set(ROOFTUNE_KOKKOS "AUTO" CACHE STRING "Kokkos back end: AUTO, FETCH (build the pinned release) or OFF")
set(ROOFTUNE_KOKKOS_DIRECTORY "" CACHE INTERNAL "")
rooftune_source_option(KOKKOS "Kokkos")

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
  elseif(KOKKOS_SOURCE_DIR OR ROOFTUNE_KOKKOS STREQUAL "FETCH")
    rooftune_fetch(source KOKKOS libtrilinos-kokkos-dev
                   https://github.com/kokkos/kokkos/releases/download/4.7.01/kokkos-4.7.01.tar.gz
                   404cf33e76159e83b8b4ad5d86f6899d442b5da4624820ab457412116cdcd201)
    if(NOT EXISTS ${source}/CMakeLists.txt)
      message(FATAL_ERROR "KOKKOS_SOURCE_DIR=${source} holds no CMakeLists.txt: name the root of a Kokkos source tree")
    endif()
    message(STATUS "Kokkos back end: built inside this build")
    rooftune_build_kokkos(${source})
  else()
    find_package(Kokkos QUIET)
    if(Kokkos_FOUND)
      message(STATUS "Kokkos back end: ${Kokkos_DIR}")
      set(ROOFTUNE_KOKKOS_DIRECTORY ${Kokkos_DIR} CACHE INTERNAL "")
    else()
      message(STATUS "Kokkos back end: none is here (scripts/install-packages kokkos, or -DROOFTUNE_KOKKOS=FETCH)")
    endif()
  endif()
endfunction()

rooftune_find_kokkos()
