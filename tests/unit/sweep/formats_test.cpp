// Every format is read by the program that it is for, or by its schema, where these are here.
#include "sweep/formats.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/text.h"
#include "os/temporary_directory.h"
#include "support/published_schema.h"
#include "support/scratch_folder.h"
#include "support/sweep_nights.h"
#include "support/tool.h"

using namespace rooftune;
using rooftune::testing::python_with;
using rooftune::testing::run_tool;
using rooftune::testing::ScratchFolder;
using rooftune::testing::tool;

namespace {

SeriesVerdict verdict_of(Finding finding) {
  return {"key", finding, "1.3 times the time of the baseline", Estimate{1.3, 1.2, 1.4}, true};
}

/// Three kernels on two machines in six nights; in the last one a verdict of each kind.
SweepHistory judged() {
  TemporaryDirectory folder;
  test::simulate(folder.path(), 3, 2, 6);
  SweepHistory history = read_history(folder.path());
  const Finding findings[] = {Finding::regressed, Finding::inconclusive, Finding::none,
                              Finding::improved};
  for (std::size_t i = 0; i < std::size(findings); ++i)
    history.series[i].nights.back().verdict = verdict_of(findings[i]);
  return history;
}

/// Names that no format may take for its own marks, and that are no text at all.
SweepHistory hostile_history() {
  const std::string nasty =
      "</testcase>]]><b a=\"'&\x01\xff\xef\xbf\xbe\x1b[2J\n# EOF\nx{y=\"1\"} "
      "2\\,;\t=1+1\xe2\x80\xae";
  SweepHistory history = judged();
  for (Series& series : history.series) {
    series.kernel += nasty;
    series.problem = series.backend = series.machine = series.machine_id = series.cache = nasty;
    for (Night& night : series.nights) {
      night.plan = night.study = night.message = night.ceiling = night.compiler = nasty;
      night.name += nasty;
      night.ceiling_unit = night.version = nasty;
      night.inconclusive = {nasty};
      night.configuration = Json{{nasty, nasty}};
      if (night.verdict) night.verdict->sentence = nasty;
    }
  }
  history.faults = {nasty};
  return history;
}

/// A row of RFC 4180 and where the next begins.
std::vector<std::string> csv_cells(const std::string& text, std::size_t& at) {
  std::vector<std::string> cells(1);
  for (bool quoted = false; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '"' && text.compare(at, 2, "\"\"") == 0)
      cells.back() += text[++at];
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == ',')
      cells.emplace_back();
    else if (!quoted && text.compare(at, 2, "\r\n") == 0)
      break;
    else
      cells.back() += c;
  }
  at += 2;
  return cells;
}

std::vector<std::map<std::string, std::string>> csv_rows(const std::string& text) {
  std::size_t at = 0;
  const auto head = csv_cells(text, at);
  std::vector<std::map<std::string, std::string>> rows;
  while (at < text.size()) {
    const auto cells = csv_cells(text, at);
    REQUIRE(cells.size() == head.size());
    rows.emplace_back();
    for (std::size_t i = 0; i < head.size(); ++i) rows.back()[head[i]] = cells[i];
  }
  return rows;
}

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("formats of sweeps are found by name, and a wrong one names the right one") {
  CHECK(std::string(find_sweep_format("junit").name) == "junit");
  CHECK_THROWS_WITH(find_sweep_format("junti"), Catch::Contains("junit"));
  std::set<std::string> names;
  for (const SweepFormatRow& row : sweep_formats()) CHECK(names.insert(row.name).second);
}

TEST_CASE("no format lets a control character or what is no UTF-8 through") {
  for (const SweepHistory& history : {judged(), hostile_history()})
    for (const SweepFormatRow& row : sweep_formats())
      if (row.write) {
        INFO(row.name);
        std::string text = row.write(history);
        if (std::string(row.name) == "csv") std::erase(text, '\r');
        CHECK(plain_text(text) == text);
      }
}

TEST_CASE("JUnit tells regressions from failures and from what cannot be told") {
  const std::string xml = junit_format(judged());
  CHECK(times(xml, "<testcase ") == 6);
  CHECK(xml.find("<testsuites name=\"rooftune\" tests=\"6\" failures=\"1\" errors=\"2\" "
                 "skipped=\"1\"") != std::string::npos);
  CHECK(times(xml, "<failure message=\"regressed 1.30x\"") == 1);
  CHECK(times(xml, "<error message=\"no variant could be validated and measured\"") == 2);
  CHECK(times(xml, "<skipped ") == 1);
  CHECK(times(xml, "e-0") == 0);
}

TEST_CASE("xmllint finds JUnit as its schema says") {
  const auto xmllint = tool("xmllint");
  if (!xmllint) return;
  const ScratchFolder folder;
  const std::string schema = ROOFTUNE_SOURCE_DIR "/docs/schema/junit.xsd";
  for (const SweepHistory& history : {judged(), hostile_history()}) {
    const auto file = folder.write("junit.xml", junit_format(history));
    const Finished finished =
        run_tool({*xmllint, "--noout", "--nonet", "--schema", schema, file.string()});
    INFO(finished.output);
    CHECK(finished.status.ok());
  }
  const auto wrong = folder.write("wrong.xml", "<testsuites name=\"x\"><testcase/></testsuites>");
  CHECK_FALSE(run_tool({*xmllint, "--noout", "--schema", schema, wrong.string()}).status.ok());
}

