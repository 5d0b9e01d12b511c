// Records that were damaged, doubled, moved and mixed; and what people do with records.
#include "store/record_care.h"

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "core/text.h"
#include "store/study_store.h"
#include "support/environment_variable.h"
#include "support/store_fixture.h"

using namespace rooftune;
using namespace rooftune::testing;
using Kind = RecordFinding::Kind;

namespace {

std::size_t count(const RecordCheck& check, Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(check.findings.begin(), check.findings.end(),
                    [&](const RecordFinding& finding) { return finding.kind == kind; }));
}

std::string found(const RecordCheck& check, Kind kind) {
  std::string text;
  for (const RecordFinding& finding : check.findings)
    if (finding.kind == kind) text += finding.text + "\n";
  return text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Everything that a study says, whatever files it is in.
std::string story(const std::filesystem::path& results) {
  const auto study = read_study(results, "spmv", "openmp", "0123abcd");
  if (!study) return "nothing";
  std::string text = std::to_string(study->unfinished().size()) + " unfinished\n";
  for (const Trial& trial : study->history.trials()) text += json_text(encode(trial)) + "\n";
  return text;
}

std::size_t record_files(const std::filesystem::path& results) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(results / "records"))
    files += entry.path().extension() == ".jsonl" ? 1 : 0;
  return files;
}

/// A study of kernel "spmv" with this id, last written `days` ago.
std::filesystem::path aged_study(const ResultsDirectory& results, const std::string& id, int days,
                                 const std::string& machine = "host") {
  StudyHeader header = example_header();
  header.id = id;
  header.machine = machine;
  const RecordWriter writer(results.path(), header);
  std::filesystem::last_write_time(
      writer.file(), std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * days));
  return writer.file().parent_path();
}

std::vector<std::string> names(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::string> result;
  for (const auto& path : paths) result.push_back(path.filename());
  return result;
}

}  // namespace

TEST_CASE("a check names what is torn, damaged, newer, foreign or doubled, with file and line") {
  const ResultsDirectory results;
  const auto first = results.write({example_trial(0, 1), example_trial(1, 2)});
  CHECK(verify_records(results.path()).sound());
  CHECK(verify_records(results.path()).records == 5);
  std::string lines = text_of(first);
  const std::string copy = lines;
  lines.insert(lines.find('\n') + 1, "{\"schema\": \"rooftune-record-2\", \"event\": \"\xff\xfe\n");
  lines += "{\"schema\": \"rooftune-record-9\", \"event\": \"trial\"}\n";
  put_text(first, lines + R"({"schema": "rooftune-record-2", "eve)");
  results.write({example_trial(0, 1, 7e-3)});
  put_text(first.parent_path() / "backup.jsonl", copy);
  put_text(first.parent_path() / "zbackup.jsonl", copy);
  StudyHeader other = example_header();
  other.id = "ffff";
  put_text(first.parent_path() / "stray.jsonl",
           text_of(RecordWriter(results.path(), other).file()));
  const RecordCheck check = verify_records(results.path());
  CHECK_FALSE(check.sound());
  CHECK(check.studies == 2);
  const std::string place = first.string();
  CHECK(has(found(check, Kind::damaged), place + ":2"));
  CHECK(has(found(check, Kind::newer), place + ":7: records of \"rooftune-record-9\""));
  CHECK(has(found(check, Kind::torn), place + ":8"));
  CHECK(has(found(check, Kind::foreign), "stray.jsonl:1"));
  CHECK(has(found(check, Kind::duplicate), "zbackup.jsonl: is a copy of backup.jsonl"));
  CHECK(has(found(check, Kind::duplicate), ":3: trial 0 is there already"));
  for (const RecordFinding& finding : check.findings)
    CHECK(plain_text(finding.text) == finding.text);
}

TEST_CASE("doubled records are no fault, and the study is as without them") {
  const ResultsDirectory results;
  const auto file = results.write({example_trial(0, 1), example_trial(1, 2)});
  results.write({example_trial(2, 9)});
  const std::string before = story(results.path());
  for (const auto& entry : std::filesystem::directory_iterator(file.parent_path()))
    std::filesystem::copy(entry.path(),
                          file.parent_path() / ("z" + entry.path().filename().string()));
  CHECK(story(results.path()) == before);
  const RecordCheck check = verify_records(results.path());
  CHECK(check.sound());
  CHECK(count(check, Kind::duplicate) == 2);
}

