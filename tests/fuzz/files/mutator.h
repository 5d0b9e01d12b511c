// Damage: bytes flipped, cut, doubled and spliced, members of JSON documents replaced, moved and
// multiplied, expressions rewritten. And what becomes of it.
#pragma once
#include <string>
#include <vector>

#include "core/rng.h"

namespace rooftune::fuzz {

/// A damaged copy of one of `pool`, at most 64 KiB long. `pool` must not be empty.
std::string damaged(const std::vector<std::string>& pool, Rng& rng);
/// Some bytes of `text` damaged, whatever it is.
std::string damaged_bytes(std::string text, Rng& rng);

/// A message without its numbers, places and quotations: new kinds show new ways through a reader.
std::string kind_of(const std::string& message);

/// `text` as one member of a gzip file.
std::string packed(const std::string& text);

}  // namespace rooftune::fuzz
