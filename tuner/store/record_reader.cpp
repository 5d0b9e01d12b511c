// Reads the record files of a study back, whatever their last writer left behind.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/line_source.h"
#include "store/record.h"

namespace rooftune {
namespace {

namespace fs = std::filesystem;

/// One started configuration, in the order of files and lines.
struct Started {
  std::uint64_t index;
  Configuration configuration;
};

Started started(const Json& body, const std::string& where) {
  Faults faults;
  if (!body.is_object()) throw Error("a started configuration has no body");
  ObjectReader reader(body, where, faults);
  const std::int64_t index = reader.integer("index");
  const Json& configuration = reader.member("configuration");
  faults.raise();
  if (index < 0) throw Error("a negative trial index");
  return {static_cast<std::uint64_t>(index),
          configuration_from_json(configuration, where + "/configuration")};
}

/// Collects the files of one study; `finish` makes the study of them.
class StudyReader {
 public:
  StudyReader(std::string kernel, std::string backend, std::string id) {
    study_.header.kernel = std::move(kernel);
    study_.header.backend = std::move(backend);
    study_.header.id = std::move(id);
  }
  void read(const fs::path& file);
  StoredStudy finish();

 private:
  void line(const std::string& text, const std::string& where, bool torn);
  void record(const std::string& text, const std::string& where);
  void event(const std::string& name, const Json& body, const std::string& where);
  void header(const Json& body, const std::string& where);
  void trial(Trial trial);
  void give_up(const Started& what);

  StoredStudy study_;
  bool has_header_ = false;
  bool foreign_ = false;   ///< the file at hand belongs to another study
  std::string newer_;      ///< schema of records that were left aside in this file
  std::size_t aside_ = 0;  ///< how many
  std::vector<Started> started_;
  std::vector<Trial> trials_;
  std::size_t proposed_ = 0;  ///< of them, by a search
  std::set<std::pair<std::uint64_t, std::string>> seen_;
};

void StudyReader::read(const fs::path& file) {
  foreign_ = false;
  aside_ = 0;
  std::size_t number = 0;
  try {
    FileSource bytes(file);
    LineSource lines(bytes);
    for (std::string text; !foreign_ && lines.next(text);)
      // Without its newline the record may be whole: then only that last byte is missing.
      line(text, file.string() + ":" + std::to_string(++number), lines.torn());
  } catch (const Error& error) {
    study_.faults.push_back(error.where().empty()
                                ? fmt::format("{}:{}: {}, and reading stopped", file.string(),
                                              number + 1, error.message())
                                : error.what());
  }
  if (aside_ > 0)
    study_.faults.push_back(file.string() + ": " + std::to_string(aside_) + " records of \"" +
                            newer_ + "\", written by another version of Rooftune, were left aside");
}

void StudyReader::line(const std::string& text, const std::string& where, bool torn) {
  try {
    record(text, where);
  } catch (const Error& error) {
    study_.faults.push_back(where + ": " + (torn ? "torn last record: " : "unreadable record: ") +
                            error.message());
  }
}

void StudyReader::record(const std::string& text, const std::string& where) {
  const Json json = parse_json(text, where);
  if (!json.is_object()) throw Error("no JSON object");
  Faults faults;
  ObjectReader reader(json, where, faults);
  const std::string schema = reader.text("schema");
  const std::string name = reader.text("event");
  faults.raise();
  if (schema != record_schema) {
    if (!schema.starts_with(record_family)) throw Error("unknown schema \"" + schema + "\"");
    newer_ = schema;
    ++aside_;
    return;
  }
  event(name, reader.member("body"), where);
}

void StudyReader::event(const std::string& name, const Json& body, const std::string& where) {
  if (name == study_event) {
    header(body, where);
  } else if (name == trial_event) {
    trial(trial_from_json(body, where + ": /body"));
  } else if (name == started_event) {
    started_.push_back(started(body, where + ": /body"));
  } else if (name == given_up_event) {
    give_up(started(body, where + ": /body"));
  } else if (name == surroundings_event) {
    const bool has_trial = body.is_object() && body.contains("trial") &&
                           body["trial"].is_number_integer() && body["trial"].get<double>() >= 0;
    if (!has_trial) throw Error("\"surroundings\" of no trial");
    study_.surroundings[body["trial"].get<std::uint64_t>()] = body;
  } else {
    study_.latest[name] = body;
    study_.trials_before[name] = proposed_;
  }
}

void StudyReader::header(const Json& body, const std::string& where) {
  const StudyHeader header = header_from_json(body, where + ": /body");
  if (header.id != study_.header.id || header.kernel != study_.header.kernel ||
      header.backend != study_.header.backend) {
    foreign_ = true;
    throw Error("belongs to study " + header.kernel + "." + header.backend + "." + header.id +
                ", so the file was left aside");
  }
  if (!has_header_) study_.header = header;
  has_header_ = true;
}

void StudyReader::trial(Trial trial) {
  // A scheduler may run one task twice; the first result of a position stands.
  if (!seen_.insert({trial.index, trial.configuration.key()}).second) return;
  proposed_ += trial.promoted_because.empty() ? 1 : 0;
  trials_.push_back(std::move(trial));
}

void StudyReader::give_up(const Started& what) {
  const auto same = [&](const Started& one) {
    return one.index == what.index && one.configuration == what.configuration;
  };
  const auto last = std::find_if(started_.rbegin(), started_.rend(), same);
  if (last != started_.rend()) started_.erase(std::next(last).base());
}

StoredStudy StudyReader::finish() {
  if (!has_header_)
    study_.faults.push_back("study " + study_.header.id + ": no header can be read");
  std::stable_sort(trials_.begin(), trials_.end(),
                   [](const Trial& a, const Trial& b) { return a.index < b.index; });
  std::set<std::string> finished;
  for (Trial& trial : trials_) {
    // Lost lines leave gaps and two writers leave twins: positions are those of the history.
    trial.index = study_.history.size();
    finished.insert(trial.configuration.key());
    study_.history.append(std::move(trial));
  }
  for (Started& started : started_)
    if (finished.count(started.configuration.key()) == 0)
      study_.unfinished.push_back(std::move(started.configuration));
  return std::move(study_);
}

std::vector<fs::path> record_files(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(directory, fault))
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::optional<StoredStudy> read_study(const fs::path& results, const std::string& kernel,
                                      const std::string& backend, const std::string& id) {
  const auto files = record_files(study_directory(results, kernel, backend, id));
  if (files.empty()) return std::nullopt;
  StudyReader reader(kernel, backend, id);
  for (const fs::path& file : files) reader.read(file);
  return reader.finish();
}

std::vector<StoredStudy> read_studies(const fs::path& results) {
  std::vector<StoredStudy> studies;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(results / "records", fault)) {
    const std::string name = entry.path().filename().string();
    const std::size_t first = name.find('.'), last = name.rfind('.');
    if (first == last) continue;
    auto study = read_study(results, name.substr(0, first),
                            name.substr(first + 1, last - first - 1), name.substr(last + 1));
    if (study) studies.push_back(std::move(*study));
  }
  std::sort(studies.begin(), studies.end(), [](const StoredStudy& a, const StoredStudy& b) {
    return std::tie(a.header.id, a.header.kernel) < std::tie(b.header.id, b.header.kernel);
  });
  return studies;
}

}  // namespace rooftune
