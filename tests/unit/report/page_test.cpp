#include <catch2/catch.hpp>

#include "report/charts.h"
#include "report/convergence.h"
#include "report/machine_report.h"
#include "report/study_page.h"
#include "report/study_view.h"
#include "support/page_checks.h"
#include "support/sample_staircase.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// Every text that can come from a user's file, made as nasty as it gets.
StudyResult hostile() {
  const std::string nasty =
      "</script><script>alert(1)</script>&\"'\x01\xff<b>\x1b[2J\n`$(id)`\xe2\x80\xae*/ --> ]]>";
  StudyResult report = sample::climbed();
  report.header.kernel = report.setup.title = report.header.backend = nasty;
  report.setup.command = {nasty};
  report.place = nasty;
  report.problem["n\"<"] = nasty;
  report.roofline.machine.name = report.roofline.machine.description = nasty;
  report.roofline.machine.identity[nasty] = nasty;
  report.roofline.machine.notes = {nasty};
  for (Ceiling& ceiling : report.roofline.machine.ceilings) ceiling.source.text = nasty;
  report.roofline.machine.ceilings[3].name = nasty;
  report.roofline.machine.ceilings[3].precision = nasty;
  report.roofline.work.item = nasty;
  report.roofline.traffic.walls[0].name = nasty;
  for (Stair& stair : report.staircase->stairs) {
    if (!stair.changes.empty()) stair.changes.front().knob = nasty;
    for (LedgerEntry& entry : stair.passed) entry.wall = entry.ceiling = entry.level = nasty;
  }
  report.staircase->stairs[3].seconds.reset();
  report.staircase->stairs[3].absent_because = nasty;
  for (Trial& trial : report.trials) trial.detail = nasty;
  report.trials[7].configuration.set(nasty, nasty);
  report.space.knobs[0].doc = report.space.knobs[0].name = report.space.knobs[5].collapsed = nasty;
  report.notes = {nasty};
  report.stop.sentence = nasty;
  report.best->gap.unknown_because = nasty;
  return report;
}

}  // namespace

TEST_CASE("charts and pages are well-formed and self-contained") {
  const StudyResult report = sample::climbed();
  sample::check_self_contained(study_svg(report));
  sample::check_self_contained(svg_document(convergence(report)));
  sample::check_self_contained(machine_svg(report.roofline.machine));
  sample::check_self_contained(study_page(report));
  sample::check_self_contained(machine_page(report.roofline.machine, "2026-11-21"));
}

TEST_CASE("what users write cannot leave its place") {
  const StudyResult report = hostile();
  for (const std::string& text :
       {study_page(report), machine_page(report.roofline.machine, ""), study_svg(report),
        svg_document(convergence(report)), machine_svg(report.roofline.machine)}) {
    sample::check_self_contained(text);
    CHECK(text.find("alert(1)</script>") == std::string::npos);
    CHECK(text.find("<b>\x01") == std::string::npos);
  }
}

TEST_CASE("the page says what the terminal says, and more") {
  const std::string page = study_page(sample::climbed());
  for (const char* needed :
       {"3.89x faster than your baseline", "DRAM load huge 2t", "unknown", "sortable",
        "prefetch 0 -&gt; 8", "signal 11 (SIGSEGV)", "tune --kernel spmv", "numa_policy",
        "this machine has one NUMA node", "CSR with 32-bit indices", "prefers-color-scheme"})
    CHECK_THAT(page, Contains(needed));
}

TEST_CASE("the page shows what the best changes in the source") {
  CHECK_THAT(study_page(sample::report()), !Contains("changes in the source<"));
  const std::string page =
      study_page(sample::report(), "--- baseline\n+++ trial 46\n-if (a < 1)\n+if (a & 2)\n same\n");
  CHECK_THAT(page, Contains("<del>-if (a &lt; 1)</del>") && Contains("<ins>+if (a &amp; 2)</ins>"));
  sample::check_self_contained(page);
}

TEST_CASE("every trial that ran is a point of the chart, and every trial is in the data") {
  const StudyResult report = sample::report();
  const auto dots = [](const std::string& svg) {
    std::size_t count = 0;
    for (std::size_t at = svg.find("h0"); at != std::string::npos; at = svg.find("h0", at + 1))
      ++count;
    return count;
  };
  const int ran = counts(report)[Outcome::ok];
  CHECK(dots(svg_document(convergence(report))) == static_cast<std::size_t>(ran));
  const Json trials = study_view(report).at("trials");
  REQUIRE(trials.at("index").size() == report.trials.size());
  for (std::size_t i = 0; i < report.trials.size(); ++i) {
    const Trial& trial = report.trials[i];
    CHECK(trials.at("index")[i] == trial.index);
    CHECK(trials.at("outcomes")[trials.at("outcome")[i].get<std::size_t>()] ==
          to_text(trial.outcome));
    CHECK(trials.at("details")[trials.at("detail")[i].get<std::size_t>()] == trial.detail);
    CHECK(trials.at("seconds")[i].is_null() != trial.ok());
    if (trial.ok())
      CHECK(trials.at("seconds")[i].get<double>() ==
            Approx(trial.measurement->seconds.value).epsilon(1e-5));
  }
}

