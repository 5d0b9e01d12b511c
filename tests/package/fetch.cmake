# cmake/fetch.cmake with archives of its own. Usage: cmake -DSOURCE=<tree> -DWORK=<folder> -P fetch.cmake
# The script calls itself with CASE=<arguments of one configuration>, which may fail.
if(RESULT_OF)
  include(${SOURCE}/cmake/fetch.cmake)
  set(PROJECT_BINARY_DIR ${WORK}/build)
  rooftune_fetch(tree THING libthing-dev ${RESULT_OF} ${SHA256})
  file(READ ${tree}/thing.h text)
  message(STATUS "read ${text}")
  return()
endif()

file(REMOVE_RECURSE ${WORK})
set(place ${WORK}/web/github.com/owner/thing/archive)
file(WRITE ${WORK}/thing-1.0/thing.h "the header")
file(MAKE_DIRECTORY ${place} ${WORK}/archives)
execute_process(COMMAND ${CMAKE_COMMAND} -E tar cz ${place}/v1.0.tar.gz thing-1.0 WORKING_DIRECTORY ${WORK}
                COMMAND_ERROR_IS_FATAL ANY)
file(SHA256 ${place}/v1.0.tar.gz right)

# expect(<what is said> <url> <sha256> <arguments>...)
function(expect said url sha256)
  execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE=${SOURCE} -DWORK=${WORK} -DRESULT_OF=${url} -DSHA256=${sha256} ${ARGN}
                          -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  # Messages are wrapped.
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(NOT output MATCHES "${said}")
    message(FATAL_ERROR "expected: ${said}\ngot: ${output}")
  endif()
endfunction()

set(here file://${place}/v1.0.tar.gz)
set(nowhere file://${WORK}/github.com/owner/thing/archive/v1.0.tar.gz)
set(cure "libthing-dev.*-DTHING_SOURCE_DIR=.*${nowhere} elsewhere as thing-1.0.tar.gz .*-DROOFTUNE_ARCHIVES=")
expect("thing is not here, and ${nowhere} cannot be downloaded .*${cure}" ${nowhere} ${right})
expect("ROOFTUNE_FETCH is off.*${cure}" ${nowhere} ${right} -DROOFTUNE_FETCH=OFF)
expect("read the header" ${nowhere} ${right} -DTHING_SOURCE_DIR=${WORK}/thing-1.0)
expect("thing-1.0.tar.gz is not the archive .* is ${right}, not 0+1" ${here} 0001)
expect("downloading.*read the header" ${here} ${right})
# It is kept, and needs no network when the build is configured again.
expect("read the header" ${nowhere} ${right} -DROOFTUNE_FETCH=OFF)
file(REMOVE_RECURSE ${WORK}/build)
file(WRITE ${WORK}/archives/thing-1.0.tar.gz "half an arch")
expect("archives/thing-1.0.tar.gz is not the archive" ${here} ${right} -DROOFTUNE_ARCHIVES=${WORK}/archives)
file(COPY_FILE ${place}/v1.0.tar.gz ${WORK}/archives/thing-1.0.tar.gz)
expect("read the header" ${nowhere} ${right} -DROOFTUNE_ARCHIVES=${WORK}/archives -DROOFTUNE_FETCH=OFF)
