// Damage: bytes flipped, cut, doubled and spliced, members of JSON documents replaced, moved and
// multiplied, expressions rewritten.
#pragma once
#include <string>
#include <vector>

#include "core/rng.h"

namespace rooftune::fuzz {

/// A damaged copy of one of `pool`, at most 64 KiB long. `pool` must not be empty.
std::string damaged(const std::vector<std::string>& pool, Rng& rng);
/// Some bytes of `text` damaged, whatever it is.
std::string damaged_bytes(std::string text, Rng& rng);

}  // namespace rooftune::fuzz
