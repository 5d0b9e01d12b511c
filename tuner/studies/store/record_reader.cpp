// Reads a study's record files, in whatever state their last writer left them.
#include "store/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "core/file.h"
#include "core/folder.h"
#include "core/list.h"
#include "core/object_reader.h"
#include "os/parallel.h"
#include "store/record_writer.h"
#include "store/study_record.h"
#include "store/study_store.h"

namespace rooftune::store {
namespace {

/// Reads a study's files one by one; `finish` builds the study from them.
class StudyReader {
 public:
  explicit StudyReader(const StudyKey& wanted) {
    study_.header.kernel = wanted.kernel;
    study_.header.backend = wanted.backend;
    study_.header.id = wanted.id;
  }
  void read(const fs::path& file) {
    if (is_copy(file)) return;
    records_ = file.parent_path().parent_path();
    has_trial_ = false;
    foreign_ = newer_ = false;
    size_t number = 0;
    try {
      FileSource bytes(file);
      LineSource lines(bytes);
      for (std::string text; !foreign_ && lines.next(text);)
        // Without its newline the record may be whole: only the last byte is missing then.
        line(text, file.string() + ":" + std::to_string(++number), lines.torn());
    } catch (const Error& error) {
      find(RecordFinding::Kind::damaged,
           error.where().empty() ? fmt::format("{}:{}: {}, and reading stopped", file.string(),
                                               number + 1, error.message())
                                 : error.what());
    }
    // No two runs have equal times; but two killed by a configuration may have equal files.
    std::error_code gone;
    if (has_trial_) read_.emplace_back(file, fs::file_size(file, gone));
  }
  StudyRecord finish() {
    if (!has_header_)
      find(RecordFinding::Kind::damaged, "study " + study_.header.id + ": no header can be read");
    for (const RecordFinding& finding : findings_)
      if (finding.kind != RecordFinding::Kind::duplicate) study_.faults.push_back(finding.text);
    put_in_order();
    return std::move(study_);
  }
  /// Findings in all files read, with the reason for each line left aside.
  const std::vector<RecordFinding>& findings() const { return findings_; }
  size_t records() const { return count_; }

 private:
  void line(const std::string& text, const std::string& where, bool torn) {
    const auto aside = [&](const std::string& place, const std::string& why) {
      using Kind = RecordFinding::Kind;
      find(foreign_ ? Kind::foreign
           : torn   ? Kind::torn
                    : Kind::damaged,
           place + ": " + (torn ? "torn last record: " : "unreadable record: ") + why);
    };
    try {
      record(text, where);
      ++count_;
    } catch (const Error& error) {
      aside(error.where().starts_with(where + ": ") ? error.where() : where, error.message());
    } catch (const std::exception&) {
      // No reader expects a value of this type there; the library's message is no help.
      aside(where, "a value has the wrong type");
    }
  }
  void record(const std::string& text, const std::string& where) {
    Json json = parse_json(text, where);
    if (!json.is_object()) throw Error("no JSON object");
    Faults faults;
    ObjectReader reader(json, where, faults);
    const std::string schema = reader.text("schema");
    const std::string name = reader.text("event");
    faults.raise();
    if (schema == parted_schema) {
      bring_parts(records_, json["body"]);
    } else if (schema != record_schema) {
      if (!schema.starts_with(record_family)) throw Error("unknown schema \"" + schema + "\"");
      study_.newer = where + ": schema \"" + schema + "\"";
      if (!std::exchange(newer_, true))
        find(RecordFinding::Kind::newer, where + ": records of \"" + schema +
                                             "\" from here on, written by a newer version of "
                                             "Rooftune, were left aside");
      return;
    }
    auto event = event_from_json(name, reader.member("body"), where + ": /body");
    if (!event) {
      find(RecordFinding::Kind::newer,
           where + ": event \"" + name + "\" is not known here, and was left aside");
    } else if (auto* const header = std::get_if<StudyHeader>(&*event)) {
      this->header(std::move(*header));
    } else {
      // A scheduler may run one task twice; the first result at a position stands.
      const auto* const trial = std::get_if<Trial>(&*event);
      has_trial_ = has_trial_ || trial;
      if (!trial || trials_.insert({trial->index, trial->configuration.key()}).second) {
        study_.apply(std::move(*event));
      } else
        find(RecordFinding::Kind::duplicate,
             fmt::format("{}: trial {} is there already", where, trial->index));
    }
  }
  void header(StudyHeader header) {
    if (header.id != study_.header.id || header.kernel != study_.header.kernel ||
        header.backend != study_.header.backend) {
      foreign_ = true;
      throw Error("belongs to study " + header.kernel + "." + header.backend + "." + header.id +
                  ", so the file was left aside");
    }
    study_.apply(std::move(header));
    has_header_ = true;
  }
  /// Sorts trials from several writers by their index.
  void put_in_order() {
    const TrialList& read = study_.history.trials();
    bool in_order = true;
    for (const size_t i : indices(read)) in_order = in_order && read[i].index == i;
    if (in_order) return;
    Indices order = all_places(read.size());
    stable_sort(order, {}, [&](size_t at) { return read[at].index; });
    History history;
    for (const size_t at : order) {
      Trial trial = read[at];
      // Lost lines leave gaps and two writers leave twins: number anew.
      trial.index = history.size();
      history.append(std::move(trial));
    }
    study_.history = std::move(history);
  }
  void find(RecordFinding::Kind kind, std::string text) {
    findings_.push_back({kind, std::move(text)});
  }
  /// An earlier file with trials has the same bytes: a copy under another name.
  bool is_copy(const fs::path& file) {
    std::error_code fault;
    const std::uintmax_t size = fs::file_size(file, fault);
    if (fault) return false;
    for (const auto& [other, its_size] : read_)
      if (its_size == size && text_if_readable(other) == text_if_readable(file)) {
        find(RecordFinding::Kind::duplicate, file.string() + ": is a copy of " + file_name(other));
        return true;
      }
    return false;
  }

