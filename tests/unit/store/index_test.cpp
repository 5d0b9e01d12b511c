// The SQLite index says what the records say, and can be thrown away.
#include <sqlite3.h>

#include <catch2/catch.hpp>

#include "support/store_fixture.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

/// First column of the first row, as text.
std::string answer(const std::filesystem::path& results, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open_v2((results / "index.sqlite").c_str(), &database, SQLITE_OPEN_READONLY,
                          nullptr) == SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  INFO(sql);
  REQUIRE(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
  REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
  const unsigned char* text = sqlite3_column_text(statement, 0);
  const std::string result = text ? reinterpret_cast<const char*>(text) : "NULL";
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return result;
}

}  // namespace

TEST_CASE("studies, trials, results and events are the records' own") {
  const ResultsDirectory results;
  results.write({example_trial(0, 1, 2e-3), failed_trial(1, 2, Outcome::crashed, "SIGSEGV"),
                 example_trial(2, 4, 1e-3)});
  {
    RecordWriter writer(results.path(), example_header());
    writer.append(Stopped{"closed", "", ""});
  }
  rebuild_index(results.path());
  const auto ask = [&](const std::string& sql) { return answer(results.path(), sql); };
  CHECK(ask("SELECT count(*) FROM studies") == "1");
  CHECK(ask("SELECT seed FROM studies") == "18446744073709551615");
  CHECK(ask("SELECT json_extract(problem, '$.kind') FROM studies") == "fem");
  CHECK(ask("SELECT count(*) FROM trials") == "3");
  CHECK(ask("SELECT detail FROM trials WHERE outcome = 'crashed'") == "SIGSEGV");
  CHECK(ask("SELECT seconds FROM trials WHERE position = 1") == "NULL");
  CHECK(ask("SELECT json_extract(configuration, '$.unroll') FROM trials WHERE outcome = 'ok' "
            "ORDER BY seconds LIMIT 1") == "4");
  CHECK(ask("SELECT ok || ' ' || best_position FROM results") == "2 2");
  CHECK(ask("SELECT baseline_seconds / best_seconds FROM results") == "2.0");
  CHECK(ask("SELECT json_extract(body, '$.reason') FROM events WHERE event = 'stopped'") ==
        "closed");
  CHECK(ask("PRAGMA integrity_check") == "ok");
  CHECK(ask("PRAGMA user_version") == "3");
}

TEST_CASE("the index is rebuilt over an older or a broken one") {
  const ResultsDirectory results;
  results.write({example_trial(0, 1)});
  put_text(results.path() / "index.sqlite", "broken");
  rebuild_index(results.path());
  CHECK(answer(results.path(), "SELECT count(*) FROM trials") == "1");
  results.write({example_trial(1, 2)});
  rebuild_index(results.path());
  CHECK(answer(results.path(), "SELECT count(*) FROM trials") == "2");
}

namespace {

/// Every row of every table but the stamps of files, as text.
std::string everything(const std::filesystem::path& results) {
  std::string all;
  for (const char* table : {"studies", "trials", "results", "events"}) {
    const std::string rows = answer(results, std::string("SELECT count(*) FROM ") + table);
    all += table + (" " + rows) + "\n";
  }
  for (const char* sql :
       {"SELECT group_concat(id || kernel || faults || explanation, '|') FROM (SELECT * FROM "
        "studies "
        "ORDER BY kernel, id)",
        "SELECT group_concat(kernel || position || record, '|') FROM (SELECT * FROM trials ORDER "
        "BY "
        "kernel, study, position)",
        "SELECT group_concat(kernel || trials || best_configuration, '|') FROM (SELECT * FROM "
        "results ORDER BY kernel, study)",
        "SELECT group_concat(kernel || event || body, '|') FROM (SELECT * FROM events ORDER BY "
        "kernel, study, event)"})
    all += answer(results, sql) + "\n";
  return all;
}

std::filesystem::path write_study(const ResultsDirectory& results, const std::string& kernel,
                                  const std::vector<Trial>& trials) {
  StudyHeader header = example_header();
  header.kernel = kernel;
  RecordWriter writer(results.path(), header);
  for (const Trial& trial : trials) writer.append(trial);
  writer.append(Stopped{"closed", "", ""});
  return writer.file();
}

}  // namespace

