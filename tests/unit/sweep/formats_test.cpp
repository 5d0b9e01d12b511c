// Every format is read by the program that it is for, or by its schema, where these are here.
#include "sweep/formats.h"

#include <algorithm>

#include "core/text.h"
#include "os/temporary_directory.h"
#include "support/published_schema.h"
#include "support/scratch_folder.h"
#include "support/sweep_nights.h"
#include "support/tool.h"

using namespace rooftune;
using rooftune::testing::run_tool;
using rooftune::testing::ScratchFolder;
using rooftune::testing::tool;

namespace {

SeriesVerdict verdict_of(Standing finding) {
  const Estimate ratio{1.3, 1.2, 1.4};
  return {.key = "key",
          .finding = finding,
          .sentence = "1.3 times the time of the baseline",
          .code = ratio,
          .tuning = ratio,
          .raced = true};
}

/// Three kernels on two machines in six nights; in the last one a verdict of each kind.
SweepHistory judged() {
  TemporaryDirectory folder;
  test::simulate(folder.path(), 3, 2, 6);
  SweepHistory history = read_history(folder.path());
  const Standing findings[] = {Standing::regressed, Standing::inconclusive, Standing::none,
                               Standing::improved};
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
      night.ceiling_unit = night.version = night.revision = nasty;
      night.inconclusive = {nasty};
      night.configuration = Json{{nasty, nasty}};
      if (night.verdict) night.verdict->sentence = nasty;
    }
  }
  history.faults = {nasty};
  return history;
}

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("no format lets a control character or what is no UTF-8 through") {
  for (const SweepHistory& history : {judged(), hostile_history()})
    for (const std::string& text :
         {junit_format(history), series_json_format(history), github_format(history)})
      CHECK(plain_text(text) == text);
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

TEST_CASE("the JSON of all series keeps to its published schema") {
  testing::PublishedSchema schema("series");
  const Json json = parse_json(series_json_format(judged()), "series");
  CHECK(schema.holds(json));
  CHECK(schema.holds(parse_json(series_json_format(hostile_history()), "series")));
  REQUIRE(json.at("series").size() == 6);
  CHECK(json.at("series")[3].at("nights").size() == 6);
  Json wrong = json;
  wrong["series"][0]["nights"][0].erase("seconds");
  CHECK_FALSE(schema.holds(wrong));
}

TEST_CASE("annotations are one line for each study that somebody should look at") {
  SweepHistory history = judged();
  history.series.back().nights.back().state = StudyEnd::State::failed;
  history.series.back().nights.back().message = "no memory,\n100 % used";
  const std::string text = github_format(history);
  const std::vector<std::pair<const char*, const char*>> expected{
      {"::error title=", " regressed 1.3"},
      {"::warning title=", " inconclusive"},
      {"::notice title=", " improved 1.3"},
      {"::error title=", "::no memory,%0A100 %25 used\n"}};
  // Another one fails as it was made up.
  CHECK(static_cast<std::size_t>(std::ranges::count(text, '\n')) == expected.size() + 1);
  for (const auto& [begin, part] : expected) {
    CHECK(text.find(begin) != std::string::npos);
    CHECK(text.find(part) != std::string::npos);
  }
  // Names of users end no line and open no command of their own.
  std::istringstream hostile(github_format(hostile_history()));
  for (std::string line; std::getline(hostile, line);) CHECK(line.starts_with("::"));
}
