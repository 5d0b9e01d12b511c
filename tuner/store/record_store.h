// Studies and trials on disk: one append-only JSON-lines file per writer is the truth.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "trial/history.h"

namespace rooftune {

/// What identifies a study; equal ids continue each other.
struct StudyHeader {
  std::string id;  ///< hash of what follows and the sources
  std::string kernel, backend, machine, machine_id, strategy;
  std::uint64_t seed = 1;
  Json problem;  ///< parameters
  int threads = 0;
  std::string cache_state;  ///< warm or cold
  std::string explanation;  ///< LabelledHash::dump
};

/// Appends to a file of its own: results/records/<kernel>.<backend>.<id>/<utc>.<host>.<pid>.jsonl,
/// one write() and fdatasync per record. Throws Error (read-only or full disk) before anything is
/// measured.
class RecordWriter {
 public:
  RecordWriter(const std::filesystem::path& results, const StudyHeader& header);
  ~RecordWriter();
  /// "started" before a trial runs (names the killer of a machine), then the trial.
  void started(const Configuration& configuration, std::uint64_t index);
  void append(const Trial& trial);
  /// The user interrupted what was started last: it killed nothing.
  void given_up(const Configuration& configuration, std::uint64_t index);
  /// Any other event: "setup", "race", "stopped", ...; stored as {"event": name, "body": ...}.
  void append(const std::string& event, const Json& body);
  const std::filesystem::path& file() const { return file_; }

 private:
  void write(const Json& record);
  std::filesystem::path file_;
  int fd_ = -1;
};

/// Event that tells what else the machine did during a trial: {"trial": index, ...}.
inline constexpr const char* surroundings_event = "surroundings";

struct StoredStudy {
  StudyHeader header;
  History history;  ///< by trial index; duplicates keep the first
  /// Started, neither a trial nor given up: they may have killed the run. Once for each run that
  /// ended so.
  std::vector<Configuration> unfinished;
  std::map<std::string, Json>
      latest;  ///< event name ("setup", "race", "stopped", ...) -> last body
  /// How many trials that a search proposed were on record before the last body of an event.
  std::map<std::string, std::size_t> trials_before;
  std::map<std::uint64_t, Json> surroundings;  ///< by trial index: what else the machine did then
  std::vector<std::string> faults;             ///< torn tails, unreadable lines: file:line and what
};
/// All records of one study; nullopt when there are none.
std::optional<StoredStudy> read_study(const std::filesystem::path& results,
                                      const std::string& kernel, const std::string& backend,
                                      const std::string& id);
/// Every study under results/records, in order of id.
std::vector<StoredStudy> read_studies(const std::filesystem::path& results);

/// Rebuilds results/index.sqlite (studies, trials, results) from the records: written anew,
/// renamed.
void rebuild_index(const std::filesystem::path& results);

}  // namespace rooftune
