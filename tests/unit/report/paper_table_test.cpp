#include <catch2/catch.hpp>

#include "report/page.h"
#include "support/sample_report.h"

using namespace rooftune;
using Catch::Contains;

TEST_CASE("a study as a table of Markdown") {
  const std::string markdown = paper_table(sample::report());
  CHECK_THAT(markdown, Contains("| best | 2.470 ms \\[2.450, 2.497\\] | 4.05 GFLOP/s |"));
  CHECK_THAT(markdown, Contains("| --- | ---: |") && Contains("| bound | 2.013 ms"));
}

TEST_CASE("names of others stay texts in a table") {
  StudyResult study = sample::report();
  study.identity.kernel = "a_b & 50 % |x| \\y";
  CHECK_THAT(paper_table(study), Contains("| a\\_b & 50 % \\|x\\| \\\\y | "));
}