TEST_CASE("an index that is updated holds what one that is rebuilt would") {
  const ResultsDirectory results;
  const auto check = [&] {
    update_index(results.path());
    const std::string updated = everything(results.path());
    CHECK(answer(results.path(), "PRAGMA integrity_check") == "ok");
    rebuild_index(results.path());
    CHECK(everything(results.path()) == updated);
  };
  write_study(results, "a", {example_trial(0, 1), example_trial(1, 2)});
  write_study(results, "b", {example_trial(0, 1)});
  check();
  // Another run of a study, a new study, one that is gone, one that was cut short.
  write_study(results, "a", {example_trial(2, 4, 1e-4)});
  const auto last = write_study(results, "c", {example_trial(0, 1)});
  check();
  std::filesystem::remove_all(results.path() / "records" / "b.openmp.0123abcd");
  put_text(last, text_of(last).substr(0, 700));
  check();
  CHECK(answer(results.path(), "SELECT count(*) FROM studies") == "2");
  for (const auto& entry : std::filesystem::directory_iterator(results.path()))
    CHECK(entry.path().extension() != ".part");
}

TEST_CASE("an update reads only studies whose record files have changed") {
  const ResultsDirectory results;
  const auto first = write_study(results, "a", {example_trial(0, 1)});
  write_study(results, "b", {example_trial(0, 1)});
  update_index(results.path());
  // What nobody reads again may change behind its size and time.
  const auto time = std::filesystem::last_write_time(first);
  std::string text = text_of(first);
  text.replace(text.find("0badcafe"), 8, "unread!!");
  put_text(first, text);
  std::filesystem::last_write_time(first, time);
  write_study(results, "b", {example_trial(1, 2)});
  update_index(results.path());
  const std::string artefact = "SELECT artefact FROM trials WHERE kernel = 'a'";
  CHECK(answer(results.path(), artefact) == "0badcafe");
  CHECK(answer(results.path(), "SELECT count(*) FROM trials WHERE kernel = 'b'") == "2");
  rebuild_index(results.path());
  CHECK(answer(results.path(), artefact) == "unread!!");
}

TEST_CASE("an update over an older, a foreign or a damaged index is a rebuild") {
  const ResultsDirectory results;
  write_study(results, "a", {example_trial(0, 1), example_trial(1, 2)});
  update_index(results.path());
  const auto index = results.path() / "index.sqlite";
  const std::string good = text_of(index), right = everything(results.path());
  std::vector<std::string> spoilt{"", "broken", good.substr(0, good.size() / 2), good, good};
  spoilt[3].replace(60, 4, std::string("\0\0\0\2", 4));  // user_version
  for (std::size_t at = 5000; at + 100 < good.size(); at += 4096)
    spoilt[4].replace(at, 100, std::string(100, '\x5a'));
  for (const std::string& text : spoilt) {
    put_text(index, text);
    update_index(results.path());
    CHECK(everything(results.path()) == right);
    CHECK(answer(results.path(), "PRAGMA integrity_check") == "ok");
  }
}

TEST_CASE("no records give an empty index, and no directory gives an Error") {
  const ResultsDirectory results;
  CHECK_THROWS_AS(rebuild_index(results.path()), Error);
  std::filesystem::create_directories(results.path());
  rebuild_index(results.path());
  CHECK(answer(results.path(), "SELECT count(*) FROM studies") == "0");
}

TEST_CASE("an index of merged records is the one that the records give") {
  const ResultsDirectory here, indexed, broken;
  indexed.write({example_trial(0, 1, 2e-3), example_trial(1, 2, 1e-3)});
  update_index(indexed.path());
  // What another study's index says stays out; a damaged one is no hindrance.
  broken.write({example_trial(2, 4)});
  put_text(broken.path() / "index.sqlite", "broken");
  for (const ResultsDirectory* source : {&indexed, &broken}) {
    const auto from = study_directory(source->path(), example_header());
    const auto to = study_directory(here.path(), example_header());
    std::filesystem::remove_all(here.path());
    std::filesystem::create_directories(to);
    for (const auto& file : std::filesystem::directory_iterator(from)) {
      std::filesystem::copy(file.path(), to / file.path().filename());
      std::filesystem::last_write_time(to / file.path().filename(), file.last_write_time());
    }
    const auto told = [&] {
      const std::string all =
          "SELECT group_concat(position || configuration || record || started) FROM trials";
      return answer(here.path(), all) + answer(here.path(), "SELECT best_seconds FROM results") +
             answer(here.path(), "SELECT stamp FROM files") +
             answer(here.path(), "SELECT explanation FROM studies");
    };
    update_index(here.path(), {source->path()});
    const std::string merged = told();
    rebuild_index(here.path());
    CHECK(told() == merged);
  }
}
