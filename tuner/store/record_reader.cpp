// Reads the record files of a study back, whatever their last writer left behind.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/line_source.h"
#include "store/event_json.h"
#include "store/study_store.h"

namespace rooftune::inline store {
namespace {

namespace fs = std::filesystem;

/// Collects the files of one study; `finish` makes the study of them.
class StudyReader {
 public:
  StudyReader(std::string kernel, std::string backend, std::string id) {
    study_.header.kernel = std::move(kernel);
    study_.header.backend = std::move(backend);
    study_.header.id = std::move(id);
  }
  void read(const fs::path& file);
  StudyRecord finish();

 private:
  void line(const std::string& text, const std::string& where, bool torn);
  void record(const std::string& text, const std::string& where);
  void header(StudyHeader header);

  StudyRecord study_;
  bool has_header_ = false;
  bool foreign_ = false;   ///< the file at hand belongs to another study
  std::string newer_;      ///< schema of records that were left aside in this file
  std::size_t aside_ = 0;  ///< how many
  std::set<std::pair<std::uint64_t, std::string>> trials_;  ///< index and configuration
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
  if (aside_ == 0) return;
  study_.newer = file.string() + ": schema \"" + newer_ + "\"";
  study_.faults.push_back(file.string() + ": " + std::to_string(aside_) + " records of \"" +
                          newer_ + "\", written by a newer version of Rooftune, were left aside");
}

void StudyReader::line(const std::string& text, const std::string& where, bool torn) {
  const auto aside = [&](const std::string& place, const std::string& why) {
    study_.faults.push_back(place + ": " + (torn ? "torn last record: " : "unreadable record: ") +
                            why);
  };
  try {
    record(text, where);
  } catch (const Error& error) {
    aside(error.where().starts_with(where + ": ") ? error.where() : where, error.message());
  } catch (const std::exception&) {
    // A value of a kind that no reader expects there; what the library calls it helps nobody.
    aside(where, "a value has the wrong type");
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
  if (!readable_schema(schema)) {
    if (!schema.starts_with(record_family)) throw Error("unknown schema \"" + schema + "\"");
    newer_ = schema;
    ++aside_;
    return;
  }
  auto event = event_from_json(name, reader.member("body"), where + ": /body");
  if (!event) {
    study_.faults.push_back(where + ": event \"" + name +
                            "\" is not known here, and was left aside");
  } else if (auto* const header = std::get_if<StudyHeader>(&*event)) {
    this->header(std::move(*header));
  } else {
    // A scheduler may run one task twice; the first result of a position stands.
    const auto* const trial = std::get_if<Trial>(&*event);
    if (!trial || trials_.insert({trial->index, trial->configuration.key()}).second)
      study_.apply(std::move(*event));
  }
}

void StudyReader::header(StudyHeader header) {
  if (header.id != study_.header.id || header.kernel != study_.header.kernel ||
      header.backend != study_.header.backend) {
    foreign_ = true;
    throw Error("belongs to study " + header.kernel + "." + header.backend + "." + header.id +
                ", so the file was left aside");
  }
  study_.apply(std::move(header));
  has_header_ = true;
}

StudyRecord StudyReader::finish() {
  if (!has_header_)
    study_.faults.push_back("study " + study_.header.id + ": no header can be read");
  std::vector<Trial> trials = study_.history.trials();
  std::stable_sort(trials.begin(), trials.end(),
                   [](const Trial& a, const Trial& b) { return a.index < b.index; });
  study_.history = History();
  for (Trial& trial : trials) {
    // Lost lines leave gaps and two writers leave twins: positions are those of the history.
    trial.index = study_.history.size();
    study_.history.append(std::move(trial));
  }
  return std::move(study_);
}

std::vector<fs::path> record_files(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code fault, ignored;
  for (const auto& entry : fs::directory_iterator(directory, fault))
    // A pipe of that name would never end.
    if (entry.path().extension() == ".jsonl" && entry.is_regular_file(ignored))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::optional<StudyRecord> read_study(const fs::path& results, const std::string& kernel,
                                      const std::string& backend, const std::string& id) {
  StudyHeader header;
  header.id = id;
  header.kernel = kernel;
  header.backend = backend;
  const auto files = record_files(study_directory(results, header));
  if (files.empty()) return std::nullopt;
  StudyReader reader(kernel, backend, id);
  for (const fs::path& file : files) reader.read(file);
  return reader.finish();
}

std::vector<StudyFiles> study_files(const fs::path& results) {
  std::vector<StudyFiles> studies;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(results / "records", fault)) {
    const std::string name = entry.path().filename().string();
    const std::size_t first = name.find('.'), last = name.rfind('.');
    if (first == last) continue;
    StudyFiles study{name.substr(0, first), name.substr(first + 1, last - first - 1),
                     name.substr(last + 1), record_files(entry.path())};
    if (!study.files.empty()) studies.push_back(std::move(study));
  }
  std::sort(studies.begin(), studies.end(), [](const StudyFiles& a, const StudyFiles& b) {
    return std::tie(a.id, a.kernel, a.backend) < std::tie(b.id, b.kernel, b.backend);
  });
  return studies;
}

std::vector<StudyRecord> read_studies(const fs::path& results) {
  std::vector<StudyRecord> studies;
  for (const StudyFiles& study : study_files(results))
    if (auto record = read_study(results, study.kernel, study.backend, study.id))
      studies.push_back(std::move(*record));
  return studies;
}

}  // namespace rooftune::inline store