TEST_CASE("Google Benchmark's JSON has what its readers insist on") {
  for (const SweepHistory& history : {judged(), hostile_history()}) {
    const Json json = parse_json(google_benchmark_format(history), "google-benchmark");
    CHECK(json.at("context").at("caches").is_array());
    CHECK(json.at("context").at("json_schema_version") == 1);
    REQUIRE(json.at("benchmarks").size() == 4);  // what failed has no time
    std::set<std::string> names;
    for (const Json& row : json.at("benchmarks")) {
      CHECK(row.at("run_type") == "iteration");
      CHECK(row.at("time_unit") == "ns");
      CHECK(row.at("real_time").get<double>() > 1e5);
      CHECK(row.at("cpu_time") == row.at("real_time"));
      CHECK(row.at("gap").is_number());
      CHECK(names.insert(row.at("name")).second);
    }
  }
}

TEST_CASE("compare.py of Google Benchmark compares two nights") {
  const char* const compare = "/usr/share/benchmark/compare.py";
  if (!std::filesystem::exists(compare)) {
    WARN("skipped: libbenchmark-tools is not installed");
    return;
  }
  const auto python = python_with("scipy, numpy");
  if (!python) return;
  const ScratchFolder folder;
  const auto file = folder.write("a.json", google_benchmark_format(judged()));
  const Finished finished = run_tool({*python, compare, "--no-color", "benchmarks", file, file});
  INFO(finished.output);
  CHECK(finished.status.ok());
  CHECK(times(finished.output, "kernel00/openmp/n=1000") == 2);
}

TEST_CASE("studies that share a series keep names of their own") {
  TemporaryDirectory folder;
  test::Nights nights(folder.path());
  nights.begin();
  nights.add("first", {});
  nights.add("second", {});
  const SweepHistory history = read_history(folder.path());
  CHECK(history.series.size() == 1);
  const auto names = names_of(newest_nights(history));
  REQUIRE(names.size() == 2);
  CHECK(names[0] != names[1]);
}

TEST_CASE("Prometheus' own parser reads the metrics") {
  const auto python = python_with("prometheus_client.openmetrics.parser");
  if (!python) return;
  const ScratchFolder folder;
  const std::string script =
      "import sys\n"
      "from prometheus_client.openmetrics.parser import text_string_to_metric_families as read\n"
      "families = list(read(open(sys.argv[1], newline='').read()))\n"
      "samples = [s for f in families for s in f.samples]\n"
      "assert all('\\n# EOF' not in k for s in samples for k in s.labels)\n"
      "print(len(families), len(samples), len({(s.name, str(s.labels)) for s in samples}))\n";
  for (const SweepHistory& history : {judged(), hostile_history()}) {
    const auto file = folder.write("rooftune.prom", openmetrics_format(history));
    const Finished finished = run_tool({*python, "-c", script, file});
    INFO(finished.output);
    // Five families of 4 studies with figures, one of 6, and 4 verdicts.
    CHECK(finished.output == "7 30 30\n");
  }
}

TEST_CASE("metrics end as OpenMetrics says and escape their labels") {
  const std::string text = openmetrics_format(hostile_history());
  CHECK(text.ends_with("\n# EOF\n"));
  CHECK(times(text, "\n# EOF\n") == 1);
  CHECK(text.find("x{y=\\\"1\\\"} 2\\\\,") != std::string::npos);
  CHECK(openmetrics_format(judged()).find("rooftune_regressed{") != std::string::npos);
}

TEST_CASE("a pattern finds a study's figure in its line") {
  const std::string text = logfmt_format(judged());
  CHECK(times(text, "\n") == 6);
  CHECK(
      text.starts_with("study=kernel00-machine0 plan=nightly kernel=kernel00 machine=machine0 "
                       "state=done seconds=0.0001"));
  CHECK(text.find(" verdict=regressed ceiling=\"DRAM load 2t\"") != std::string::npos);
  CHECK(text.find("state=failed verdict=failed\n") != std::string::npos);
  CHECK(times(logfmt_format(hostile_history()), "\n") == 6);
}

TEST_CASE("CSV has a row for each study of each night, and none is a formula") {
  const SweepHistory history = judged();
  const auto rows = csv_rows(csv_format(history));
  REQUIRE(rows.size() == 36);
  const Night& night = history.series[0].nights[0];
  CHECK(rows[0].at("kernel") == "kernel00");
  CHECK(std::stod(rows[0].at("seconds")) == night.seconds->value);
  CHECK(std::stod(rows[0].at("gap")) == *night.gap);
  CHECK(rows[0].at("configuration") == R"({"unroll":4})");
  CHECK(rows[5].at("verdict") == "regressed");
  CHECK(rows.back().at("seconds").empty());
  CHECK(rows.back().at("state") == "failed");
  SweepHistory formula = hostile_history();
  formula.series[0].nights[0].name = "=HYPERLINK(\"http://x\")";
  const auto nasty = csv_rows(csv_format(formula));
  REQUIRE(nasty.size() == 36);
  CHECK(nasty[0].at("study") == "'=HYPERLINK(\"http://x\")");
}

TEST_CASE("the JSON of all series keeps to its published schema") {
  testing::PublishedSchema schema("series");
  const Json json = parse_json(series_json_format(judged()), "series");
  CHECK(schema.holds(json));
  CHECK(schema.holds(parse_json(series_json_format(hostile_history()), "series")));
  REQUIRE(json.at("series").size() == 6);
  const Json& slower = json.at("series")[3];  // kernel 1 on machine 1, slower from half-time on
  CHECK(slower.at("nights").size() == 6);
  REQUIRE(slower.at("changes").size() == 1);
  CHECK(slower.at("changes")[0].at("night") == 3);
  Json wrong = json;
  wrong["series"][0]["nights"][0].erase("seconds");
  CHECK_FALSE(schema.holds(wrong));
}
