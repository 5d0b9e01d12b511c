// The contents of input arrays: a function of the element's position alone.
#pragma once
#include <cstdint>
#include <string>

#include "kernel/kernel.h"

namespace rooftune::run {

/// Writes elements [begin, end) of an array of `count` elements at `data`. Integers get the real
/// value rounded down, so uniform ones lie in [low, high).
void fill_range(const Fill& fill, Argument::Type type, void* data, std::int64_t begin,
                std::int64_t end, std::int64_t count);

/// Writes values no kernel computes to elements [begin, end): a NaN, or 0x7f7f... for integers.
void poison_range(Argument::Type type, void* data, std::int64_t begin, std::int64_t end);
/// True when all `count` elements still hold the poison.
bool is_all_poison(Argument::Type type, const void* data, std::int64_t count);

}  // namespace rooftune::run