TEST_CASE("the page's data names each value of a trial, those that the space has no more too") {
  StudyResult report = sample::report();
  report.trials[7].configuration.set("format", "ellpack");
  const Json view = study_view(report);
  for (const Json& knob : view.at("knobs")) {
    const Json& column = view.at("trials").at("knobs").at(knob.at("name").get<std::string>());
    REQUIRE(column.size() == report.trials.size());
    for (std::size_t i = 0; i < report.trials.size(); ++i)
      CHECK(knob.at("values")[column[i].get<std::size_t>()] ==
            to_text(report.trials[i].configuration.at(knob.at("name"))));
  }
}

TEST_CASE("a page opens with the headline, the staircase as a table and its two pictures") {
  const std::string page = study_page(sample::climbed());
  std::size_t at = 0;
  for (const char* next :
       {"<h1>", "<table class=\"staircase\">", "your baseline", "CSR with 32-bit indices",
        "figure wide", "data-stair=\"4\"", "figure narrow", "<h2>Roofline</h2>"}) {
    INFO(next);
    const std::size_t found = page.find(next, at);
    REQUIRE(found != std::string::npos);
    at = found;
  }
}

TEST_CASE("a page without a staircase says why there is none") {
  StudyResult report = sample::report();
  report.staircase.reset();
  report.no_staircase_because = "the record is of an earlier version";
  const std::string page = study_page(report);
  CHECK_THAT(page, Contains("the record is of an earlier version"));
  CHECK_THAT(page, !Contains("data-stair=\"0\""));
}

TEST_CASE("a word of the glossary is explained where it stands first") {
  const std::string page = study_page(sample::climbed());
  const std::size_t first = page.find("<a class=\"word\" href=\"#word-baseline\" title=\"");
  REQUIRE(first != std::string::npos);
  CHECK(first < page.find("</h1>"));
  CHECK(page.find("<a class=\"word\" href=\"#word-baseline\"", first + 1) == std::string::npos);
}

TEST_CASE("ten thousand trials take less than five megabytes") {
  StudyResult report = sample::report();
  Rng rng(3, 1);
  while (report.trials.size() < 10000) {
    Trial trial = report.trials[1 + rng.below(59)];
    trial.index = report.trials.size();
    if (trial.measurement)
      for (int i = 0; i < 20; ++i)
        trial.measurement->samples.push_back({1e-3 * (1 + rng.unit()), 1, 0});
    report.trials.push_back(trial);
  }
  for (int i = 0; i < 24; ++i)
    report.space.knobs.push_back(sample::knob("extra_" + std::to_string(i), Knob::Kind::compile,
                                              {1, 2, 4, 8}, {}, "one of many"));
  for (Trial& trial : report.trials)
    for (int i = 0; i < 24; ++i)
      trial.configuration.set("extra_" + std::to_string(i), 1 << rng.below(4));
  CHECK(study_page(report).size() < 5'000'000);
}

TEST_CASE("every ceiling of the machine is in its chart and its page") {
  const Machine machine = sample::machine();
  const std::string svg = machine_svg(machine), page = machine_page(machine, "");
  for (const Ceiling& ceiling : machine.ceilings) {
    CHECK_THAT(page, Contains(ceiling.name));
    if (ceiling.stable) CHECK_THAT(svg, Contains(ceiling.name));
  }
}

TEST_CASE("an empty study and an unmeasured machine still give documents") {
  StudyResult report = sample::report();
  report.trials.clear();
  report.ledger.clear();
  report.ties.clear();
  report.best.reset();
  report.baseline.reset();
  report.speedup.reset();
  report.notes.clear();
  sample::check_self_contained(study_page(report));
  Machine machine;
  machine.name = "new";
  sample::check_self_contained(machine_page(machine, ""));
  CHECK_THAT(machine_svg(machine), Contains("no ceiling"));
}

TEST_CASE("one trial, equal to the baseline, is a study too") {
  StudyResult report = sample::report();
  report.trials.resize(1);
  report.best = report.baseline;
  report.ties.clear();
  report.baseline_stands = true;
  sample::check_self_contained(study_page(report));
}

TEST_CASE("output does not depend on when it is made") {
  CHECK(study_page(sample::report()) == study_page(sample::report()));
}

TEST_CASE("a page lets a browser run its own scripts, use its own styles and nothing else") {
  for (const std::string& page :
       {study_page(hostile()), machine_page(hostile().roofline.machine, "2026-11-21")}) {
    const std::size_t rules = page.find("Content-Security-Policy");
    REQUIRE(rules < page.find("<style"));
    const std::string policy = page.substr(rules, page.find('>', rules) - rules);
    CHECK_THAT(policy, Contains("default-src 'none'") || Contains("default-src &#39;none&#39;"));
    CHECK_THAT(policy, !Contains("unsafe"));
    CHECK_THAT(page, !Contains(" style=") && !Contains(" onclick="));
    for (const std::string tag : {"script", "style"})
      for (const std::string& text : sample::elements(page, tag)) {
        // In an attribute a quote is an entity.
        const std::string hash = sample::policy_hash(text);
        INFO(text.substr(0, 80));
        CHECK_THAT(policy, Contains(hash.substr(1, hash.size() - 2)));
      }
    CHECK(page.find('\x1b') == std::string::npos);
    CHECK(page.find("\xe2\x80\xae") == std::string::npos);
  }
}
