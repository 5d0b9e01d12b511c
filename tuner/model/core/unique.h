// A base for classes whose objects are not copied: each owns a file, a process or a place in
// memory.
#pragma once
#include "core/modules.h"

namespace rooftune::core {

struct Unique {
  Unique() = default;
  Unique(const Unique&) = delete;
  Unique& operator=(const Unique&) = delete;
};

}  // namespace rooftune::core
