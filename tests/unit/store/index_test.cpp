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
  CHECK(ask("PRAGMA user_version") == "2");
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

TEST_CASE("no records give an empty index; no directory gives an Error") {
  const ResultsDirectory results;
  CHECK_THROWS_AS(rebuild_index(results.path()), Error);
  std::filesystem::create_directories(results.path());
  rebuild_index(results.path());
  CHECK(answer(results.path(), "SELECT count(*) FROM studies") == "0");
}
