// docs/schema/record.schema.json holds for every line that a study writes, and for nothing else;
// best_known.schema.json for the files that studies start from.
#include <catch2/catch.hpp>
#include <set>

#include "core/file.h"
#include "store/study_record.h"
#include "study/best_known.h"
#include "study/find_study.h"
#include "support/published_schema.h"
#include "synthetic_platform.h"

using namespace rooftune;
using namespace rooftune::synthetic;
using rooftune::testing::PublishedSchema;

namespace {

std::vector<Json> lines_of(const std::filesystem::path& record) {
  std::vector<Json> lines;
  std::ifstream stream(record);
  for (std::string line; std::getline(stream, line);) lines.push_back(parse_json(line, "record"));
  return lines;
}

/// Lines of a study of several inputs with every stage, of one with a published path, and an
/// attempt that was given up, and what was refuted.
std::vector<Json> all_kinds(const SyntheticKernel& kernel) {
  SyntheticPlatform platform;
  StudySpec several = kernel.spec(20);
  several.inputs = {{"n=1000", {{"n", 1000}}}, {"n=3000", {{"n", 3000}}}};
  std::vector<Json> lines = lines_of(run_study(several, platform, {}).record.place);
  kernel.folder().write("valley/published.openmp.json", R"({"schema": "rooftune-path-1",
    "kernel": "valley", "backend": "openmp", "title": "a path", "source": "a paper",
    "steps": [{"name": "one", "title": "x", "set": {"x": 7}},
              {"name": "two", "title": "y", "set": {"y": 3}}]})");
  StudySpec published = kernel.spec(20);
  published.path = FirstSteps::published;
  published.transfer = true;
  published.builders = 2;
  for (Json& line : lines_of(run_study(published, platform, {}).record.place))
    lines.push_back(std::move(line));
  lines.push_back(record(GivenUp{}));
  lines.push_back(record(StudyNode{"n3", StudyNode::Part::left_out, "slow", Estimate{2, 1, 3}}));
  lines.push_back(record(Refuted{{}, "element 3 is wrong"}));
  lines.push_back(record(Environment{
      "quiet", {}, {}, CardSpan{1e9, 2e9, {{"power", 0.5}}, {"heat"}, {"sh (pid 2)"}}}));
  return lines;
}

}  // namespace

TEST_CASE("every line of a study keeps the published schema, and every event is described") {
  const SyntheticKernel kernel;
  PublishedSchema schema("record");
  std::set<std::string> written;
  for (const Json& line : all_kinds(kernel)) {
    INFO(line.dump().substr(0, 600));
    REQUIRE(schema.holds(line));
    written.insert(line.at("event"));
  }
  CHECK(written == schema.events());
  CHECK(written.size() == std::variant_size_v<Event>);
}

TEST_CASE("the schema refuses what the reader refuses") {
  const SyntheticKernel kernel;
  PublishedSchema schema("record");
  for (const Json& line : all_kinds(kernel)) {
    Json other = line;
    other["schema"] = "rooftune-record-9";
    REQUIRE_FALSE(schema.holds(other));
    Json more = line;
    more["body"]["unheard of"] = 1;
    INFO(line.dump().substr(0, 200));
    REQUIRE_FALSE(schema.holds(more));
    Json less = line;
    if (less["body"].empty()) continue;
    // Every body begins with a member that it needs.
    less["body"].erase(less["body"].begin());
    REQUIRE_FALSE(schema.holds(less));
  }
}

TEST_CASE("files of what is best known keep their schema, which refuses what the reader refuses") {
  PublishedSchema schema("best_known");
  for (const auto& file : std::filesystem::directory_iterator(
           std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "search_spaces/best_known")) {
    INFO(file.path().string());
    CHECK(schema.holds(read_json(file.path())));
  }
  KnownBest entry;
  entry.machine = {MachineKind::gpu, "NVIDIA H100", 132, 0, {}};
  entry.problem = {{"n", 1000}, {"input", "a"}};
  entry.difference.set("x", true);
  entry.seconds = 1e-3;
  const Json good = encode(BestKnown{"valley", "cuda", {entry}});
  REQUIRE(schema.holds(good));
  for (const char* place : {"/kernel", "/entries/0/machine/kind", "/entries/0/problem",
                            "/entries/0/configuration/x", "/entries/0/seconds"}) {
    Json other = good;
    other[Json::json_pointer(place)] = nullptr;
    INFO(place);
    CHECK_FALSE(schema.holds(other));
    CHECK_THROWS_AS(decoded<BestKnown>(other, "f"), Error);
  }
}

TEST_CASE("the page on records describes every event") {
  const std::string page =
      read_text(std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "docs/records.md");
  for (const std::string& event : PublishedSchema("record").events()) {
    INFO(event);
    CHECK(page.find("| `" + event + "` |") != std::string::npos);
  }
}
