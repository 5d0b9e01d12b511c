// The texts that people see, against approved ones.
#include "report/answer.h"
#include "report/charts.h"
#include "report/convergence.h"
#include "report/exporter.h"
#include "report/machine_report.h"
#include "report/page_resources.h"
#include "report/palette_resources.h"
#include "report/progress_line.h"
#include "report/study_page.h"
#include "report/study_resources.h"
#include "report/terminal.h"
#include "support/golden.h"
#include "support/sample_staircase.h"

using namespace rooftune;
using sample::check_golden;

namespace {

TerminalStyle style(int width, bool unicode, bool colour) {
  TerminalStyle s;
  s.width = width;
  s.unicode = unicode;
  s.colour = colour;
  return s;
}

/// Scripts and style sheets lie in the tree as they are.
std::string without_resources(std::string page) {
  const auto cut = [&](const std::string& text, const std::string& name) {
    const std::size_t at = page.find(text);
    if (at != std::string::npos) page.replace(at, text.size(), name);
  };
  const auto digest = [](const std::string& hash) { return hash.substr(1, hash.size() - 2); };
  cut(page_script, "sort.js");
  cut(study_script, "study scripts");
  cut(page_style, "page.css");
  cut(study_style, "study.css");
  for (std::size_t at = 0; at != std::string::npos; at = page.find(palette_style))
    cut(palette_style, "palette.css");
  cut(digest(page_style_hash), "hash of page.css");
  cut(digest(palette_style_hash), "hash of palette.css");
  cut(digest(study_style_hash), "hash of study.css");
  cut(digest(page_script_hash), "hash of sort.js");
  cut(digest(study_script_hash), "hash of study scripts");
  return page;
}

}  // namespace

TEST_CASE("staircase and roofline of a study as SVG") {
  check_golden("study.svg", study_svg(sample::climbed()));
}

TEST_CASE("convergence as SVG") {
  check_golden("convergence.svg", svg_document(convergence(sample::report())));
}

TEST_CASE("roofline of a machine as SVG") {
  check_golden("machine.svg", machine_svg(sample::machine()));
}

TEST_CASE("page of a study") {
  check_golden("study.html", without_resources(study_page(sample::climbed())));
}

TEST_CASE("page of a machine") {
  check_golden("machine.html", without_resources(machine_page(sample::machine(), "2026-11-21")));
}

TEST_CASE("the answer in the terminal") {
  check_golden("summary_80.txt", terminal_summary(sample::report(), style(80, true, false)));
  check_golden("summary_80_ascii.txt", terminal_summary(sample::report(), style(80, false, false)));
  check_golden("summary_120_colour.txt",
               terminal_summary(sample::report(), style(120, true, true)));
}

TEST_CASE("a running study in the terminal") {
  ProgressState state;
  state.trials = 17;
  state.planned = 60;
  state.elapsed = 12.4;
  state.done = 17.0 / 60;
  state.incumbent = 2.5e-3;
  state.gain = 1.24;
  state.has = "threads=2 format=bcsr";
  state.failure = "build failed: unroll=8: out of registers";
  const auto view = [&](TerminalStyle with) {
    return fmt::format("{}\n", fmt::join(progress_view(state, with), "\n"));
  };
  check_golden("running_80.txt", view(style(80, true, false)));
  check_golden("running_80_ascii.txt", view(style(80, false, false)));
  check_golden("running_120_colour.txt", view(style(120, true, true)));
}

TEST_CASE("the evidence in the terminal") {
  check_golden("details_80.txt", terminal_details(sample::report(), style(80, true, false)));
  check_golden("details_120.txt", terminal_details(sample::report(), style(120, true, false)));
}

TEST_CASE("terminal view of a machine") {
  check_golden("machine_100.txt",
               terminal_machine(sample::machine(), style(100, true, false), true));
}

TEST_CASE("result JSON") { check_golden("result.json", to_json(sample::report()).dump(2) + '\n'); }

TEST_CASE("exports") {
  check_golden("export.h", header_export(sample::report(), {}));
  check_golden("export.json", json_export(sample::report(), {}));
}

namespace {

StudyResult tuned_triad() {
  StudyResult study = sample::report();
  study.header.kernel = "triad";
  study.header.id = "5d0c1f6a7b8e9d0c1f6a7b8e9d0c1f6a";
  study.problem = {{"n", 16777216}};
  // It needs no instruction set, so that any host can show how a configuration is looked up by
  // name.
  Machine& machine = study.roofline.machine;
  machine.simd_bits = 128;
  machine.features.clear();
  machine.identity["features"] = "";
  machine.identity["cpus"] = "4";
  machine.identity["caches"] = "L1 48 KiB x 2, L2 2048 KiB x 2, L3 32768 KiB x 1";
  Configuration &best = study.best->configuration, &baseline = study.baseline->configuration;
  best = baseline = Configuration();
  study.space.knobs.clear();
  const auto knob = [&](const std::string& name, std::vector<Value> values, const Value& chosen,
                        const std::string& doc) {
    best.set(name, chosen);
    baseline.set(name, values.front());
    study.space.knobs.push_back(
        sample::knob(name, Knob::Kind::compile, std::move(values), {}, doc));
  };
  knob("unroll", {1, 2, 4, 8}, 4, "iterations per loop body");
  knob("nt_store", {false, true}, true, "stores that bypass the caches");
  knob("schedule", {"static", "dynamic"}, "static", "OpenMP schedule");
  study.ties.clear();
  study.notes.clear();
  return study;
}

}  // namespace

TEST_CASE("the exports of the example are what the exporters write") {
  sample::check_approved("docs/examples/use_export/triad_tuned.h",
                         header_export(tuned_triad(), {}));
  sample::check_approved("docs/examples/use_export/tuned/triad.json",
                         json_export(tuned_triad(), {}));
}