  StudyRecord study_;
  std::vector<RecordFinding> findings_;
  std::vector<std::pair<fs::path, std::uintmax_t>> read_;  ///< files with trials, their sizes
  size_t count_ = 0;
  fs::path records_;  ///< results/records
  bool has_header_ = false;
  bool has_trial_ = false;  ///< the file at hand
  bool foreign_ = false;    ///< the file at hand belongs to another study
  bool newer_ = false;      ///< the file at hand holds records from another version
  std::set<std::pair<uint64_t, std::string>> trials_;  ///< index and configuration
};

}  // namespace

Paths records_in(const fs::path& directory) { return files_in(directory, ".jsonl"); }

std::optional<StudyRecord> read_study(const fs::path& results, const StudyKey& wanted) {
  const fs::path folder = study_directory(results, wanted);
  const auto files = records_in(folder);
  if (files.empty()) return std::nullopt;
  StudyReader reader(wanted);
  for (const fs::path& file : files) reader.read(file);
  StudyRecord study = reader.finish();
  study.place = folder;
  return study;
}

std::vector<StudyFiles> study_files(const fs::path& results) {
  std::vector<StudyFiles> studies;
  for (const fs::path& folder : entries_of(results / "records")) {
    const std::string name = file_name(folder);
    const size_t first = name.find('.'), last = name.rfind('.');
    if (first == last) continue;
    StudyFiles study{
        {{name.substr(0, first), name.substr(first + 1, last - first - 1)}, name.substr(last + 1)},
        records_in(folder)};
    if (!study.files.empty()) studies.push_back(std::move(study));
  }
  sort(studies, {},
       [](const StudyFiles& study) { return std::tie(study.id, study.kernel, study.backend); });
  return studies;
}

StudyHeader read_header(const StudyFiles& study) {
  FileSource bytes(study.files.back());
  LineSource lines(bytes);
  std::string line;
  lines.next(line);
  const std::string where = study.files.back().string() + ":1";
  const Json json = parse_json(line, where);
  if (!json.is_object() || !json.contains("body")) throw Error("is no record", where);
  return decoded<StudyHeader>(json.at("body"), where + ": /body");
}

const char* cure(RecordFinding::Kind kind) {
  static constexpr const char* cures[] = {
      "its writer was killed; what stands before it counts, and the study goes on from there",
      "readers leave it aside; delete the line, or put a whole copy in the place of the file",
      "read it with the version of Rooftune that wrote it",
      "move the file to the folder of its own study", "nothing: readers take the first"};
  return cures[size_t(kind)];
}

bool RecordCheck::sound() const {
  return all_of(findings, [](const RecordFinding& finding) {
    return finding.kind == RecordFinding::Kind::duplicate;
  });
}

RecordCheck verify_records(const fs::path& results) {
  const auto studies = study_files(results);
  std::vector<RecordCheck> checks(studies.size());
  in_parallel(studies.size(), std::thread::hardware_concurrency(), [&](size_t i) {
    const StudyFiles& study = studies[i];
    StudyReader reader(study);
    for (const fs::path& file : study.files) reader.read(file);
    (void)reader.finish();
    checks[i] = {1, study.files.size(), reader.records(), reader.findings()};
  });
  RecordCheck all;
  for (const RecordCheck& check : checks) {
    all.studies += check.studies;
    all.files += check.files;
    all.records += check.records;
    append(all.findings, check.findings);
  }
  return all;
}

}  // namespace rooftune::store
