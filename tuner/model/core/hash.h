// A labelled content hash: every ingredient has a name, so a key can be explained.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::core {

/// 128-bit XXH3 over labelled parts; order matters. `dump()` lists the parts for `tune explain`.
class LabelledHash {
 public:
  LabelledHash& add(std::string label, std::string_view text);
  /// 32 hexadecimal digits over all (label, length, text) so far.
  std::string hex() const;
  /// One "label = text" line per part; a text with several lines or over 200 bytes is shown as "<n
  /// bytes, hash>".
  std::string dump() const;

 private:
  TextPairs parts_;
};

/// 32 hexadecimal digits for one text.
std::string hash_hex(std::string_view text);

}  // namespace rooftune::core
