#include "space/wall_condition.h"

#include <catch2/catch.hpp>

#include "support/synthetic_study.h"

using namespace rooftune;

namespace {

SearchSpace formats() {
  return test::space_with(
      "formats", {test::knob("format", {"csr", "bcsr"}, "csr"), test::knob("bits", {32, 16}, 32)});
}

Configuration with(const std::string& format, int bits) {
  Configuration c = formats().baseline();
  c.set("format", format);
  c.set("bits", bits);
  return c;
}

WallConditions stated(const std::string& text, const Facts& facts = {}) {
  return wall_conditions_from_json(parse_json(text, "space.json"), "space.json", formats(), facts);
}

}  // namespace

TEST_CASE("configurations stand in front of the walls of which the space says so") {
  const WallConditions all = stated(R"({"walls": [
    {"wall": "wide rows", "holds": "format == 'csr' and bits == 32"},
    {"wall": "many", "holds": "rows // divisor > 3"},
    {"wall": "rows", "holds": "format == 'csr'"}]})",
                                    {{"rows", 10}, {"divisor", 0}});
  CHECK(all.walls(with("csr", 32)) == std::vector<std::string>{"wide rows", "rows"});
  CHECK(all.walls(with("csr", 16)) == std::vector<std::string>{"rows"});
  CHECK(all.walls(with("bcsr", 32)).empty());
  CHECK(stated("{}").walls(with("csr", 32)).empty());
}

TEST_CASE("statements that cannot be understood are named with their place") {
  const auto fault = [](const std::string& text) {
    try {
      stated(text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using Catch::Contains;
  CHECK_THAT(fault(R"({"walls": [{"wall": "w", "holds": "formt == 'csr'"}]})"),
             Contains("space.json: /walls/0/holds") && Contains("\"formt\" is neither a knob"));
  CHECK_THAT(fault(R"({"walls": [{"wall": "w", "holds": "format =="}]})"), Contains("holds"));
  CHECK_THAT(fault(R"({"walls": [{"holds": "bits == 32"}]})"), Contains("wall"));
  CHECK_THAT(fault(R"({"walls": [{"wall": "w", "hold": "bits == 32"}]})"), Contains("hold"));
}
