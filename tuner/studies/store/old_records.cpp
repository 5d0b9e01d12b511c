// Old records, found and removed.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/file.h"
#include "os/file_lock.h"
#include "store/study_store.h"

namespace rooftune::store {
namespace {

namespace fs = std::filesystem;

struct Aged {
  fs::path path;
  fs::file_time_type written;
  std::string id;
};

fs::file_time_type written(const fs::path& file) {
  std::error_code fault;
  const auto time = fs::last_write_time(file, fault);
  return fault ? fs::file_time_type::max() : time;
}

/// Common key of studies of the same problem, before and after a change of the kernel, the compiler
/// or Rooftune.
std::string series_of(const StudyFiles& study) {
  const StudyHeader header = read_header(study);
  return fmt::format("{} {} {} {}", header.kernel, header.backend, header.machine,
                     json_text(header.problem));
}

/// Leaves only the old ones under the rule.
void leave_old(std::vector<Aged>& all, const OldRecordsRule& rule) {
  std::sort(all.begin(), all.end(), [](const Aged& a, const Aged& b) {
    return a.written != b.written ? a.written > b.written : a.path > b.path;
  });
  const std::size_t newest = std::min(rule.keep.value_or(0), all.size());
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(newest));
  const auto now = fs::file_time_type::clock::now();
  std::erase_if(all, [&](const Aged& one) {
    return rule.older_than && (one.written > now || now - one.written <= *rule.older_than);
  });
}

std::uintmax_t bytes_below(const fs::path& place) {
  std::uintmax_t bytes = 0;
  std::error_code fault;
  if (fs::is_regular_file(place, fault)) return fs::file_size(place, fault);
  for (const auto& entry : fs::recursive_directory_iterator(place, fault))
    if (entry.is_regular_file(fault)) bytes += entry.file_size(fault);
  return bytes;
}

void add_runs(const fs::path& study, const OldRecordsRule& rule, OldRecords& old) {
  std::vector<Aged> runs;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(study / set_aside_folder, fault))
    if (entry.path().extension() == ".jsonl")
      runs.push_back({entry.path(), written(entry.path()), {}});
  leave_old(runs, rule);
  for (const Aged& run : runs) old.runs.push_back(run.path);
}

/// Characters of an id; any other one ends it.
bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }

void add_words(const fs::path& file, std::set<std::string>& words) {
  // Ids have 16 hexadecimal digits.
  constexpr std::size_t shortest = 8, longest = 32;
  std::string word;
  for (const char c : text_if_readable(file) + "\n") {
    if (is_word(c)) {
      word += c;
      continue;
    }
    if (word.size() >= shortest && word.size() <= longest) words.insert(word);
    word.clear();
  }
}

}  // namespace

OldRecords old_records(const fs::path& results, const OldRecordsRule& rule) {
  if (!rule.older_than && !rule.keep)
    throw Error("nothing says what is old", "tune records gc",
                "--older-than 90d, --keep 5 or both");
  OldRecords old;
  std::map<std::string, std::vector<Aged>> series;
  std::vector<fs::path> folders;
  for (const StudyFiles& study : study_files(results)) {
    const fs::path folder = study.files.back().parent_path();
    fs::file_time_type last = fs::file_time_type::min();
    for (const fs::path& file : study.files) last = std::max(last, written(file));
    try {
      series[series_of(study)].push_back({folder, last, study.id});
    } catch (const std::exception&) {
      old.notes.push_back(folder.string() + ": stays, its first record cannot be read");
      continue;
    }
    if (!rule.named.contains(study.id)) folders.push_back(folder);
  }
  for (auto& [name, studies] : series) {
    leave_old(studies, rule);
    for (const Aged& study : studies)
      if (rule.named.contains(study.id))
        ++old.named;
      else
        old.studies.push_back(study.path);
  }
  std::sort(old.studies.begin(), old.studies.end());
  for (const fs::path& folder : folders)
    if (!std::binary_search(old.studies.begin(), old.studies.end(), folder))
      add_runs(folder, rule, old);
  for (const auto* places : {&old.studies, &old.runs})
    for (const fs::path& place : *places) old.bytes += bytes_below(place);
  return old;
}

void remove(OldRecords& old) {
  const auto erase = [](const fs::path& place) {
    std::error_code fault;
    fs::remove_all(place, fault);
    if (fault)
      throw Error("cannot be removed: " + fault.message(), place.string(), {}, ExitCode::io);
  };
  std::erase_if(old.studies, [&](const fs::path& study) {
    std::string holder;
    const auto lock = FileLock::take(study / "lock", holder);
    if (lock)
      erase(study);
    else
      old.notes.push_back(study.string() + ": stays, it is being run by " + holder);
    return !lock;
  });
  for (const fs::path& run : old.runs) erase(run);
}

std::set<std::string> named_studies(const std::vector<fs::path>& places) {
  std::set<std::string> words;
  std::error_code fault;
  for (const fs::path& place : places) {
    if (fs::is_regular_file(place, fault)) add_words(place, words);
    if (!fs::is_directory(place, fault)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(place, fault))
      if (entry.is_regular_file(fault)) add_words(entry.path(), words);
  }
  return words;
}

}  // namespace rooftune::store
