// The contents of input arrays: a function of the element's position alone.
#pragma once
#include <cstdint>

#include "kernel/kernel.h"
#include "run/element.h"

namespace rooftune::run {

/// Writes elements [begin, end) of an array of `count` elements at `data`. Integers get the real
/// value rounded down, so uniform ones lie in [low, high). Both parts of complex numbers are
/// uniform; else they are real.
void fill_range(const Fill& fill, ElementType type, void* data, std::int64_t begin,
                std::int64_t end, std::int64_t count);

/// Writes values no kernel computes to elements [begin, end): a NaN, or 0x7f7f... for others.
void poison_range(ElementType type, void* data, std::int64_t begin, std::int64_t end);
/// True when all `count` elements still hold the poison.
bool is_all_poison(ElementType type, const void* data, std::int64_t count);
/// Eight bytes of poison, the same from each element on.
std::uint64_t poison_word(ElementType type);
/// Of bytes from the start of an element on.
void poison_bytes(ElementType type, void* data, std::size_t bytes);

}  // namespace rooftune::run
