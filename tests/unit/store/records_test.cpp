// Records written and read back: what is kept, what is said about damage, and what continues what.
#include <catch2/catch.hpp>

#include "core/list.h"
#include "store/study_record.h"
#include "support/store_fixture.h"

using namespace rooftune;
using namespace rooftune::testing;
using Catch::Contains;

namespace {

/// The line of an event as this version writes it.
std::string line(const std::string& event, const std::string& body) {
  return R"({"schema": "rooftune-record-2", "event": ")" + event + R"(", "body": )" + body + "}\n";
}

void append_text(const std::filesystem::path& file, const std::string& text) {
  put_text(file, text_of(file) + text);
}

}  // namespace

TEST_CASE("a study comes back as it was written") {
  const ResultsDirectory results;
  const std::vector<Trial> trials = {
      example_trial(0, 1), failed_trial(1, 2, Outcome::build_failed, "error: \xff no UTF-8"),
      example_trial(2, 4, 5e-4)};
  results.write(trials);
  const auto study = results.study();
  REQUIRE(study);
  CHECK(study->faults.empty());
  CHECK(study->unfinished().empty());
  CHECK(study->header.seed == 18446744073709551615u);
  CHECK(study->header.machine_id == "feed");
  CHECK(study->header.problem == example_header().problem);
  CHECK(study->header.explanation == example_header().explanation);
  REQUIRE(study->history.size() == 3);
  CHECK(same(study->history.trials()[0], trials[0]));
  CHECK(same(study->history.trials()[2], trials[2]));
  CHECK(study->history.trials()[1].outcome == Outcome::build_failed);
  CHECK_THAT(study->history.trials()[1].detail, Contains("no UTF-8"));
}

TEST_CASE("there is no study where nothing was written") {
  const ResultsDirectory results;
  CHECK_FALSE(results.study());
  CHECK(study_files(results.path()).empty());
}

TEST_CASE("every writer has a file of its own, and the study is all of them in order") {
  const ResultsDirectory results;
  const auto first = results.write({example_trial(0, 1), example_trial(1, 2)});
  const auto second = results.write({example_trial(2, 4)});
  CHECK(first != second);
  REQUIRE(results.study()->history.size() == 3);
  CHECK(results.study()->history.trials()[2].configuration == example_configuration(4));
}

TEST_CASE("a run after the clock was set back is still the latest") {
  const ResultsDirectory results;
  const auto first = results.write({example_trial(0, 1)});
  const auto ahead = first.parent_path() / "29991231T235959.999999Z.host.1.jsonl";
  std::filesystem::rename(first, ahead);
  for (const char* name : {"30000101T000000.000000Z.", "30000101T000000.000001Z."}) {
    const auto next = results.write({example_trial(1, 2)});
    CHECK(next.filename().string().starts_with(name));
  }
}

TEST_CASE("the latest event of a kind stands, and a new run begins without an end") {
  const ResultsDirectory results;
  {
    RecordWriter writer(results.path(), example_header());
    writer.append(example_setup());
    writer.append(Stopped{StopReason::interrupted, "by the user", ""});
    writer.append(Stopped{StopReason::closed, "the gap is closed", ""});
  }
  CHECK(results.study()->stopped->reason == StopReason::closed);
  RecordWriter writer(results.path(), example_header());
  StudySetup again = example_setup();
  again.compiler = "clang 14";
  writer.append(again);
  const auto study = results.study();
  CHECK(study->setup->compiler == "clang 14");
  CHECK_FALSE(study->stopped);
}

TEST_CASE("what one waited is that of all runs of a study together") {
  const ResultsDirectory results;
  for (const double seconds : {45.0, 30.5}) {
    RecordWriter writer(results.path(), example_header());
    writer.append(example_setup());
    writer.append(Waited{seconds});
  }
  CHECK(results.study()->waited == 75.5);
  append_text(RecordWriter(results.path(), example_header()).file(),
              line("waited", R"({"seconds": -1})"));
  CHECK(results.study()->waited == 75.5);
  CHECK(results.study()->faults.size() == 1);
}

