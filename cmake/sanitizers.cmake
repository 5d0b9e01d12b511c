# Compilers of preset modules: clang compiles unoptimised code under sanitizers in half of the time that gcc takes for
# -Og, and both run as long. Where a clang that knows the engine's C++ or its sanitizers are missing, gcc it is.
find_program(ROOFTUNE_CLANG NAMES clang++-19)
if(ROOFTUNE_CLANG AND NOT DEFINED ROOFTUNE_CLANG_SANITIZES)
  file(WRITE ${CMAKE_BINARY_DIR}/sanitized.cpp "int main() {}\n")
  execute_process(COMMAND ${ROOFTUNE_CLANG} -fsanitize=address,undefined ${CMAKE_BINARY_DIR}/sanitized.cpp -o /dev/null
                  RESULT_VARIABLE fails ERROR_QUIET)
  if(fails)
    set(ROOFTUNE_CLANG_SANITIZES OFF CACHE INTERNAL "")
  else()
    set(ROOFTUNE_CLANG_SANITIZES ON CACHE INTERNAL "")
  endif()
endif()
if(ROOFTUNE_CLANG_SANITIZES)
  set(CMAKE_CXX_COMPILER ${ROOFTUNE_CLANG})
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O0 -g0" CACHE STRING "")
else()
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-Og -g0" CACHE STRING "")
endif()
