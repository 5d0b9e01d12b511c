// results/index.sqlite: the records as tables, for people who ask questions in SQL.
// Derived and disposable: it is made from the records, and nothing reads it to go on.
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "core/file.h"
#include "os/parallel.h"
#include "store/event_json.h"
#include "store/index_place.h"
#include "store/study_store.h"

namespace rooftune::inline store {
namespace {

/// "RTNE": tells `file` and other readers whose database it is.
constexpr const char* schema_sql = R"sql(
PRAGMA application_id = 1381256773;
PRAGMA user_version = 3;
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
CREATE TABLE files (
  study TEXT NOT NULL, kernel TEXT NOT NULL, backend TEXT NOT NULL, stamp TEXT NOT NULL,
  PRIMARY KEY (study, kernel, backend));
)sql";
constexpr const char* its_version = "3";

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

[[noreturn]] void fail(sqlite3* database) {
  throw Error(std::string("cannot write the index: ") + sqlite3_errmsg(database), {},
              "the records are whole; the index can be rebuilt at any time", ExitCode::io);
}

void execute(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(database);
}

/// One statement; values are bound in order, then `run` or `answer` runs it.
class Row {
 public:
  Row(sqlite3* database, const std::string& sql) : database_(database) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
      fail(database);
    statement_.reset(statement);
  }
  Row(sqlite3* database, const std::string& table, int columns)
      : Row(database, "INSERT INTO " + table + " VALUES (?" + repeated(",?", columns - 1) + ")") {}
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
  void run() {
    if (sqlite3_step(statement_.get()) != SQLITE_DONE) fail(database_);
    reset();
  }
  /// The columns of each row as texts.
  std::vector<std::vector<std::string>> answer() {
    std::vector<std::vector<std::string>> rows;
    int result = SQLITE_ROW;
    while ((result = sqlite3_step(statement_.get())) == SQLITE_ROW) {
      rows.emplace_back();
      for (int i = 0; i < sqlite3_column_count(statement_.get()); ++i) {
        const unsigned char* text = sqlite3_column_text(statement_.get(), i);
        rows.back().emplace_back(text ? reinterpret_cast<const char*>(text) : "");
      }
    }
    if (result != SQLITE_DONE) fail(database_);
    reset();
    return rows;
  }

 private:
  static std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  }
  void reset() {
    sqlite3_reset(statement_.get());
    at_ = 0;
  }
  Row& bound(int result) {
    if (result != SQLITE_OK) fail(database_);
    return *this;
  }
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, FinishStatement> statement_;
  int at_ = 0;
};

/// The key columns that every table starts with: of a StudyHeader or StudyFiles.
Row& keyed(Row& row, const auto& study) {
  return row.text(study.id).text(study.kernel).text(study.backend);
}

/// A study and the longest of its texts; made without the database, by several threads.
struct ReadStudy {
  explicit ReadStudy(StudyRecord record) : study(std::move(record)) {
    for (const Trial& trial : study.history.trials())
      trials.push_back({json_text(to_json(trial.configuration)), json_text(to_json(trial))});
  }
  struct Texts {
    std::string configuration, trial;
  };
  StudyRecord study;
  std::vector<Texts> trials;
};

struct Tables {
  explicit Tables(sqlite3* database)
      : studies(database, "studies", 12),
        trials(database, "trials", 19),
        results(database, "results", 9),
        events(database, "events", 6) {}
  Row studies, trials, results, events;

  void add(const ReadStudy& read) {
    const StudyRecord& study = read.study;
    const StudyHeader& header = study.header;
    // Seeds use 64 bits without sign, which no column of SQLite holds as a number.
    keyed(studies, header)
        .text(header.machine)
        .text(header.machine_id)
        .text(header.strategy)
        .text(std::to_string(header.seed))
        .integer(header.threads)
        .text(header.cache_state)
        .text(json_text(header.problem))
        .text(header.explanation)
        .integer(static_cast<std::int64_t>(study.faults.size()))
        .run();
    for (std::size_t i = 0; i < read.trials.size(); ++i)
      add(header, study.history.trials()[i], read.trials[i]);
    add_events(study);
    add_result(study);
  }

  void add(const StudyHeader& header, const Trial& trial, const ReadStudy::Texts& texts) {
    const auto& measured = trial.measurement;
    const auto seconds = [&](double Estimate::*part) {
      return measured ? std::optional(measured->seconds.*part) : std::nullopt;
    };
    keyed(trials, header)
        .integer(static_cast<std::int64_t>(trial.index))
        .text(to_text(trial.outcome))
        .text(trial.detail)
        .text(texts.configuration)
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
        .text(texts.trial)
        .run();
  }

