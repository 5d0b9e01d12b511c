// The contents of input arrays: a function of the element's position alone.
#pragma once
#include <cstdint>
#include <string>

#include "kernel/kernel.h"

namespace rooftune::run {

/// Calls body(T*) with a null pointer of the element's type.
template <class Body>
auto with_type(Argument::Type type, Body body) {
  switch (type) {
    case Argument::Type::int32:
      return body(static_cast<std::int32_t*>(nullptr));
    case Argument::Type::int64:
      return body(static_cast<std::int64_t*>(nullptr));
    case Argument::Type::float32:
      return body(static_cast<float*>(nullptr));
    case Argument::Type::float64:
      break;
  }
  return body(static_cast<double*>(nullptr));
}

/// Writes elements [begin, end) of an array of `count` elements at `data`. Integers get the real
/// value rounded down, so uniform ones lie in [low, high).
void fill_range(const Fill& fill, Argument::Type type, void* data, std::int64_t begin,
                std::int64_t end, std::int64_t count);

/// Writes values no kernel computes to elements [begin, end): a NaN, or 0x7f7f... for integers.
void poison_range(Argument::Type type, void* data, std::int64_t begin, std::int64_t end);
/// True when all `count` elements still hold the poison.
bool is_all_poison(Argument::Type type, const void* data, std::int64_t count);

}  // namespace rooftune::run