TEST_CASE("what else the machine did is kept for every trial, and of no trial it is a fault") {
  const ResultsDirectory results;
  const auto file = [&] {
    RecordWriter writer(results.path(), example_header());
    writer.append(TrialEnvironment{0, {"", {3.5e9, std::nullopt}}});
    writer.append(TrialEnvironment{7, {"quiet", {}}});
    return writer.file();
  }();
  append_text(file, line("trial environment", R"({"note": "of what?"})"));
  append_text(file, line("trial environment", R"({"trial": -1})"));
  const auto study = results.study();
  REQUIRE(study->trial_environments.size() == 2);
  CHECK(study->trial_environments.at(0).clock.first == 3.5e9);
  CHECK_FALSE(study->trial_environments.at(0).clock.second);
  CHECK(study->trial_environments.at(7).note == "quiet");
  CHECK(study->faults.size() == 2);
  CHECK_THAT(joined(study->faults), Contains("/trial"));
}

TEST_CASE("a configuration that was started and never ended names the killer") {
  const ResultsDirectory results;
  {
    RecordWriter writer(results.path(), example_header());
    writer.append(Started{example_configuration(1), 0});
    writer.append(example_trial(0, 1));
    writer.append(Started{example_configuration(2), 1});
  }
  REQUIRE(results.study()->unfinished().size() == 1);
  CHECK(results.study()->unfinished()[0] == example_configuration(2));
  {
    RecordWriter again(results.path(), example_header());
    again.append(Started{example_configuration(2), 1});
  }
  CHECK(results.study()->unfinished().size() == 2);
  {
    RecordWriter interrupted(results.path(), example_header());
    interrupted.append(Started{example_configuration(2), 1});
    interrupted.append(GivenUp{example_configuration(2), 1});
    interrupted.append(GivenUp{example_configuration(3), 1});
  }
  // One more end that the user wanted changes nothing.
  CHECK(results.study()->unfinished().size() == 2);
  results.write({example_trial(1, 2)});
  CHECK(results.study()->unfinished().empty());
}

TEST_CASE("race and staircase stand until the search goes on") {
  const ResultsDirectory results;
  Race race;
  race.configurations = {example_configuration(1), example_configuration(2)};
  race.seconds = {{2.0, 1.0}};
  Trial step = example_trial(1, 2);
  step.because = "staircase";
  {
    RecordWriter writer(results.path(), example_header());
    writer.append(example_trial(0, 1));
    writer.append(race);
    writer.append(step);
    writer.append(StaircaseRace{example_configuration(2), race, 1, false, {}});
  }
  REQUIRE(results.study()->race);
  CHECK(results.study()->staircase);
  results.write({example_trial(2, 3)});
  CHECK_FALSE(results.study()->race);
  CHECK_FALSE(results.study()->staircase);
}

TEST_CASE("a trial that two runs recorded counts once, and the first stands") {
  const ResultsDirectory results;
  const auto file = results.write({example_trial(0, 1, 1e-3)});
  const std::string copy = (file.parent_path() / "z.jsonl").string();
  put_text(copy, text_of(file));
  CHECK(results.study()->history.size() == 1);
  results.write({example_trial(0, 8, 2e-3)});
  const auto study = results.study();
  REQUIRE(study->history.size() == 2);
  CHECK(study->history.trials()[1].index == 1);
}

TEST_CASE("unreadable lines are named and the others kept") {
  const ResultsDirectory results;
  const auto file = results.write({example_trial(0, 1)});
  append_text(file, "not json\n[1]\n{\"schema\": \"rooftune-record-2\"}\n");
  append_text(file, "{\"schema\": \"rooftune-record-2\", \"event\": \"trial\", \"body\": {}}\n");
  append_text(file, "{\"schema\": \"of another tool\", \"event\": \"trial\", \"body\": {}}\n\n");
  append_text(file, "{\"schema\": \"rooftune-record-2\", \"event\": \"started\"}\n");
  results.write({example_trial(1, 2)});
  const auto study = results.study();
  CHECK(study->history.size() == 2);
  CHECK(study->faults.size() == 7);
  const std::string faults = joined(study->faults);
  for (const std::string line : {":4: ", ":5: ", ":6: ", ":7: ", ":8: ", ":9: ", ":10: "})
    CHECK_THAT(faults, Contains(file.string() + line));
  CHECK_THAT(faults, Contains("unreadable record"));
}

TEST_CASE("a torn last record is named as such") {
  const ResultsDirectory results;
  const auto file = results.write({example_trial(0, 1), example_trial(1, 2)});
  const std::string text = text_of(file);
  put_text(file, text.substr(0, text.size() - 10));
  const auto study = results.study();
  CHECK(study->history.size() == 1);
  REQUIRE(study->faults.size() == 1);
  CHECK_THAT(study->faults[0], Contains(":5: torn last record"));
  REQUIRE(study->unfinished().size() == 1);
  CHECK(study->unfinished()[0] == example_configuration(2));
}