TEST_CASE("lines and shards in another order tell the same study") {
  const ResultsDirectory results;
  const auto first = results.write({example_trial(0, 1), example_trial(1, 2)});
  const auto second = results.write({example_trial(2, 4), example_trial(3, 8)});
  const std::string before = story(results.path());
  // The second shard comes first, its header last.
  std::string text = text_of(second);
  const std::size_t head = text.find('\n') + 1;
  std::filesystem::remove(second);
  put_text(first.parent_path() / "0.jsonl", text.substr(head) + text.substr(0, head));
  CHECK(story(results.path()) == before);
  CHECK(verify_records(results.path()).sound());
}

TEST_CASE("records of several folders, copied into one, are one study") {
  const ResultsDirectory here, other;
  here.write({example_trial(0, 1)});
  other.write({example_trial(1, 2)});
  for (int times = 0; times < 2; ++times) {
    std::filesystem::copy(other.path(), here.path(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
    CHECK(here.study()->history.size() == 2);
    CHECK(verify_records(here.path()).findings.empty());
  }
}

TEST_CASE("runs are set aside compressed, and grow old") {
  const ResultsDirectory results;
  const auto file = results.write({example_trial(0, 1), example_trial(1, 2)});
  const auto aside = file.parent_path() / "earlier";
  set_aside(file.parent_path());
  CHECK_FALSE(results.study());
  const auto compressed = aside / (file.filename().string() + ".gz");
  CHECK(text_of(compressed).substr(0, 2) == "\x1f\x8b");
  CHECK(std::filesystem::directory_iterator(aside)->path() == compressed);
  results.write({example_trial(2, 4)});
  // The latest run of a study stays, and so does the latest run that it has set aside.
  CHECK(old_records(results.path(), {.older_than = {}, .keep = 1}).recent == 2);
}

TEST_CASE("old studies are those that the rule says") {
  const ResultsDirectory results;
  for (int days : {1, 50, 100, 200}) aged_study(results, "aaaa000" + std::to_string(days), days);
  aged_study(results, "bbbb0001", 300, "a100");
  const auto old = [&](const OldRecordsRule& rule) {
    return names(old_records(results.path(), rule).studies);
  };
  const auto day = std::chrono::hours(24);
  using Names = std::vector<std::string>;
  CHECK_THROWS_WITH(old({}), Catch::Contains("--older-than 90d"));
  CHECK(old({90 * day, {}}) ==
        Names{"spmv.openmp.aaaa000100", "spmv.openmp.aaaa000200", "spmv.openmp.bbbb0001"});
  CHECK(old({{}, 2}) == Names{"spmv.openmp.aaaa000100", "spmv.openmp.aaaa000200"});
  CHECK(old({150 * day, 1}) == Names{"spmv.openmp.aaaa000200"});
  OldRecords removed = old_records(results.path(), {90 * day, {}});
  CHECK(removed.bytes > 0);
  remove(removed);
  CHECK(record_files(results.path()) == 2);
}

TEST_CASE(
    "outcomes of old nights go, unless a later night needs them, and pages go with their study") {
  const ResultsDirectory results;
  const auto plan = results.path() / "sweeps" / "nightly";
  const auto add = [&](int night, const std::string& study, const std::string& state) {
    const auto folder = plan / fmt::format("2026-01-{:02}T02-00-00Z.key", night);
    std::filesystem::create_directories(folder);
    put_text(folder / "summary.json", "{}");
    put_text(folder / (study + ".json"), "{\"state\": \"" + state + "\"}");
  };
  for (int night = 1; night <= 15; ++night) add(night, "often", "done");
  add(1, "once", "done");
  for (int night = 2; night <= 12; ++night) add(night, "broken", "failed");
  aged_study(results, "aaaa0001", 300);
  std::filesystem::create_directories(results.path() / "reports");
  for (const char* page : {"spmv.openmp.aaaa0001.html", "spmv.openmp.gone0001.svg", "mine.html"})
    put_text(results.path() / "reports" / page, "");
  OldRecordsRule rule{.older_than = {}, .keep = 12};
  CHECK(old_records(results.path(), rule).outcomes.size() == 3);
  rule.keep = 0;
  OldRecords old = old_records(results.path(), rule);
  CHECK(old.outcomes.size() == 5);
  CHECK(old.judged == 10 + 1 + 11);
  CHECK(names(old.pages) ==
        std::vector<std::string>{"spmv.openmp.aaaa0001.html", "spmv.openmp.gone0001.svg"});
  rule.older_than = std::chrono::hours(24);
  CHECK(old_records(results.path(), rule).outcomes.empty());
  remove(old);
  CHECK_FALSE(std::filesystem::exists(plan / "2026-01-05T02-00-00Z.key" / "often.json"));
  CHECK(std::filesystem::exists(plan / "2026-01-05T02-00-00Z.key" / "broken.json"));
  CHECK(std::filesystem::exists(plan / "2026-01-01T02-00-00Z.key" / "once.json"));
  rule = {.older_than = {}, .keep = 0};
  OldRecords rest = old_records(results.path(), rule);
  CHECK(rest.outcomes.empty());
  CHECK(rest.pages.empty());
  CHECK(std::filesystem::exists(results.path() / "reports" / "mine.html"));
}

TEST_CASE("runs that were set aside grow old on their own, and a study that runs stays") {
  const ResultsDirectory results;
  const auto study = aged_study(results, "aaaa0001", 100);
  std::filesystem::create_directories(study / "earlier");
  for (int days : {110, 120, 130}) {
    const auto file = study / "earlier" / ("run" + std::to_string(days) + ".jsonl");
    put_text(file, "{}\n");
    std::filesystem::last_write_time(
        file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * days));
  }
  const OldRecords runs = old_records(results.path(), {{}, 1});
  CHECK(runs.studies.empty());
  CHECK(names(runs.runs).size() == 2);
  StudyHeader header = example_header();
  header.id = "aaaa0001";
  {
    const auto lock = lock_study(results.path(), header, false, {});
    OldRecords all = old_records(results.path(), {std::chrono::hours(24), {}});
    CHECK(all.studies.size() == 1);
    remove(all);
    CHECK(all.studies.empty());
    REQUIRE(all.notes.size() == 1);
    CHECK(has(all.notes[0], "is being run by"));
    CHECK(std::filesystem::exists(study));
  }
  // What cannot be told stays.
  put_text(study / "x.jsonl", "garbage\n");
  CHECK(old_records(results.path(), {std::chrono::hours(24), {}}).notes.size() == 1);
}

TEST_CASE("runs that one configuration killed are told apart, though they wrote the same") {
  const ResultsDirectory results;
  for (int run = 0; run < 3; ++run)
    RecordWriter(results.path(), example_header()).append(Started{example_configuration(9), 0});
  CHECK(verify_records(results.path()).findings.empty());
  CHECK(story(results.path()).starts_with("3 unfinished"));
}

TEST_CASE("parts of records go when nothing names them, and not before") {
  const ResultsDirectory results;
  StudyHeader header = example_header();
  StudySetup setup = example_setup();
  const auto begin = [&](const std::string& text) {
    setup.space.content = Json{{"doc", std::string(2000, text[0])}};
    header.id = text;
    RecordWriter writer(results.path(), header);
    writer.append(setup);
    return writer.file().parent_path();
  };
  const auto aside = begin("aa"), kept = begin("bb"), gone = begin("cc");
  set_aside(aside);
  std::filesystem::remove_all(gone);
  const auto parts = results.path() / "records/parts";
  // The space of each, and the machine of all.
  const auto count = [&] { return std::distance(std::filesystem::directory_iterator(parts), {}); };
  const auto all = count();
  const OldRecordsRule rule{std::chrono::hours(24 * 90), {}};
  CHECK(old_records(results.path(), rule).parts.empty());
  for (const auto& entry : std::filesystem::directory_iterator(parts))
    std::filesystem::last_write_time(
        entry, std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
  OldRecords old = old_records(results.path(), rule);
  REQUIRE(old.parts.size() == 1);
  CHECK(text_of(old.parts[0]).find("ccc") != std::string::npos);
  remove(old);
  CHECK(count() == all - 1);
  CHECK(read_study(results.path(), header.kernel, header.backend, "bb")->setup);
  CHECK(verify_records(results.path()).sound());
  // A study that names it again makes it young.
  std::filesystem::remove_all(kept);
  CHECK(old_records(results.path(), rule).parts.size() == 1);
  begin("bb");
  CHECK(old_records(results.path(), rule).parts.empty());
}
