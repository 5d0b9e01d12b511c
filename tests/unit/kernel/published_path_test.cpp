// Published paths: reading with every fault named, and placing steps in a space.
#include "support/published_path.h"

#include <catch2/catch.hpp>

#include "support/manifest_folder.h"

using namespace rooftune;
using Catch::Contains;
using testing::ManifestFolder;

namespace {

const char* const good = R"({
  "schema": "rooftune-path-1", "kernel": "triad", "backend": "openmp",
  "title": "a path", "source": "somebody 2020", "problem": {"n": 5000},
  "steps": [
    {"name": "v1", "title": "plain", "set": {}, "published": {"seconds": 1.5, "rate": 2e9, "machine": "M", "source": "page 3"}},
    {"name": "v2", "title": "unrolled", "set": {"unroll": 4}},
    {"name": "v3", "title": "streams", "set": {"store": "stream"}, "doc": "why"}]})";

Knob knob(const std::string& name, std::vector<Value> values) {
  Knob result;
  result.name = name;
  result.fallback = values.front();
  result.values = std::move(values);
  return result;
}

PublishedPath path_in(const ManifestFolder& folder, const std::string& text) {
  folder.write("published.openmp.json", text);
  return *testing::published_path(read_kernel(folder.path()), "openmp");
}

std::string path_fault(const std::string& text) {
  const ManifestFolder folder(testing::triad_manifest());
  try {
    path_in(folder, text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no fault";
}

std::string with(std::string from, const std::string& to) {
  std::string text = good;
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("a published path keeps names, words, figures and the publication's problem") {
  const ManifestFolder folder(testing::triad_manifest());
  CHECK_FALSE(testing::published_path(read_kernel(folder.path()), "openmp"));
  const PublishedPath path = path_in(folder, good);
  CHECK(path.title == "a path");
  CHECK(path.problem.at("n") == Value(5000));
  REQUIRE(path.steps.size() == 3);
  CHECK(path.steps[0].published->seconds == 1.5);
  CHECK_FALSE(path.steps[0].published->flops);
  CHECK(path.steps[1].set.at("unroll") == Value(4));
  CHECK(path.steps[2].doc == "why");
}

TEST_CASE("faults of a published path name the place") {
  CHECK_THAT(path_fault(with("rooftune-path-1", "rooftune-path-9")), Contains("/schema"));
  CHECK_THAT(path_fault(with("\"triad\"", "\"other\"")), Contains("/kernel"));
  CHECK_THAT(path_fault(with("\"title\": \"unrolled\", ", "")), Contains("/steps/1/title"));
  CHECK_THAT(path_fault(with("{\"unroll\": 4}", "{\"unroll\": [4]}")),
             Contains("/steps/1/set/unroll"));
  CHECK_THAT(path_fault(with("1.5", "-1.5")), Contains("/steps/0/published/seconds"));
  CHECK_THAT(path_fault(with("\"doc\"", "\"dok\"")), Contains("dok"));
  CHECK_THAT(path_fault("[]"), Contains("object"));
}

TEST_CASE("steps are cumulative, and one that a machine does not allow says why") {
  const ManifestFolder folder(testing::triad_manifest());
  const PublishedPath path = path_in(folder, good);
  Constraint no_stream;
  no_stream.expression = Expression::parse("store != 'stream' or unroll < 4");
  no_stream.reason = "streams do not unroll";
  const std::vector<Knob> knobs{knob("unroll", {1, 4}), knob("store", {"plain", "stream"})};
  const SearchSpace space("s", knobs, {}, {});
  const auto all = placed(path, space, "file");
  REQUIRE(all.size() == 3);
  CHECK(all[0].configuration == space.baseline());
  CHECK(all[2].configuration.at("unroll") == Value(4));
  CHECK(all[2].impossible.empty());

  const SearchSpace narrow("s", knobs, {no_stream}, {});
  CHECK_THAT(placed(path, narrow, "file")[2].impossible, Contains("streams do not unroll"));

  std::vector<Knob> barred = knobs;
  barred[1].values = {"plain"};
  barred[1].barred = {"stream"};
  barred[1].collapsed = "no such stores here";
  CHECK_THAT(placed(path, SearchSpace("s", barred, {}, {}), "file")[2].impossible,
             Contains("no such stores here"));
}

TEST_CASE("steps with knobs or values that the space does not have are refused") {
  const ManifestFolder folder(testing::triad_manifest());
  const PublishedPath path = path_in(folder, good);
  CHECK_THROWS_WITH(placed(path, SearchSpace("s", {knob("unroll", {1, 4})}, {}, {}), "file"),
                    Contains("file: /steps/2/set") && Contains("no knob \"store\""));
  CHECK_THROWS_WITH(
      placed(path, SearchSpace("s", {knob("unroll", {1, 2}), knob("store", {"plain"})}, {}, {}),
             "file"),
      Contains("/steps/1/set") && Contains("no value 4"));
}
