#include "report/page.h"

#include <catch2/catch.hpp>

#include "report/chart.h"
#include "report/page_style.h"
#include "support/page_checks.h"
#include "support/sample_report.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// Every text that can come from a user's file, made as nasty as it gets.
StudyResult hostile() {
  const std::string nasty =
      "</script><script>alert(1)</script>&\"'\x01\xff<b>\x1b[2J\n`$(id)`\xe2\x80\xae*/ --> ]]>";
  StudyResult report = sample::report();
  report.identity.kernel = report.identity.title = report.identity.backend = nasty;
  report.identity.command = report.identity.record_file = nasty;
  report.problem["n\"<"] = nasty;
  report.roofline.machine.name = report.roofline.machine.description = nasty;
  report.roofline.machine.identity[nasty] = nasty;
  report.roofline.machine.notes = {nasty};
  for (Ceiling& ceiling : report.roofline.machine.ceilings) ceiling.source.text = nasty;
  report.roofline.machine.ceilings[3].name = nasty;
  report.roofline.machine.ceilings[3].precision = nasty;
  report.roofline.work.item = nasty;
  report.roofline.traffic.walls[0].name = nasty;
  for (LedgerEntry& entry : report.ledger) entry.knobs = {{nasty, nasty, nasty, {}}};
  for (Trial& trial : report.trials) trial.detail = nasty;
  report.trials[7].configuration.set(nasty, nasty);
  report.space.knobs[0].doc = report.space.knobs[0].name = report.space.knobs[5].collapsed = nasty;
  report.notes = {nasty};
  report.stop.sentence = nasty;
  report.path[1].step.changes[0].knob = nasty;
  report.best->gap.unknown_because = nasty;
  return report;
}

}  // namespace

TEST_CASE("charts and pages are well-formed and self-contained") {
  const StudyResult report = sample::report();
  sample::check_self_contained(roofline_svg(report));
  sample::check_self_contained(convergence_svg(report));
  sample::check_self_contained(machine_svg(report.roofline.machine));
  sample::check_self_contained(ladder_svg(report.roofline.machine));
  sample::check_self_contained(study_page(report));
  sample::check_self_contained(machine_page(report.roofline.machine, "2026-11-21"));
}

TEST_CASE("what users write cannot leave its place") {
  const StudyResult report = hostile();
  for (const std::string& text :
       {study_page(report), machine_page(report.roofline.machine, ""), roofline_svg(report),
        convergence_svg(report), machine_svg(report.roofline.machine)}) {
    sample::check_self_contained(text);
    CHECK(text.find("alert(1)</script>") == std::string::npos);
    CHECK(text.find("<b>\x01") == std::string::npos);
  }
}

TEST_CASE("the page says what the terminal says, and more") {
  const std::string page = study_page(sample::report());
  for (const char* needed :
       {"3.89x faster than your baseline", "DRAM load huge 2t", "unknown", "sortable",
        "prefetch: 0 -&gt; 8", "signal 11 (SIGSEGV)", "tune --kernel spmv", "numa_policy",
        "this machine has one NUMA node", "CSR with 32-bit indices", "prefers-color-scheme"})
    CHECK_THAT(page, Contains(needed));
}

TEST_CASE("all trials are points of the chart") {
  const StudyResult report = sample::report();
  const std::string svg = roofline_svg(report);
  for (const Trial& trial : report.trials)
    CHECK_THAT(svg, Contains("<title>trial " + std::to_string(trial.index) + ":"));
}

TEST_CASE("every ceiling of the machine is in its chart and its page") {
  const Machine machine = sample::machine();
  const std::string svg = machine_svg(machine), page = machine_page(machine, "");
  const std::string ladder = ladder_svg(machine);
  for (const Ceiling& ceiling : machine.ceilings) {
    CHECK_THAT(page, Contains(ceiling.name));
    if (ceiling.stable) CHECK_THAT(svg, Contains(ceiling.name));
    CHECK_THAT(ladder, Contains(ceiling.name + (ceiling.stable ? "\n" : " (windows disagree)\n")));
  }
}

TEST_CASE("an empty study and an unmeasured machine still give documents") {
  StudyResult report = sample::report();
  report.trials.clear();
  report.path.clear();
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
  report.path.resize(1);
  report.best = report.baseline;
  report.ties.clear();
  report.baseline_stands = true;
  sample::check_self_contained(study_page(report));
}

TEST_CASE("output does not depend on when it is made") {
  CHECK(study_page(sample::report()) == study_page(sample::report()));
}

TEST_CASE("a page lets a browser run its own script and nothing else") {
  const std::string hash = sample::policy_hash(page_script);
  CHECK_THAT(page_policy, Contains("script-src " + hash));
  for (const std::string& page :
       {study_page(hostile()), machine_page(hostile().roofline.machine, "2026-11-21")}) {
    CHECK_THAT(page, Contains("Content-Security-Policy") && Contains(hash.substr(1, 51)));
    CHECK(page.find("Content-Security-Policy") < page.find("<style"));
    std::size_t scripts = 0;
    for (std::size_t at = page.find("<script"); at != std::string::npos;
         at = page.find("<script", at + 1))
      ++scripts;
    CHECK(scripts == 1);
    CHECK(page.find('\x1b') == std::string::npos);
    CHECK(page.find("\xe2\x80\xae") == std::string::npos);
  }
}
