// results/index.sqlite: the records as tables, for people who ask questions in SQL.
// Derived and disposable: it is rebuilt from the records, and nothing reads it to go on.
#include <sqlite3.h>

#include <memory>

#include "core/file.h"
#include "store/event_json.h"
#include "store/study_store.h"

namespace rooftune::inline store {
namespace {

/// "RTNE": tells `file` and other readers whose database it is.
constexpr const char* schema_sql = R"sql(
PRAGMA application_id = 1381256773;
PRAGMA user_version = 2;
CREATE TABLE studies (
  id TEXT NOT NULL, kernel TEXT NOT NULL, backend TEXT NOT NULL, machine TEXT, machine_id TEXT,
  strategy TEXT, seed TEXT, threads INTEGER, cache_state TEXT, problem TEXT, explanation TEXT,
  faults INTEGER, PRIMARY KEY (id, kernel, backend));
CREATE TABLE trials (
  study TEXT NOT NULL, kernel TEXT NOT NULL, backend TEXT NOT NULL, position INTEGER NOT NULL,
  outcome TEXT NOT NULL, detail TEXT, configuration TEXT NOT NULL,
  seconds REAL, seconds_low REAL, seconds_high REAL, samples INTEGER, disturbed INTEGER,
  build REAL, validate REAL, time REAL, total REAL, artefact TEXT, started TEXT, record TEXT,
  PRIMARY KEY (study, kernel, backend, position));
CREATE TABLE results (
  study TEXT NOT NULL, kernel TEXT NOT NULL, backend TEXT NOT NULL, trials INTEGER NOT NULL,
  ok INTEGER NOT NULL, baseline_seconds REAL, best_seconds REAL, best_position INTEGER,
  best_configuration TEXT, PRIMARY KEY (study, kernel, backend));
CREATE TABLE events (
  study TEXT NOT NULL, kernel TEXT NOT NULL, backend TEXT NOT NULL, event TEXT NOT NULL,
  input INTEGER NOT NULL, body TEXT, PRIMARY KEY (study, kernel, backend, event, input));
)sql";

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

[[noreturn]] void fail(sqlite3* database) {
  throw Error(std::string("cannot build the index: ") + sqlite3_errmsg(database), {},
              "the records are whole; the index can be rebuilt at any time", ExitCode::failure);
}

void execute(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(database);
}

/// One INSERT statement; values are bound in order, then `insert` runs it.
class Row {
 public:
  Row(sqlite3* database, const std::string& table, int columns) : database_(database) {
    std::string sql = "INSERT INTO " + table + " VALUES (?";
    for (int i = 1; i < columns; ++i) sql += ",?";
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, (sql + ")").c_str(), -1, &statement, nullptr) != SQLITE_OK)
      fail(database);
    statement_.reset(statement);
  }
  Row& text(const std::string& value) {
    return bound(sqlite3_bind_text64(statement_.get(), ++at_, value.data(), value.size(),
                                     SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  Row& integer(std::int64_t value) {
    return bound(sqlite3_bind_int64(statement_.get(), ++at_, value));
  }
  Row& real(std::optional<double> value) {
    ++at_;
    return bound(value ? sqlite3_bind_double(statement_.get(), at_, *value)
                       : sqlite3_bind_null(statement_.get(), at_));
  }
  void insert() {
    if (sqlite3_step(statement_.get()) != SQLITE_DONE) fail(database_);
    sqlite3_reset(statement_.get());
    at_ = 0;
  }

 private:
  Row& bound(int result) {
    if (result != SQLITE_OK) fail(database_);
    return *this;
  }
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, FinishStatement> statement_;
  int at_ = 0;
};

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The key columns that every table starts with.
Row& keyed(Row& row, const StudyHeader& header) {
  return row.text(header.id).text(header.kernel).text(header.backend);
}

struct Tables {
  explicit Tables(sqlite3* database)
      : studies(database, "studies", 12),
        trials(database, "trials", 19),
        results(database, "results", 9),
        events(database, "events", 6) {}
  Row studies, trials, results, events;

  void add(const StudyRecord& study) {
    const StudyHeader& header = study.header;
    // Seeds use 64 bits without sign, which no column of SQLite holds as a number.
    keyed(studies, header)
        .text(header.machine)
        .text(header.machine_id)
        .text(header.strategy)
        .text(std::to_string(header.seed))
        .integer(header.threads)
        .text(header.cache_state)
        .text(dumped(header.problem))
        .text(header.explanation)
        .integer(static_cast<std::int64_t>(study.faults.size()))
        .insert();
    for (const Trial& trial : study.history.trials()) add(header, trial);
    add_events(study);
    add_result(study);
  }

  void add(const StudyHeader& header, const Trial& trial) {
    const auto& measured = trial.measurement;
    const auto seconds = [&](double Estimate::*part) {
      return measured ? std::optional(measured->seconds.*part) : std::nullopt;
    };
    keyed(trials, header)
        .integer(static_cast<std::int64_t>(trial.index))
        .text(to_text(trial.outcome))
        .text(trial.detail)
        .text(dumped(to_json(trial.configuration)))
        .real(seconds(&Estimate::value))
        .real(seconds(&Estimate::low))
        .real(seconds(&Estimate::high))
        .integer(measured ? static_cast<std::int64_t>(measured->samples.size()) : 0)
        .integer(measured && measured->disturbed)
        .real(trial.cost.build)
        .real(trial.cost.validate)
        .real(trial.cost.time)
        .real(trial.cost.total)
        .text(trial.artefact)
        .text(trial.started)
        .text(dumped(to_json(trial)))
        .insert();
  }

  /// The latest of every event, of several inputs one of each.
  void add_events(const StudyRecord& study) {
    const auto add = [&](const Event& event, std::size_t input = 0) {
      keyed(events, study.header)
          .text(event_name(event))
          .integer(static_cast<std::int64_t>(input))
          .text(dumped(body_json(event)))
          .insert();
    };
    const auto present = [&](const auto& event) {
      if (event) add(*event);
    };
    present(study.setup);
    present(study.environment);
    present(study.anchors);
    present(study.race);
    present(study.ablation);
    present(study.choice);
    if (study.published_race) add(PublishedRace{*study.published_race});
    for (const auto& [input, runs] : study.counts) add(InputCounts{input, runs}, input);
    for (const auto& [input, all] : study.experiments) add(all, input);
    present(study.stopped);
  }

  void add_result(const StudyRecord& study) {
    const auto& tried = study.history.trials();
    const Trial* best = study.history.best();
    std::int64_t ok = 0;
    for (const Trial& trial : tried) ok += trial.ok() ? 1 : 0;
    const auto seconds = [](const Trial* trial) {
      return trial && trial->ok() ? std::optional(trial->measurement->seconds.value) : std::nullopt;
    };
    keyed(results, study.header)
        .integer(static_cast<std::int64_t>(tried.size()))
        .integer(ok)
        .real(seconds(tried.empty() ? nullptr : &tried.front()))
        .real(seconds(best))
        .integer(best ? static_cast<std::int64_t>(best->index) : -1)
        .text(best ? dumped(to_json(best->configuration)) : "")
        .insert();
  }
};

}  // namespace

void rebuild_index(const std::filesystem::path& results) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open(":memory:", &opened);
  const Database database(opened);
  if (result != SQLITE_OK) fail(opened);
  execute(opened, schema_sql);
  execute(opened, "BEGIN");
  {
    Tables tables(opened);
    for (const StudyRecord& study : read_studies(results)) tables.add(study);
  }
  execute(opened, "COMMIT");
  // Built in memory and renamed into place: SQLite never locks a file, which network file systems
  // cannot be trusted with, and a reader sees the old index or the new one.
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> image(
      sqlite3_serialize(opened, "main", &size, 0), sqlite3_free);
  if (!image) fail(opened);
  write_atomically(results / "index.sqlite", std::string(reinterpret_cast<const char*>(image.get()),
                                                         static_cast<std::size_t>(size)));
}

}  // namespace rooftune::inline store
