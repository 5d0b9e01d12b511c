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
  const auto study = read_study(results, example_header());
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

const Seconds day(86400);

void age(const std::filesystem::path& file, int days) {
  std::filesystem::last_write_time(
      file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(24 * days));
}

/// A study of kernel "spmv" with this id, last written `days` ago.
std::filesystem::path aged_study(const ResultsDirectory& results, const std::string& id, int days) {
  StudyHeader header = example_header();
  header.id = id;
  const RecordWriter writer(results.path(), header);
  age(writer.file(), days);
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
  CHECK(old_records(results.path(), Seconds(86400)).runs.empty());
  age(compressed, 2);
  CHECK(old_records(results.path(), Seconds(86400)).runs.size() == 1);
}

TEST_CASE("studies go by their age, and their pages with them") {
  const ResultsDirectory results;
  for (int days : {1, 50, 100, 200}) aged_study(results, "aaaa000" + std::to_string(days), days);
  std::filesystem::create_directories(results.path() / "reports");
  for (const char* page : {"spmv.openmp.aaaa000200.html", "spmv.openmp.aaaa00050.svg", "mine.html"})
    put_text(results.path() / "reports" / page, "");
  OldRecords old = old_records(results.path(), 90 * day);
  using Names = std::vector<std::string>;
  CHECK(names(old.studies) == Names{"spmv.openmp.aaaa000100", "spmv.openmp.aaaa000200"});
  CHECK(names(old.pages) == Names{"spmv.openmp.aaaa000200.html"});
  CHECK(old.bytes > 0);
  remove(old);
  CHECK(record_files(results.path()) == 2);
  CHECK(std::filesystem::exists(results.path() / "reports" / "mine.html"));
}

TEST_CASE("nights go whole by their age, but for the newest of each plan") {
  const ResultsDirectory results;
  const auto plan = results.path() / "sweeps" / "nightly";
  const auto night = [&](int number) {
    return plan / fmt::format("2026-01-{:02}T02-00-00Z.key", number);
  };
  for (int number = 1; number <= 15; ++number) {
    std::filesystem::create_directories(night(number));
    for (const char* const name : {"summary.json", "often.json"}) {
      put_text(night(number) / name, "{}");
      age(night(number) / name, 100 - number);
    }
  }
  age(night(2) / "often.json", 1);
  OldRecords old = old_records(results.path(), 90 * day);
  CHECK(old.nights.size() == 4);
  CHECK(old_records(results.path(), 98.5 * day).nights == Paths{night(1)});
  remove(old);
  CHECK_FALSE(std::filesystem::exists(night(5)));
  CHECK(std::filesystem::exists(night(2)));
  CHECK(std::filesystem::exists(night(6)));
  CHECK(old_records(results.path(), 90 * day).nights.empty());
}

TEST_CASE("runs that were set aside grow old on their own, and a study that runs stays") {
  const ResultsDirectory results;
  const auto study = aged_study(results, "aaaa0001", 100);
  std::filesystem::create_directories(study / "earlier");
  for (int days : {110, 120, 130}) {
    const auto file = study / "earlier" / ("run" + std::to_string(days) + ".jsonl");
    put_text(file, "{}\n");
    age(file, days);
  }
  const OldRecords runs = old_records(results.path(), 105 * day);
  CHECK(runs.studies.empty());
  CHECK(runs.runs.size() == 3);
  StudyHeader header = example_header();
  header.id = "aaaa0001";
  {
    const auto lock = lock_study(results.path(), header, false, {});
    OldRecords all = old_records(results.path(), day);
    CHECK(all.studies.size() == 1);
    remove(all);
    CHECK(all.studies.empty());
    REQUIRE(all.notes.size() == 1);
    CHECK(has(all.notes[0], "is being run by"));
    CHECK(std::filesystem::exists(study));
  }
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
  CHECK(old_records(results.path(), 90 * day).parts.empty());
  for (const auto& entry : std::filesystem::directory_iterator(parts))
    std::filesystem::last_write_time(
        entry, std::filesystem::file_time_type::clock::now() - std::chrono::hours(25));
  OldRecords old = old_records(results.path(), 90 * day);
  REQUIRE(old.parts.size() == 1);
  CHECK(text_of(old.parts[0]).find("ccc") != std::string::npos);
  remove(old);
  CHECK(count() == all - 1);
  CHECK(read_study(results.path(), {{header.kernel, header.backend}, "bb"})->setup);
  CHECK(verify_records(results.path()).sound());
  // A study that names it again makes it young.
  std::filesystem::remove_all(kept);
  CHECK(old_records(results.path(), 90 * day).parts.size() == 1);
  begin("bb");
  CHECK(old_records(results.path(), 90 * day).parts.empty());
}