TEST_CASE("records of a newer version are named, and the study is refused with what to do") {
  const ResultsDirectory results;
  const auto file = results.write({example_trial(0, 1)});
  append_text(file, "{\"schema\": \"rooftune-record-9\", \"event\": \"trial\", \"corpus\": 1}\n");
  append_text(file, "{\"schema\": \"rooftune-record-9\", \"event\": \"trial\", \"corpus\": 2}\n");
  const auto study = results.study();
  CHECK(study->history.size() == 1);
  REQUIRE(study->faults.size() == 1);
  CHECK_THAT(study->faults[0], Contains("records of \"rooftune-record-9\""));
  CHECK_THROWS_WITH(study->require_setup(),
                    Contains(file.string()) && Contains("newer version") && Contains("--fresh"));
}

TEST_CASE("the large parts of a setup stand once beside the records of all nights") {
  const ResultsDirectory results;
  StudySetup setup = example_setup();
  setup.machine.description = std::string(5000, 'x');
  for (int night = 0; night < 3; ++night) {
    RecordWriter writer(results.path(), example_header());
    writer.append(setup);
    writer.append(example_trial(static_cast<std::uint64_t>(night), night));
    CHECK(text_of(writer.file()).size() < 5000);
  }
  const auto parts = results.path() / "records" / "parts";
  const auto only = std::filesystem::directory_iterator(parts)->path();
  CHECK(std::distance(std::filesystem::directory_iterator(parts), {}) == 1);
  REQUIRE(results.study()->setup);
  CHECK(encode(*results.study()->setup) == encode(setup));
  CHECK(verify_records(results.path()).sound());
}

TEST_CASE("a part of a setup that is gone, damaged or elsewhere is named") {
  const auto parted = [](const std::string& hash, const std::string& text) {
    const ResultsDirectory results;
    const auto file = results.write({example_trial(0, 1)});
    Json json = record(example_setup());
    json["schema"] = "rooftune-record-3";
    json["body"]["machine"] = {{"kept", hash}};
    append_text(file, json.dump() + "\n");
    std::filesystem::create_directories(results.path() / "records" / "parts");
    if (!text.empty()) put_text(results.path() / "records" / "parts" / (hash + ".json"), text);
    const auto study = results.study();
    CHECK_FALSE(study->setup);
    return joined(study->faults);
  };
  CHECK_THAT(parted("0123abc0", ""), Contains("0123abc0.json is not there"));
  CHECK_THAT(parted("0123abc1", "{}"), Contains("is damaged"));
  CHECK_THAT(parted("../../x", ""), Contains("\"../../x\" is no hash"));
}

TEST_CASE("a file of another study in the folder is left aside") {
  const ResultsDirectory results;
  const auto file = results.write({example_trial(0, 1)});
  StudyHeader other = example_header();
  other.id = "ffff";
  RecordWriter writer(results.path(), other);
  writer.append(example_trial(1, 2));
  put_text(file.parent_path() / "stray.jsonl", text_of(writer.file()));
  CHECK(results.study()->history.size() == 1);
  CHECK_THAT(joined(results.study()->faults), Contains("belongs to study spmv.openmp.ffff"));
}

TEST_CASE("a file without a readable header still gives its trials") {
  const ResultsDirectory results;
  const auto file = results.write({example_trial(0, 1)});
  const std::string text = text_of(file);
  put_text(file, "garbage" + text.substr(text.find('\n')));
  const auto study = results.study();
  CHECK(study->history.size() == 1);
  CHECK(study->header.id == "0123abcd");
  CHECK_THAT(joined(study->faults), Contains("no header"));
}

TEST_CASE("all studies are found, in order of id") {
  const ResultsDirectory results;
  for (const std::string id : {"bb", "aa", "cc"}) {
    StudyHeader header = example_header();
    header.id = id;
    const RecordWriter writer(results.path(), header);
  }
  std::filesystem::create_directories(results.path() / "records" / "notes");
  put_text(results.path() / "records" / "README", "mine");
  const auto studies = study_files(results.path());
  REQUIRE(studies.size() == 3);
  CHECK(studies[0].id == "aa");
  CHECK(studies[2].id == "cc");
}
