#include <catch2/catch.hpp>

#include "report/staircase.h"
#include "report/study_page.h"
#include "support/sample_report.h"

using namespace rooftune;
using Catch::Contains;

TEST_CASE("a study as a table of Markdown") {
  const std::string markdown = paper_table(sample::report());
  CHECK_THAT(markdown, Contains("| time | GFLOP/s | gain | step | because | broke |") &&
                           Contains("| ---: | ---: | ---: | --- | --- | --- |"));
  CHECK_THAT(markdown, Contains("| 2.470 ms \\[2.445, 2.478\\] | 4.05 |"));
}

TEST_CASE("names of others stay texts in a table") {
  StudyResult study = sample::report();
  study.staircase->stairs[1].passed[0].kind = LedgerEntry::Kind::wall;
  study.staircase->stairs[1].passed[0].wall = "a_b & 50 % |x| \\y";
  CHECK_THAT(paper_table(study), Contains("| a\\_b & 50 % \\|x\\| \\\\y"));
}
