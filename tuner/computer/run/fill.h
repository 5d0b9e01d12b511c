// What arrays hold: fills from the manifest, and poison.
#pragma once
#include <cstdint>

#include "kernel/element_type.h"
#include "kernel/kernel.h"

namespace rooftune::run {

/// Writes elements [begin, end) of the array at `data`, which has `count` elements. Integers get
/// the real value rounded down, so uniform ones lie in [low, high). A uniform complex number has
/// two uniform parts; any other is real.
void fill_range(const Fill& fill, ElementType type, void* data, int64_t begin, int64_t end,
                int64_t count);

/// Writes values no kernel computes to elements [begin, end): a NaN, or 0x7f7f... for others.
void poison_range(ElementType type, void* data, int64_t begin, int64_t end);
/// True when all `count` elements still hold the poison.
bool is_all_poison(ElementType type, const void* data, int64_t count);

}  // namespace rooftune::run
