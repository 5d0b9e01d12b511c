// 128-bit XXH3 over labelled parts.
#include "core/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "core/list.h"
#include "core/text.h"

namespace rooftune::core {

LabelledHash& LabelledHash::add(std::string label, std::string_view text) {
  parts_.emplace_back(std::move(label), std::string(text));
  return *this;
}

std::string LabelledHash::hex() const {
  std::string all;
  // Lengths come before the bytes, so two different lists of parts never give the same stream.
  for (const auto& [label, text] : parts_) {
    all += fmt::format("{} {}\n", label.size(), text.size());
    all += label;
    all += text;
  }
  return hash_hex(all);
}

std::string LabelledHash::dump() const {
  constexpr size_t shown_characters = 200;
  std::string lines;
  for (const auto& [label, text] : parts_) {
    lines += label + " = ";
    const bool shown = text.size() <= shown_characters && !contains(text, '\n');
    lines += shown ? text : fmt::format("<{} bytes, {}>", text.size(), hash_hex(text));
    lines += '\n';
  }
  // Plain, since it is kept as JSON and compared with the text read back.
  return plain_text(std::move(lines));
}

std::string hash_hex(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace rooftune::core
