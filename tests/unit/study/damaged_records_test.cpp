// Records with damage that JSON itself does not show: every event of a study in turn, its members
// replaced, removed or renamed. What cannot be true is said and measured again.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "core/file.h"
#include "report/answer.h"
#include "report/exporter.h"
#include "report/study_page.h"
#include "report/terminal.h"
#include "store/study_store.h"
#include "study/find_study.h"
#include "study/model.h"
#include "study/result.h"
#include "support/json_mutation.h"
#include "support/night.h"
#include "synthetic_platform.h"

using namespace rooftune;
using namespace rooftune::synthetic;
using Catch::Contains;

namespace {

constexpr std::uint64_t damage_seed = 20261122;

std::vector<Json> events_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<Json> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(parse_json(line, "record"));
  return lines;
}

void write_lines(const std::filesystem::path& file, const std::vector<Json>& lines) {
  std::string text;
  for (const Json& line : lines) text += json_text(line) + "\n";
  write_atomically(file, text);
}

/// Whatever a command would make of the record; an Error is an answer, anything else is not.
std::string fault_of_reports(const StudyRecord& given) {
  StudyRecord study = given;
  try {
    remove_impossible_entries(study, space_of(study));
    const StudyResult result = analyse(study);
    json_text(to_json(result));
    study_page(result);
    terminal_summary(result, TerminalStyle{});
    terminal_details(result, TerminalStyle{});
    if (result.best) header_export(result, {});
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// The inputs of a study: one, or two for one configuration.
StudySpec spec_of(const SyntheticKernel& kernel, int inputs) {
  StudySpec spec = kernel.spec(20);
  for (int i = 0; i < inputs; ++i)
    spec.inputs.push_back({"n=" + std::to_string(1000 * (i + 1)), {{"n", Value(1000 * (i + 1))}}});
  if (inputs > 1) spec.objective = Goal::mean;
  return spec;
}

}  // namespace

TEST_CASE("events that cannot be true are left aside, said and measured again") {
  const int inputs = GENERATE(1, 2);
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const StudySpec spec = spec_of(kernel, inputs);
  const FinishedStudy study = run_study(spec, platform, {});
  const std::vector<Json> good = events_in(study.record.place);
  const StudyHeader& header = study.record.header;
  const std::uint64_t damages = testing::at_night() ? 8 : 3;
  std::size_t faulty = 0;
  std::set<std::string> events;
  for (std::size_t at = 1; at < good.size(); ++at) {
    const std::string event = good[at].at("event");
    // One trial is like another.
    if ((event == "trial" || event == "started" || event == "trial environment") && at > 5)
      continue;
    events.insert(event);
    for (std::uint64_t i = 0; i < damages; ++i) {
      Rng rng(damage_seed + at, i);
      std::vector<Json> lines = good;
      const auto edits = 1 + rng.below(3);
      for (std::uint64_t n = 0; n < edits; ++n) test::damage(lines[at]["body"], rng);
      INFO(event << " " << i << ": " << json_text(lines[at]).substr(0, 2000));
      write_lines(study.record.place, lines);
      std::optional<StudyRecord> read;
      REQUIRE_NOTHROW(read = read_study(spec.results, header));
      REQUIRE(read);
      for (const std::string& fault : read->faults) {
        CHECK(fault.find("exception") == std::string::npos);
        CHECK(fault.find("type_error") == std::string::npos);
      }
      faulty += read->faults.empty() ? 0 : 1;
      std::string fault;
      REQUIRE_NOTHROW(fault = fault_of_reports(*read));
      // A setup may say what no report can be made of; nothing else ends one.
      if (event != "setup") CHECK(fault == "");
    }
  }
  CHECK(faulty > 5 * damages);
  for (const char* event : {"setup", "trial", "race", "staircase", "counts", "stopped"})
    CHECK(events.count(event) == 1);
}

TEST_CASE("a study with damaged records goes on, and measures what was left aside") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const StudySpec spec = kernel.spec(20);
  const FinishedStudy study = run_study(spec, platform, {});
  std::vector<Json> lines = events_in(study.record.place);
  for (Json& line : lines) {
    Json& body = line["body"];
    if (line["event"] == "race") body["configurations"][0]["x"] = 77;
    if (line["event"] == "staircase") body["stranger"] = 1;
    if (line["event"] == "counts") body["runs"] = "none";
    if (line["event"] == "setup") body["inputs"] = 0;
    if (line["event"] == "trial" && body["index"] == 3) body["configuration"]["z"] = 1;
    if (line["event"] == "trial" && body["index"] == 5) body["measurement"]["noise"] = 1;
  }
  write_lines(study.record.place, lines);
  SyntheticPlatform again;
  const FinishedStudy resumed = run_study(spec, again, {});
  CHECK(again.trials > 0);
  REQUIRE(resumed.record.race);
  REQUIRE(resumed.record.staircase);
  CHECK_FALSE(resumed.record.counts.empty());
  CHECK(resumed.result.best->configuration == study.result.best->configuration);
  std::string notes;
  for (const std::string& note : resumed.result.notes) notes += note + "\n";
  CHECK_THAT(notes, Contains("1 of \"race\" left aside") && Contains("unreadable record") &&
                        Contains("1 of \"trial\" left aside"));
}

TEST_CASE("what a run is asked is recorded once, until it is asked something else") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  StudySpec spec = kernel.spec(10);
  run_study(spec, platform, {});
  const FinishedStudy second = run_study(spec, platform, {});
  const auto has_setup = [](const FinishedStudy& study) {
    const auto lines = events_in(study.record.place);
    return std::any_of(lines.begin(), lines.end(),
                       [](const Json& line) { return line.at("event") == "setup"; });
  };
  CHECK_FALSE(has_setup(second));
  CHECK(to_json(second.result).at("stop") ==
        to_json(analyse(*read_study(spec.results, second.record.header))).at("stop"));
  spec.target_gap = 1.5;
  CHECK(has_setup(run_study(spec, platform, {})));
}
