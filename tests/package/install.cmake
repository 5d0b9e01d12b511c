# Installs BUILD into an empty PREFIX and looks for what a user will need there.
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} COMMAND_ERROR_IS_FATAL ANY
                OUTPUT_QUIET)
set(of_applications)
if(APPLICATIONS)
  set(of_applications include/rooftune/rooftune.h include/rooftune/rooftune.f90 share/rooftune/python/rooftune/__init__.py)
endif()
foreach(wanted include/rooftune/core/quantity.h include/rooftune/core/version.h share/rooftune/kernels
               share/rooftune/search_spaces share/rooftune/machines
               share/rooftune/kernels/include/rooftune/problem.h ${of_applications})
  if(NOT EXISTS ${PREFIX}/${wanted})
    message(FATAL_ERROR "${wanted} was not installed")
  endif()
endforeach()
if(EXISTS ${PREFIX}/share/rooftune/machines/host.json)
  message(FATAL_ERROR "this computer's own machine file was installed")
endif()
file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/kernels/*)
foreach(file ${files})
  if(NOT EXISTS ${PREFIX}/share/rooftune/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
