// What a study is about, as a spec asks for it, a record keeps it and a series of nights repeats
// it.
#pragma once
#include <cstdint>
#include <string>

#include "core/modules.h"

namespace rooftune::store {

struct StudySubject {
  std::string kernel = {}, backend = {}, machine = {};  ///< names; a spec's kernel may be a folder
  int threads = 0;                                      ///< most threads; in a spec 0: all usable
};

/// Kernel, back end and id name a study's folder.
struct StudyKey : StudySubject {
  std::string id = {};  ///< hash of what a study's identity has, and of the sources
};

/// How a study searches.
struct SearchMethod {
  std::string strategy;
  uint64_t seed = 1;
};

}  // namespace rooftune::store
