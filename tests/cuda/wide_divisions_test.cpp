// Divisions of 64 bits in the PTX of the kernel that ROOFTUNE_TEST_KERNEL names. The compiler keeps
// a short way beside each, for numbers that fit 32 bits; even so they cost registers and branches.
// Threads and blocks are counted in 32 bits, by rows of a grid where there may be more.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <regex>
#include <sstream>

#include "core/file.h"
#include "support/nvrtc.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// How many divisions and remainders of 64 bits each kernel of a PTX has.
std::map<std::string, int> wide_divisions(const std::string& ptx) {
  static const std::regex entry(R"(\.entry\s+(\w+))"), wide(R"(\b(div|rem)\.[su]64\b)");
  std::map<std::string, int> found;
  std::istringstream lines(ptx);
  std::string kernel;
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_search(line, match, entry))
      kernel = match[1];
    else if (std::regex_search(line, wide))
      ++found[kernel];
  return found;
}

}  // namespace

TEST_CASE("figures: wide divisions are seen in PTX") {
  const auto found = wide_divisions(
      ".visible .entry one(\n\tdiv.s64 \t%rd1, %rd2, %rd3;\n\trem.u64 \t%rd1, %rd2, %rd3;\n"
      ".entry two(\n\tdiv.s32 \t%r1, %r2, %r3;\n\tdiv.rn.f64 \t%fd1, %fd2, %fd3;\n");
  CHECK(found == std::map<std::string, int>{{"one", 2}});
}

TEST_CASE("figures: no kernel divides by 64 bits") {
  if (!test::nvrtc_for(90)) return;
  const char* const named = std::getenv("ROOFTUNE_TEST_KERNEL");
  const std::string name = named ? named : "triad";
  const User user;
  const Ran ran =
      user.tune({"check", name, "--backend", "cuda", "--compile-only", "--machine", "h200",
                 "--sample", "1", "--problem",
                 read_json(std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "tests/cuda/problems.json")
                     .at(name)
                     .at("problem")
                     .get<std::string>(),
                 "--json", "check.json"},
                {}, 850);
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  std::size_t read = 0;
  const Json check = read_json(user.path("check.json"));
  for (const Json& one : check.at("backends").at(0).at("configurations")) {
    const std::filesystem::path code = std::filesystem::path(ROOFTUNE_TEST_CACHE) / "artefacts" /
                                       one.at("plan").at("artefact").get<std::string>() /
                                       "kernels.code";
    if (!std::filesystem::exists(code)) continue;  // it does not compile
    ++read;
    INFO(one.at("configuration").get<std::string>() << "\n" << code);
    CHECK(wide_divisions(read_text(code)) == std::map<std::string, int>{});
  }
  CHECK(read > 0);
}
