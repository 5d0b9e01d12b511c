#include "report/comparison.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "support/page_checks.h"
#include "support/sample_report.h"

using namespace rooftune;
using Catch::Contains;

namespace {

std::string said(const std::vector<StudyResult>& studies) {
  return fmt::format("{}", fmt::join(comparison_sentences(studies, compare(studies)), "\n"));
}

}  // namespace

TEST_CASE("portability is the harmonic mean of the efficiencies") {
  const auto studies = sample::two_reports(3);
  const Comparison found = compare(studies);
  const double first = 2.013 / 2.47, mean = 2 / (1 / first + 3 / first);
  REQUIRE(found.portability);
  CHECK(*found.studies[0].efficiency == Approx(first).epsilon(1e-3));
  CHECK(*found.studies[1].efficiency == Approx(first / 3).epsilon(1e-3));
  CHECK(*found.portability == Approx(mean).epsilon(1e-3));
  CHECK(found.studies[1].name == "other<machine>");
  CHECK_THAT(said(studies), Contains("most in sample (81.5 %), least in other<machine> (27.2 %)"));
}

TEST_CASE("the common configuration is the one that loses least over all") {
  auto studies = sample::two_reports(2);
  // On the other machine the winner is four times as slow as the second of the first.
  studies[1].trials[46].measurement->seconds = Estimate::exact(4e-2);
  const Comparison found = compare(studies);
  REQUIRE(found.common);
  CHECK(*found.common == studies[0].trials[27].configuration);
  CHECK(*found.studies[0].loss == Approx(2.74 / 2.47));
  CHECK(*found.studies[1].loss == Approx(1));
  CHECK_THAT(said(studies), Contains("one configuration for all would take 1.05x of the time") &&
                                Contains("at most 1.11x in sample"));
}

TEST_CASE("what is missing is said, and a failing study has no place in a mean") {
  auto studies = sample::two_reports(2);
  studies[1].best.reset();
  for (Trial& trial : studies[1].trials) trial.configuration.set("format", "ellpack");
  const Comparison found = compare(studies);
  CHECK_FALSE(found.portability);
  CHECK_FALSE(found.common);
  CHECK_THAT(said(studies), Contains("no mean of efficiencies: other<machine>") &&
                                Contains("no configuration ran in all of these studies"));
  sample::check_self_contained(comparison_page(studies, found, ""));
  studies[1].identity.kernel = "triad";
  CHECK_THROWS_WITH(compare(studies), Contains("studies of spmv and of triad"));
  studies.pop_back();
  CHECK_THROWS_AS(compare(studies), Error);
}

TEST_CASE("the page of a comparison names all studies and is self-contained") {
  auto studies = sample::two_reports(2);
  studies.push_back(studies[1]);  // the same twice: told apart by their ids
  studies[2].identity.id = "ffff456789abcdef";
  const Comparison found = compare(studies);
  CHECK(found.studies[2].name == "other<machine>, ffff4567");
  const std::string page = comparison_page(studies, found, "2026-11-23");
  sample::check_self_contained(page);
  CHECK_THAT(page, Contains("other&lt;machine&gt;, 01234567") && Contains("81.5 %"));
  sample::check_self_contained(comparison_svg(studies, found));
}
