#include <catch2/catch.hpp>

#include "report/study_evidence.h"
#include "support/sample_report.h"

using namespace rooftune;
using Catch::Contains;

TEST_CASE("each wall has its verdict, its cost and how that is known") {
  const StudyResult report = sample::report();
  const auto sentences = wall_sentences(report);
  REQUIRE(sentences.size() == 3);
  CHECK_THAT(sentences[0], Contains("wall write allocate (best): broken, 1.24") &&
                               Contains("by experiment: format = csr instead of bcsr") &&
                               Contains("with index_bits, inactive there") &&
                               Contains("counted at DRAM: 3.81 MiB with the wall, 0 B without"));
  CHECK_THAT(sentences[1], Contains("capacity (best): stands, 2.6") &&
                               Contains("n = 2000 fits the caches, times in proportion to nnz"));
  CHECK_THAT(sentences[2], Contains("conflict (best): no experiment: the search space declares"));
  CHECK(wall_sentences(report, "baseline").empty());

  const Json json = experiments_json(report);
  CHECK(json[0].at("verdict") == "broken");
  CHECK(json[0].at("source") == "experiment");
  CHECK(json[0].at("by").at("knob") == "format");
  CHECK(json[0].at("counted").at("with") == 4e6);
  CHECK(json[1].at("by").at("problem").at("n") == 2000);
  CHECK(json[1].at("counted").is_null());
  CHECK(json[2].at("cost").is_null());
}

TEST_CASE(
    "the terminal shows what was measured and why the rest was not, and nothing without any") {
  StudyResult report = sample::report();
  const std::string text = terminal_section(*experiments_section(report), {});
  CHECK_THAT(text, Contains("broken") && Contains("stands") && Contains("no experiment"));
  CHECK_THAT(text, Contains("the search space"));
  report.walls[0].doubt = "the knob changes something else";
  report.walls[1].conclusion = {WallVerdict::costs_nothing, {0.8, 0.7, 0.9}};
  CHECK_THAT(wall_sentences(report)[0], Contains("changes something else"));
  CHECK_THAT(wall_sentences(report)[1],
             Contains("costs nothing") && Contains("costs more than it"));
  report.walls.erase(report.walls.begin(), report.walls.begin() + 2);
  CHECK_FALSE(experiments_section(report));
  report.walls.clear();
  CHECK(experiments_json(report).is_null());
}
