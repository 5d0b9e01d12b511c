// What the stand-ins for cuBLAS and cuSPARSE share: the card as they see it, which is the stand-in
// for the driver that $ROOFTUNE_LIBCUDA names; they compute on its memory, the host's, and launch a
// kernel for the time. FAKE_CUDA may say, besides:
//   <function>=N      the function returns status N; handle=M: only where a process has the M-th
//                     handle of all that the log tells of
//   major=N           the library's version (12)
// $FAKE_VENDOR_LOG names a file that gets a line for everything that is made or destroyed.
#pragma once
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include "support/fake_card.h"

namespace rooftune::test::fake_vendor {

inline void log(const char* what) {
  const char* const name = std::getenv("FAKE_VENDOR_LOG");
  if (!name) return;
  if (std::FILE* const file = std::fopen(name, "a")) {
    std::fprintf(file, "%s\n", what);
    std::fclose(file);
  }
}

/// Handles of all processes so far.
inline int handles() {
  const char* const name = std::getenv("FAKE_VENDOR_LOG");
  std::ifstream lines(name ? name : "");
  int count = 0;
  for (std::string line; std::getline(lines, line);) count += line == "create handle" ? 1 : 0;
  return count;
}

/// What the function has to return before it does anything; 0: nothing.
inline int told(const char* function) {
  const int status = fake_card::number(function);
  return status != 0 && handles() >= fake_card::number("handle") ? status : 0;
}

inline int property(int type, int* value) {
  *value = type == 0 ? fake_card::number("major", "12") : 0;
  return 0;
}

/// The driver that the process has opened already.
template <class Function>
Function driver(const char* name) {
  static void* const library = dlopen(std::getenv("ROOFTUNE_LIBCUDA"), RTLD_NOW);
  return reinterpret_cast<Function>(dlsym(library, name));
}

inline bool has_context() {
  void* context = nullptr;
  driver<int (*)(void**)>("cuCtxGetCurrent")(&context);
  return context != nullptr;
}

/// So many bytes from here on lie in one array of the card.
inline bool is_on_card(const void* from, std::size_t bytes) {
  using Address = unsigned long long;
  const auto address = reinterpret_cast<Address>(from);
  Address start = 0;
  std::size_t size = 0;
  return driver<int (*)(Address*, std::size_t*, Address)>("cuMemGetAddressRange_v2")(
             &start, &size, address) == 0 &&
         address + bytes <= start + size;
}

/// As a library does it, a thread for each element; false where the stream is none of the card's.
inline bool launch(void* stream, std::int64_t elements) {
  void* function = nullptr;
  driver<int (*)(void**, void*, const char*)>("cuModuleGetFunction")(&function, nullptr,
                                                                     "library_kernel");
  void* none[] = {nullptr};
  using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         unsigned, void*, void**, void**);
  return driver<Launch>("cuLaunchKernel")(function, static_cast<unsigned>(elements / 256 + 1), 1, 1,
                                          256, 1, 1, 0, stream, none, nullptr) == 0;
}

}  // namespace rooftune::test::fake_vendor
