// Work, traffic and array sizes of a kernel for one problem, and what a formula may not yield.
#include <catch2/catch.hpp>

#include "kernel/kernel.h"
#include "space/space_reader.h"
#include "support/manifest_folder.h"

using namespace rooftune;
using namespace rooftune::testing;
using Catch::Contains;

namespace {

Kernel kernel_with(const std::string& pointer, const Json& value) {
  Json manifest = triad_manifest();
  manifest[Json::json_pointer("/" + pointer)] = value;
  const ManifestFolder folder(manifest);
  return read_kernel(folder.path());
}

Kernel triad() { return kernel_with("title", "triad"); }

const Facts small = {{"n", Value(1000)}, {"s", Value(2.0)}, {"order", Value("up")}};

}  // namespace

TEST_CASE("work and traffic are the formulas at the problem's parameters") {
  const Kernel kernel = triad();
  const Work least = work(kernel, small);
  CHECK(work(kernel_with("work/partial", true), small).partial);
  CHECK(work(kernel_with("work/operations", Json{{"fp64", {{"mul", "n"}}}}), small)
            .operations.at("fp64")
            .at("mul") == 1000);
  CHECK(least.least.at("fp64") == Flops(2000));
  CHECK(least.nominal == Flops(3000));
  CHECK(least.items == 1000);
  CHECK(least.item == "element");
  const Traffic moved = traffic(kernel, small);
  CHECK(moved.read == Bytes(16000));
  CHECK(moved.write == Bytes(8000));
  CHECK(moved.footprint == Bytes(24000));
  CHECK(moved.warm);
  CHECK(array_bytes(kernel, small) == 8 * 1000 + 4 * 1001 + 8 * 1000);
}

TEST_CASE("a wall stands only where its condition holds") {
  const Kernel kernel = triad();
  REQUIRE(traffic(kernel, small).walls.size() == 1);
  CHECK(traffic(kernel, small).walls[0].name == "write allocate");
  CHECK(traffic(kernel, small).walls[0].read == Bytes(24000));
  Facts large = small;
  large["n"] = Value(5000);
  CHECK(traffic(kernel, large).walls.size() == 2);
}

TEST_CASE("a formula that yields no amount names itself") {
  CHECK_THROWS_WITH(work(kernel_with("work/least/fp64", "n - 2000"), small),
                    Contains("work/least/fp64") && Contains("negative"));
  CHECK_THROWS_WITH(work(kernel_with("work/nominal", "n / (n - 1000)"), small),
                    Contains("work/nominal"));
  CHECK_THROWS_WITH(work(kernel_with("work/items", "order"), small), Contains("no number"));
  CHECK_THROWS_WITH(work(kernel_with("work/items", "float(1e308) * 1e308"), small),
                    Contains("work/items"));
  CHECK_THROWS_WITH(traffic(kernel_with("traffic/footprint", "15*n"), small),
                    Contains("traffic/footprint") && Contains("smaller"));
  CHECK_THROWS_WITH(array_bytes(kernel_with("arguments/3/count", "n / 3"), small),
                    Contains("arguments/3/count") && Contains("whole number"));
  CHECK_THROWS_WITH(array_bytes(kernel_with("arguments/3/count", "n - 2000"), small),
                    Contains("negative"));
  CHECK_THROWS_AS(work(triad(), {}), Error);
}

TEST_CASE("names of scalar arguments are those of parameters, facts or knobs") {
  const Kernel kernel = triad();
  const Json knobs =
      Json::parse(R"({"schema": "rooftune-space-1", "kernel": "triad", "backend": "openmp",
    "knobs": [{"name": "block_rows", "kind": "argument", "values": [1, 2], "default": 1, "breaks": ["ilp"]}]})");
  CHECK(unknown_names(kernel, space_from_json(knobs, "space", small)).empty());
  Json compile = knobs;
  compile["knobs"][0]["kind"] = "compile";
  CHECK(unknown_names(kernel, space_from_json(compile, "space", small)).empty());
  Json other = knobs;
  other["knobs"][0]["name"] = "rows";
  CHECK(unknown_names(kernel, space_from_json(other, "space", small)) ==
        std::vector<std::string>{"block_rows"});
}
