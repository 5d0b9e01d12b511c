// What every page keeps to: well-formed, self-contained, and its scripts named in its policy.
#pragma once
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <set>
#include <string>

#include "support/scratch_folder.h"
#include "support/xml_check.h"

namespace rooftune::sample {

inline void check_self_contained(const std::string& text) {
  CHECK(xml_fault(text) == "");
  // Nothing is fetched: the only addresses are the namespace of SVG.
  std::string rest = text;
  const std::string space = "http://www.w3.org/2000/svg";
  for (std::size_t at = rest.find(space); at != std::string::npos; at = rest.find(space))
    rest.erase(at, space.size());
  for (const char* outside : {"http:", "https:", "src=", "@import", "url("})
    CHECK(rest.find(outside) == std::string::npos);
}

/// The texts of a page's <tag> without attributes, each once: those that a browser runs or uses.
inline std::set<std::string> elements(const std::string& page, const std::string& tag) {
  const std::string open = "<" + tag + ">", close = "</" + tag + ">";
  std::set<std::string> found;
  for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open, at + 1)) {
    const std::size_t begin = at + open.size();
    found.insert(page.substr(begin, page.find(close, begin) - begin));
  }
  return found;
}

/// What a script or a style sheet is called in a Content-Security-Policy: "'sha256-...='", by the
/// system's program.
inline std::string policy_hash(const std::string& script) {
  const testing::ScratchFolder folder;
  const auto file = folder.write("script.js", script);
  FILE* const pipe = popen(("sha256sum " + file.string()).c_str(), "r");
  REQUIRE(pipe);
  std::array<unsigned, 33> bytes{};
  for (std::size_t i = 0; i < 32; ++i) REQUIRE(std::fscanf(pipe, "%2x", &bytes[i]) == 1);
  pclose(pipe);
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string hash;
  for (std::size_t i = 0; i < 33; i += 3) {
    const unsigned three = bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
    for (const int shift : {18, 12, 6, 0}) hash += digits[three >> shift & 63];
  }
  hash.back() = '=';
  return "'sha256-" + hash + "'";
}

}  // namespace rooftune::sample
