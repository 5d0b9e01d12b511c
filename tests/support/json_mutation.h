// Damaged copies of a JSON document, for fuzzing readers: each seed damages it in its own way.
#pragma once
#include <string>
#include <vector>

#include "core/json.h"
#include "core/rng.h"

namespace rooftune::test {

/// Replaces, removes or renames one member somewhere inside `json`.
inline void damage(Json& json, Rng& rng) {
  static const std::vector<Json> strangers{
      nullptr,        true,       -1,     0,
      1e300,          1e-300,     0.5,    "",
      "fma",          "x",        {},     Json::array(),
      Json::object(), 4294967296, "KB/s", Json::array({1, "a"})};
  if (json.is_structured() && !json.empty() && rng.below(6) != 0) {
    auto at = json.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(rng.below(json.size())));
    if (rng.below(12) == 0)
      json.erase(at);
    else
      damage(*at, rng);
    return;
  }
  json = strangers[rng.below(strangers.size())];
}

/// Cuts, flips and doubles bytes of the text.
inline std::string damaged(std::string text, Rng& rng) {
  for (std::uint64_t i = 0; i < 1 + rng.below(4) && !text.empty(); ++i) {
    const std::size_t at = rng.below(text.size());
    switch (rng.below(3)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text[at] = static_cast<char>(rng.below(256));
        break;
      default:
        text.insert(at, text.substr(at, rng.below(20)));
    }
  }
  return text;
}

}  // namespace rooftune::test
