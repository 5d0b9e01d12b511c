// Compares a text with the one that was approved, after taking out what may differ (the version).
// ROOFTUNE_APPROVE=1 ctest -L golden writes the approved files anew: look at the diff, then commit
// it.
#pragma once
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/version.h"

namespace rooftune::sample {

inline std::string normalised(std::string text) {
  const std::string footer = std::string("Rooftune ") + version;
  for (std::size_t at = text.find(footer); at != std::string::npos; at = text.find(footer, at + 1))
    text.replace(at, footer.size(), "Rooftune VERSION");
  return text;
}

inline std::string first_difference(const std::string& approved, const std::string& now) {
  std::istringstream a(approved), b(now);
  std::string line_a, line_b;
  for (int number = 1;; ++number) {
    const bool more_a = static_cast<bool>(std::getline(a, line_a));
    const bool more_b = static_cast<bool>(std::getline(b, line_b));
    if (!more_a && !more_b) return "only the end of the last line differs";
    if (!more_a || !more_b || line_a != line_b)
      return "line " + std::to_string(number) +
             "\n  approved: " + (more_a ? line_a.substr(0, 400) : "(end)") +
             "\n  now:      " + (more_b ? line_b.substr(0, 400) : "(end)");
  }
}

/// What is approved is written anew.
inline bool approving() {
  const char* const approve = std::getenv("ROOFTUNE_APPROVE");
  return approve && *approve == '1';
}

/// `path` is a file of the source tree.
inline void check_approved(const std::string& path, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(ROOFTUNE_SOURCE_DIR) / path;
  const std::string now = normalised(text);
  if (approving()) {
    std::ofstream(file, std::ios::binary) << now;
    WARN("approved: " << file.string());
    return;
  }
  std::ifstream in(file, std::ios::binary);
  INFO("approve with: ROOFTUNE_APPROVE=1 ctest -L golden");
  INFO(file.string());
  REQUIRE(in.good());
  const std::string approved{std::istreambuf_iterator<char>(in), {}};
  // Not CHECK(approved == now): a difference would print two whole pages.
  if (approved != now) FAIL_CHECK(first_difference(approved, now));
  SUCCEED();
}

/// `name` is a file of tests/golden/expected.
inline void check_golden(const std::string& name, const std::string& text) {
  check_approved("tests/golden/expected/" + name, text);
}

}  // namespace rooftune::sample
