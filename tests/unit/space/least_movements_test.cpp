#include <catch2/catch.hpp>

#include "space/search_space.h"
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

LeastMovements stated(const std::string& text, const Facts& facts = {}) {
  return least_movements_from_json(parse_json(text, "space.json"), "space.json", formats(), facts);
}

Traffic problem() {
  Traffic traffic;
  traffic.read = Bytes(100);
  traffic.write = Bytes(20);
  traffic.footprint = Bytes(110);
  traffic.walls = {{"wide rows", Paradigm::compulsory, "DRAM", Bytes(300), Bytes(20)},
                   {"many", Paradigm::capacity, "", Bytes(500), Bytes(20)},
                   {"rows", Paradigm::capacity, "", Bytes(200), Bytes(20)}};
  return traffic;
}

std::vector<std::string> names(const LeastMovements& all, const Configuration& configuration) {
  std::vector<std::string> result;
  for (const Movement& movement : all.compute(configuration, problem()))
    result.push_back(movement.what);
  return result;
}

}  // namespace

TEST_CASE("configurations stand in front of the walls of which the space says so") {
  const LeastMovements all = stated(R"({"walls": [
    {"wall": "wide rows", "holds": "format == 'csr' and bits == 32"},
    {"wall": "many", "holds": "rows // divisor > 3"},
    {"wall": "rows", "holds": "format == 'csr'"}]})",
                                    {{"rows", 10}, {"divisor", 0}});
  CHECK(names(all, with("csr", 32)) == std::vector<std::string>{"\"wide rows\"", "\"rows\""});
  CHECK(names(all, with("csr", 16)) == std::vector<std::string>{"\"rows\""});
  CHECK(names(all, with("bcsr", 32)).empty());
  CHECK(names(stated("{}"), with("csr", 32)).empty());
  const Movement wall = all.compute(with("csr", 32), problem()).front();
  CHECK(wall.level == "DRAM");
  CHECK(wall.read.value() == 300);
  CHECK(wall.passes == 3);
  CHECK_FALSE(wall.footprint);
  CHECK(all.knobs() == std::set<std::string>{"bits", "format"});
}

TEST_CASE("configurations move what the space says that they do") {
  const LeastMovements all = stated(R"({"moves": [
    {"what": "as stored", "holds": "format == 'csr'", "read": "rows*bits/8", "footprint": "rows*bits/8 + 20", "passes": "2"},
    {"what": "through caches", "plain_stores": "bits == 16"},
    {"what": "without a result", "read": "rows/divisor"}]})",
                                    {{"rows", 10}, {"divisor", 0}});
  CHECK(names(all, with("csr", 32)) == std::vector<std::string>{"as stored", "through caches"});
  CHECK(names(all, with("bcsr", 32)) == std::vector<std::string>{"through caches"});
  const std::vector<Movement> wide = all.compute(with("csr", 32), problem());
  CHECK(wide[0].read.value() == 40);
  CHECK(wide[0].write.value() == 20);  // the problem's
  CHECK(wide[0].footprint->value() == 60);
  CHECK(wide[0].passes == 2);
  CHECK_FALSE(wide[1].plain_stores);
  CHECK(all.compute(with("csr", 16), problem())[1].plain_stores);
  CHECK(wide[1].read.value() == 100);
  CHECK(wide[1].footprint->value() == 110);
  CHECK(all.knobs() == std::set<std::string>{"bits", "format"});
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
  CHECK_THAT(fault(R"({"moves": [{"what": "m", "read": "8*row"}]})"),
             Contains("space.json: /moves/0/read") && Contains("\"row\" is neither a knob"));
  CHECK_THAT(fault(R"({"moves": [{"what": "m", "holds": "bits == 32"}]})"),
             Contains("nothing is stated"));
}
