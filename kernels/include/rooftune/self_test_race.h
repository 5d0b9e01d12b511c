// Two shared objects of an exported library against each other, interleaved in one process.
// SPDX-License-Identifier: MIT-0
#pragma once
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace rooftune_library {

/// The object's own function of this name; ends the program where there is none.
template <class Function>
Function* function_of(void* object, const char* name, Function*) {
  void* const found = dlsym(object, name);
  if (found) return reinterpret_cast<Function*>(found);
  std::printf("%s\n", dlerror());
  std::exit(2);
}

template <class Call>
double seconds_of(int calls, const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Seconds of so many calls.
using Rival = std::function<double(int calls)>;

/// Prints a line "round FIRST SECOND" of each round, in seconds per call. Exit code 2: one does not
/// load.
inline int race(const char* first, const char* second,
                const std::function<Rival(void* object)>& prepared) {
  std::vector<Rival> rivals;
  for (const char* file : {first, second}) {
    void* const object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
      std::printf("%s\n", dlerror());
      return 2;
    }
    rivals.push_back(prepared(object));
  }
  constexpr double sample = 5e-3;
  constexpr int rounds = 20;
  std::vector<int> calls;  // of a sample of each: one may take a thousand times as long
  for (const Rival& one : rivals) {
    const double shortest = std::min({one(1), one(1), one(1)});
    calls.push_back(static_cast<int>(std::clamp(sample / shortest, 1.0, 1e6)));
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    double seconds[2];
    for (const std::size_t turn : {round % 2, 1 - round % 2})
      seconds[turn] = rivals[turn](calls[turn]) / calls[turn];
    std::printf("round %.9g %.9g\n", seconds[0], seconds[1]);
  }
  return 0;
}

}  // namespace rooftune_library
