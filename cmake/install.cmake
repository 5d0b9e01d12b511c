# What `cmake --install` lays out: bin/tune, the module libraries and headers, share/rooftune with the data
# folders where the installed tune finds them, what applications use (librooftune.so with its headers, the modules for
# Fortran and Python), and the packages that find_package(rooftune) and pkg-config read.
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY ROOFTUNE_MODULES)
# Commands belong to the program.
list(FILTER modules EXCLUDE REGEX "_commands$")
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/rooftune)

# rooftune::rooftune is the whole engine, rooftune::<module> one module.
add_library(rooftune INTERFACE)
add_library(rooftune::rooftune ALIAS rooftune)
target_link_libraries(rooftune INTERFACE ${modules})
foreach(module ${modules})
  string(REPLACE "rooftune_" "" name ${module})
  set_target_properties(${module} PROPERTIES EXPORT_NAME ${name})
  add_library(rooftune::${name} ALIAS ${module})
endforeach()
install(TARGETS rooftune ${modules} EXPORT rooftune_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT rooftune_targets NAMESPACE rooftune:: DESTINATION ${package_directory}
        FILE rooftuneTargets.cmake)

# Headers of modules lie beside each other: an #include names the module, not its floor.
set(floors model computer studies answer)
foreach(extension nights applications replay instrumentation)
  string(TOUPPER ROOFTUNE_${extension} option)
  if(${option})
    list(APPEND floors extensions/${extension})
  endif()
endforeach()
foreach(floor ${floors})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/tuner/${floor}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rooftune
          FILES_MATCHING PATTERN "*.h" PATTERN "*_commands" EXCLUDE PATTERN "kokkos" EXCLUDE PATTERN "runtime" EXCLUDE PATTERN "bindings" EXCLUDE)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/tuner/generated/core/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rooftune/core)

if(ROOFTUNE_APPLICATIONS)
  install(TARGETS rooftune_runtime rooftune_runtime_static EXPORT rooftune_runtime_targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT rooftune_runtime_targets NAMESPACE rooftune:: DESTINATION ${package_directory}
          FILE rooftuneRuntimeTargets.cmake)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/tuner/extensions/applications/runtime/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  set(bindings ${PROJECT_SOURCE_DIR}/tuner/extensions/applications/bindings)
  install(FILES ${bindings}/fortran/rooftune.f90 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rooftune)
  install(DIRECTORY ${bindings}/python/rooftune DESTINATION ${CMAKE_INSTALL_DATADIR}/rooftune/python
          FILES_MATCHING PATTERN "*.py")
  # By this pip and importlib.metadata know what is installed there.
  configure_file(${CMAKE_CURRENT_LIST_DIR}/python_metadata.in ${PROJECT_BINARY_DIR}/python_metadata @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/python_metadata RENAME METADATA
          DESTINATION ${CMAKE_INSTALL_DATADIR}/rooftune/python/rooftune-${PROJECT_VERSION}.dist-info)
  file(RELATIVE_PATH package_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" package_to_prefix ${package_to_prefix})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/rooftune.pc.in ${PROJECT_BINARY_DIR}/rooftune.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/rooftune.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/rooftuneConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/rooftuneConfig.cmake
                              INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rooftuneConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rooftuneConfig.cmake ${PROJECT_BINARY_DIR}/rooftuneConfigVersion.cmake
        DESTINATION ${package_directory})

# A machine file describes one computer: what this one measured stays here.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels ${PROJECT_SOURCE_DIR}/search_spaces
        ${PROJECT_SOURCE_DIR}/machines DESTINATION ${CMAKE_INSTALL_DATADIR}/rooftune
        PATTERN "host.json" EXCLUDE)
# Exported libraries carry it.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/rooftune)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "tune.1" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/docs/tune.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/scripts/completion.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tune)

if(TARGET tune)
  install(TARGETS tune RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(ROOFTUNE_APPLICATIONS)
    install(TARGETS rooftune_kokkos LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endif()
