// results/index.sqlite: the records as tables, for people who ask questions in SQL.
// Derived and disposable: it is made from the records, and nothing reads it to go on.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "core/file.h"
#include "os/parallel.h"
#include "store/database.h"
#include "store/event_json.h"
#include "store/index_place.h"
#include "store/study_store.h"

namespace rooftune::store {
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

/// The key columns that every table starts with: of a StudyHeader or StudyFiles.
Row& keyed(Row& row, const auto& study) {
  return row.text(study.id).text(study.kernel).text(study.backend);
}

struct Tables {
  explicit Tables(sqlite3* database)
      : studies(database, "studies", 12),
        trials(database, "trials", 19),
        results(database, "results", 9),
        events(database, "events", 6) {}
  Row studies, trials, results, events;

  void add(const StudyTexts& read) {
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

  void add(const StudyHeader& header, const Trial& trial, const std::string& text) {
    const auto& measured = trial.measurement;
    const auto seconds = [&](double Estimate::*part) {
      return measured ? std::optional(measured->seconds.*part) : std::nullopt;
    };
    keyed(trials, header)
        .integer(static_cast<std::int64_t>(trial.index))
        .text(to_text(trial.outcome))
        .text(trial.detail)
        .text(json_text(to_json(trial.configuration)))
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
        .text(text)
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
    const int result =
        sqlite3_open_v2(file_.c_str(), &opened,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, "unix-none");
    database_.reset(opened);
    if (result != SQLITE_OK) fail(opened);
    // A draft that is cut short is thrown away: it needs no journal.
    execute(opened, "PRAGMA journal_mode = OFF");
    execute(opened, "PRAGMA synchronous = OFF");
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

/// A study whose rows are missing or old, and the stamp of its files.
struct ChangedStudy {
  StudyFiles study;
  std::string stamp;
};

/// Takes out what is gone.
std::vector<ChangedStudy> changed_studies(sqlite3* database, const std::filesystem::path& results) {
  using Key = std::array<std::string, 3>;
  std::map<Key, std::string> held;
  for (const auto& row : Row(database, "SELECT * FROM files").answer())
    held[{row[0], row[1], row[2]}] = row[3];
  std::vector<ChangedStudy> changed;
  for (StudyFiles& study : study_files(results)) {
    std::string stamp = stamp_of(study);
    const auto found = held.find({study.id, study.kernel, study.backend});
    const bool is_held = found != held.end() && found->second == stamp;
    if (found != held.end()) held.erase(found);
    if (!is_held) changed.push_back({std::move(study), std::move(stamp)});
  }
  for (const auto& [key, stamp] : held) remove(database, StudyFiles{key[1], key[2], key[0], {}});
  return changed;
}

/// "file:" and the path, of an index that nobody writes to: it is replaced as a whole.
std::string read_only_uri(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(file).string())
    uri += std::isalnum(static_cast<unsigned char>(c)) || c == '/'
               ? std::string(1, c)
               : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  return uri + "?mode=ro&immutable=1";
}

/// Copies the rows of studies whose files another index knows by the same names, sizes and times.
class MergedIndex {
 public:
  MergedIndex(sqlite3* database, const std::filesystem::path& index) : database_(database) {
    Row(database, "ATTACH ? AS merged").text(read_only_uri(index)).run();
    const auto version = Row(database, "PRAGMA merged.user_version").answer();
    if (version != std::vector<std::vector<std::string>>{{its_version}})
      throw Error("is of another version", index.string());
    execute(database, "BEGIN");
  }
  /// False when it does not hold the study as it is.
  bool give(const ChangedStudy& one) {
    Row known(database_,
              "SELECT 1 FROM merged.files WHERE study = ? AND kernel = ? AND backend = ? AND "
              "stamp = ?");
    if (keyed(known, one.study).text(one.stamp).answer().empty()) return false;
    remove(database_, one.study);
    for (const std::string table : {"studies", "trials", "results", "events", "files"}) {
      Row row(database_, fmt::format("INSERT INTO {0} SELECT * FROM merged.{0} WHERE {1} = ? AND "
                                     "kernel = ? AND backend = ?",
                                     table, table == "studies" ? "id" : "study"));
      keyed(row, one.study).run();
    }
    return true;
  }

 private:
  sqlite3* database_;
};

/// Takes from the list what the index could give. The rest is read from the records.
void take_rows(sqlite3* database, const std::filesystem::path& index,
               std::vector<ChangedStudy>& changed) {
  std::vector<ChangedStudy> left;
  bool usable = std::filesystem::is_regular_file(index);
  std::optional<MergedIndex> merged;
  for (ChangedStudy& one : changed) {
    bool given = false;
    try {
      if (usable && !merged) merged.emplace(database, index);
      given = usable && merged->give(one);
    } catch (const Error&) {
      usable = false;  // Damaged, or of another version.
    }
    if (!given) left.push_back(std::move(one));
  }
  changed = std::move(left);
  if (sqlite3_get_autocommit(database) == 0) execute(database, "COMMIT");
  // Not attached where it could not be opened.
  sqlite3_exec(database, "DETACH merged", nullptr, nullptr, nullptr);
}

void read_rows(sqlite3* database, const std::vector<ChangedStudy>& changed) {
  Tables tables(database);
  Row files(database, "files", 4);
  std::mutex writing;
  in_parallel(changed.size(), std::thread::hardware_concurrency(), [&](std::size_t i) {
    const auto& [study, stamp] = changed[i];
    const auto read = read_study_texts(study);
    const std::lock_guard lock(writing);
    remove(database, study);
    if (read) tables.add(*read);
    keyed(files, study).text(stamp).run();
  });
}

void write_index(const std::filesystem::path& results, bool anew,
                 const std::vector<std::filesystem::path>& merged) {
  Draft draft(results);
  if (anew || !draft.begin_with_index()) draft.begin_empty();
  std::vector<ChangedStudy> changed = changed_studies(draft.get(), results);
  // Nothing is attached within a transaction.
  for (const auto& source : merged) take_rows(draft.get(), index_place(source).file, changed);
  execute(draft.get(), "BEGIN");
  read_rows(draft.get(), changed);
  execute(draft.get(), "COMMIT");
  draft.finish();
}

}  // namespace

void rebuild_index(const std::filesystem::path& results) { write_index(results, true, {}); }

void update_index(const std::filesystem::path& results,
                  const std::vector<std::filesystem::path>& merged) {
  write_index(results, false, merged);
}

}  // namespace rooftune::store
