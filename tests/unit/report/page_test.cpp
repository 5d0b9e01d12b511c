#include "report/page.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>

#include "report/chart.h"
#include "report/page_style.h"
#include "support/sample_report.h"
#include "support/scratch_folder.h"
#include "support/xml_check.h"

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

void check_document(const std::string& text) {
  CHECK(sample::xml_fault(text) == "");
  // Nothing is fetched: the only addresses are the namespace of SVG.
  std::string rest = text;
  const std::string space = "http://www.w3.org/2000/svg";
  for (std::size_t at = rest.find(space); at != std::string::npos; at = rest.find(space))
    rest.erase(at, space.size());
  for (const char* outside : {"http:", "https:", "src=", "@import", "url("})
    CHECK(rest.find(outside) == std::string::npos);
}

}  // namespace

TEST_CASE("charts and pages are well-formed and self-contained") {
  const StudyResult report = sample::report();
  check_document(roofline_svg(report));
  check_document(convergence_svg(report));
  check_document(machine_svg(report.roofline.machine));
  check_document(ladder_svg(report.roofline.machine));
  check_document(study_page(report));
  check_document(machine_page(report.roofline.machine, "2026-11-21"));
}

TEST_CASE("what users write cannot leave its place") {
  const StudyResult report = hostile();
  for (const std::string& text :
       {study_page(report), machine_page(report.roofline.machine, ""), roofline_svg(report),
        convergence_svg(report), machine_svg(report.roofline.machine)}) {
    check_document(text);
    CHECK(text.find("alert(1)</script>") == std::string::npos);
    CHECK(text.find("<b>\x01") == std::string::npos);
  }
}

TEST_CASE("the page says what the terminal says, and more") {
  const std::string page = study_page(sample::report());
  for (const char* needed :
       {"3.89x [3.81, 3.95] faster than the baseline", "DRAM load huge 2t", "unknown", "sortable",
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
  check_document(study_page(report));
  Machine machine;
  machine.name = "new";
  check_document(machine_page(machine, ""));
  CHECK_THAT(machine_svg(machine), Contains("no ceiling"));
}

TEST_CASE("one trial, equal to the baseline, is a study too") {
  StudyResult report = sample::report();
  report.trials.resize(1);
  report.path.resize(1);
  report.best = report.baseline;
  report.ties.clear();
  report.baseline_stands = true;
  check_document(study_page(report));
}

TEST_CASE("output does not depend on when it is made") {
  CHECK(study_page(sample::report()) == study_page(sample::report()));
}

TEST_CASE("a page lets a browser run its own script and nothing else") {
  // The system's own program says what the script is called in the policy.
  const testing::ScratchFolder folder;
  const auto file = folder.write("script.js", page_script);
  FILE* pipe = popen(("sha256sum " + file.string()).c_str(), "r");
  REQUIRE(pipe);
  std::array<unsigned, 33> bytes{};
  for (std::size_t i = 0; i < 32; ++i) REQUIRE(std::fscanf(pipe, "%2x", &bytes[i]) == 1);
  pclose(pipe);
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string hash;
  for (std::size_t i = 0; i < 33; i += 3) {
    const unsigned three = bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
    for (const int shift : {18, 12, 6, 0}) hash += digits[three >> shift & 63];
  }
  hash.back() = '=';
  CHECK_THAT(page_policy, Contains("script-src 'sha256-" + hash + "'"));
  for (const std::string& page :
       {study_page(hostile()), machine_page(hostile().roofline.machine, "2026-11-21")}) {
    CHECK_THAT(page, Contains("Content-Security-Policy") && Contains(hash));
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
