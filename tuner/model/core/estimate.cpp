// Words for the kinds of a number's source.
#include "core/estimate.h"

#include <array>
#include <utility>
#include <vector>

#include "core/error.h"

namespace rooftune::core {
namespace {

constexpr std::array<std::pair<Source::Kind, const char*>, 6> kinds{{
    {Source::Kind::vendor, "vendor"},
    {Source::Kind::measured, "measured"},
    {Source::Kind::modelled, "modelled"},
    {Source::Kind::counted, "counted"},
    {Source::Kind::instrumented, "instrumented"},
    {Source::Kind::declared, "declared"},
}};

}  // namespace

const char* to_text(Source::Kind kind) {
  for (const auto& [known, word] : kinds)
    if (known == kind) return word;
  return "declared";
}

Source::Kind source_kind(const std::string& text) {
  std::vector<std::string> words;
  for (const auto& [known, word] : kinds) {
    if (text == word) return known;
    words.emplace_back(word);
  }
  throw Error("unknown kind of source \"" + text + "\"", {}, did_you_mean(text, words));
}

}  // namespace rooftune::core
