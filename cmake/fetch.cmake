# Sources of dependencies that are not installed: named by the user, or release archives of their projects, pinned by
# their SHA-256 and downloaded when the build is configured.
option(ROOFTUNE_FETCH "Download the pinned archives of dependencies that are not here" ON)
set(ROOFTUNE_ARCHIVES "$ENV{ROOFTUNE_ARCHIVES}" CACHE PATH "Folder of archives that were downloaded elsewhere")

# rooftune_source_option(<NAME> <what>): <NAME>_SOURCE_DIR, of the command line or the environment.
function(rooftune_source_option name what)
  set(${name}_SOURCE_DIR "$ENV{${name}_SOURCE_DIR}" CACHE PATH "Source tree of ${what}, where no package has it")
endfunction()

# rooftune_archive(<result> <name> <what> <url> <cure>): the archive <name>, from ROOFTUNE_ARCHIVES, or downloaded once
# for this build.
function(rooftune_archive result name what url cure)
  foreach(folder ${ROOFTUNE_ARCHIVES} ${PROJECT_BINARY_DIR}/archives)
    if(EXISTS ${folder}/${name})
      set(${result} ${folder}/${name} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  if(NOT ROOFTUNE_FETCH)
    message(FATAL_ERROR "${what} is not here, and ROOFTUNE_FETCH is off. ${cure}")
  endif()
  message(STATUS "${what} is not here: downloading ${url}")
  set(file ${PROJECT_BINARY_DIR}/archives/${name})
  # Under another name until it is whole.
  file(DOWNLOAD ${url} ${file}.part STATUS status TIMEOUT 300 INACTIVITY_TIMEOUT 20)
  list(POP_FRONT status code)
  if(code)
    file(REMOVE ${file}.part)
    message(FATAL_ERROR "${what} is not here, and ${url} cannot be downloaded (${status}). ${cure}")
  endif()
  file(RENAME ${file}.part ${file})
  set(${result} ${file} PARENT_SCOPE)
endfunction()

# rooftune_fetch(<result> <NAME> <package> <url> <sha256>): the folder of the sources, <NAME>_SOURCE_DIR where that is
# set. What is missing ends the configuration with every cure, <package> being Debian's.
function(rooftune_fetch result name package url sha256)
  string(TOLOWER ${name} what)
  if(${name}_SOURCE_DIR)
    message(STATUS "${what}: of ${${name}_SOURCE_DIR}")
    set(${result} ${${name}_SOURCE_DIR} PARENT_SCOPE)
    return()
  endif()
  # As a browser calls it: fmt-9.1.0.tar.gz.
  string(REGEX REPLACE ".*github.com/[^/]+/([^/]+)/.*/v?([^/]+)$" "\\1-\\2" archive ${url})
  string(REGEX REPLACE "^(.+)-\\1-" "\\1-" archive ${archive})
  set(cure "Install it (Debian: ${package}), name its unpacked sources by -D${name}_SOURCE_DIR=, or download ${url} ")
  string(APPEND cure "elsewhere as ${archive} into a folder that -DROOFTUNE_ARCHIVES= names")
  rooftune_archive(file ${archive} ${what} ${url} "${cure}")
  file(SHA256 ${file} found)
  if(NOT found STREQUAL sha256)
    # One that was downloaded here would only be in the way.
    file(REMOVE ${PROJECT_BINARY_DIR}/archives/${archive})
    message(FATAL_ERROR "${file} is not the archive that is expected: its SHA-256 is ${found}, not ${sha256}. "
                        "It is not used. ${cure}")
  endif()
  set(folder ${PROJECT_BINARY_DIR}/archives/${sha256})
  file(ARCHIVE_EXTRACT INPUT ${file} DESTINATION ${folder})
  file(GLOB top ${folder}/*)
  message(STATUS "${what}: of ${file}")
  set(${result} ${top} PARENT_SCOPE)
endfunction()