  /// The latest of every event, of several inputs one of each.
  void add_events(const StudyRecord& study) {
    const auto add = [&](const Event& event, std::size_t input = 0) {
      keyed(events, study.header)
          .text(event_name(event))
          .integer(static_cast<std::int64_t>(input))
          .text(json_text(body_json(event)))
          .run();
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
        .text(best ? json_text(to_json(best->configuration)) : "")
        .run();
  }
};

/// Names, sizes and times of a study's record files: another text when one was appended to.
std::string stamp_of(const StudyFiles& study) {
  std::string stamp;
  for (const auto& file : study.files) {
    std::error_code gone;
    const auto size = std::filesystem::file_size(file, gone);
    const auto time = std::filesystem::last_write_time(file, gone).time_since_epoch();
    stamp += fmt::format("{} {} {}\n", file.filename().string(), size,
                         std::chrono::nanoseconds(time).count());
  }
  return stamp;
}

/// A database in a file of this process alone, which nobody need lock; network file systems cannot
/// be trusted with locks. Gone with its owner unless it was renamed.
class Draft {
 public:
  explicit Draft(const std::filesystem::path& results)
      : index_(place(results)), file_(part_beside(index_)) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    database_.reset();
    ::unlink(file_.c_str());
  }
  sqlite3* get() const { return database_.get(); }

  void begin_empty() {
    ::unlink(file_.c_str());
    open();
    execute(get(), schema_sql);
  }
  /// With what the index holds. False when it is not there, damaged or of another version.
  bool begin_with_index() {
    std::error_code fault;
    std::filesystem::copy_file(index_, file_, std::filesystem::copy_options::overwrite_existing,
                               fault);
    if (fault) return false;
    try {
      open();
      const auto is = [&](const char* sql, const char* value) {
        return Row(get(), sql).answer() == std::vector<std::vector<std::string>>{{value}};
      };
      return is("PRAGMA user_version", its_version) && is("PRAGMA application_id", "1381256773") &&
             is("PRAGMA quick_check", "ok");
    } catch (const Error&) {
      return false;
    }
  }
  void finish() {
    database_.reset();
    std::error_code fault;
    std::filesystem::rename(file_, index_, fault);
    if (fault)
      throw Error("cannot be written: " + fault.message(), index_.string(), {}, ExitCode::io);
  }

 private:
  static std::filesystem::path place(const std::filesystem::path& results) {
    const IndexPlace place = index_place(results);
    if (!place.network.empty()) make_folders(place.file.parent_path());
    return place.file;
  }
  void open() {
    sqlite3* opened = nullptr;
    const int result = sqlite3_open_v2(file_.c_str(), &opened,
                                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "unix-none");
    database_.reset(opened);
    if (result != SQLITE_OK) fail(opened);
    // A draft that is cut short is thrown away: it needs no journal.
    execute(opened, "PRAGMA journal_mode = OFF");
  }

  std::filesystem::path index_, file_;
  Database database_;
};

/// Takes a study out of every table.
void remove(sqlite3* database, const StudyFiles& study) {
  for (const char* from : {"studies WHERE id", "trials WHERE study", "results WHERE study",
                           "events WHERE study", "files WHERE study"}) {
    Row row(database, fmt::format("DELETE FROM {} = ? AND kernel = ? AND backend = ?", from));
    keyed(row, study).run();
  }
}

/// Reads the studies that the draft does not hold as they are, and takes out those that are gone.
void complete(sqlite3* database, const std::filesystem::path& results) {
  using Key = std::array<std::string, 3>;
  std::map<Key, std::string> held;
  for (const auto& row : Row(database, "SELECT * FROM files").answer())
    held[{row[0], row[1], row[2]}] = row[3];
  std::vector<std::pair<StudyFiles, std::string>> changed;
  for (StudyFiles& study : study_files(results)) {
    std::string stamp = stamp_of(study);
    const auto found = held.find({study.id, study.kernel, study.backend});
    const bool is_held = found != held.end() && found->second == stamp;
    if (found != held.end()) held.erase(found);
    if (!is_held) changed.emplace_back(std::move(study), std::move(stamp));
  }
  Tables tables(database);
  Row files(database, "files", 4);
  std::mutex writing;
  in_parallel(changed.size(), std::thread::hardware_concurrency(), [&](std::size_t i) {
    const auto& [study, stamp] = changed[i];
    auto record = read_study(results, study.kernel, study.backend, study.id);
    const auto read = record ? std::optional<ReadStudy>(std::move(*record)) : std::nullopt;
    const std::lock_guard lock(writing);
    remove(database, study);
    if (read) tables.add(*read);
    keyed(files, study).text(stamp).run();
  });
  for (const auto& [key, stamp] : held) remove(database, StudyFiles{key[1], key[2], key[0], {}});
}

void write_index(const std::filesystem::path& results, bool anew) {
  Draft draft(results);
  if (anew || !draft.begin_with_index()) draft.begin_empty();
  execute(draft.get(), "BEGIN");
  complete(draft.get(), results);
  execute(draft.get(), "COMMIT");
  draft.finish();
}

}  // namespace

void rebuild_index(const std::filesystem::path& results) { write_index(results, true); }

void update_index(const std::filesystem::path& results) { write_index(results, false); }

}  // namespace rooftune::inline store
