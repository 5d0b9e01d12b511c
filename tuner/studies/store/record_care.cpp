// Old records, found and removed.
#include "store/record_care.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "core/units.h"
#include "os/file_lock.h"
#include "store/record_reader.h"
#include "store/record_writer.h"
#include "store/study_store.h"

namespace rooftune::store {
namespace {

struct Aged {
  fs::path path;
  fs::file_time_type written;
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

bool is_young(const fs::file_time_type written, const OldRecordsRule& rule) {
  const auto now = fs::file_time_type::clock::now();
  return rule.older_than && (written > now || now - written <= *rule.older_than);
}

/// Leaves only the old ones under the rule, and counts the others.
void leave_old(std::vector<Aged>& all, const OldRecordsRule& rule, size_t& recent) {
  const size_t count = all.size();
  std::ranges::sort(all, [](const Aged& a, const Aged& b) {
    return a.written != b.written ? a.written > b.written : a.path > b.path;
  });
  const size_t newest = std::min(rule.keep.value_or(0), all.size());
  all.erase(all.begin(), all.begin() + ptrdiff_t(newest));
  std::erase_if(all, [&](const Aged& one) { return is_young(one.written, rule); });
  recent += count - all.size();
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
    if (entry.path().extension() == ".jsonl" || entry.path().extension() == compressed_suffix)
      runs.push_back({entry.path(), written(entry.path())});
  leave_old(runs, rule, old.recent);
  for (const Aged& run : runs) old.runs.push_back(run.path);
}

Paths sorted_below(const fs::path& folder) {
  Paths all;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(folder, fault)) all.push_back(entry.path());
  std::ranges::sort(all);
  return all;
}

/// summary.json is the end of a night, all other files of that kind are outcomes.
bool is_outcome(const fs::path& file) {
  return file.extension() == ".json" && file.filename() != "summary.json";
}

/// The outcomes of a plan's nights, newest first, as far as no later night needs them.
void add_outcomes(const fs::path& plan, const OldRecordsRule& rule, OldRecords& old) {
  struct Newer {
    size_t all = 0, done = 0;
  };
  std::map<std::string, Newer> newer;  // by study
  const Paths nights = sorted_below(plan);
  for (auto night = nights.rbegin(); night != nights.rend(); ++night)
    for (const fs::path& file : sorted_below(*night)) {
      if (!is_outcome(file)) continue;
      Newer& known = newer[file.filename()];
      const bool is_recent = known.all < rule.keep.value_or(0) || is_young(written(file), rule);
      const bool is_judged = known.done < nights_judged || night == nights.rbegin();
      old.recent += is_recent;
      old.judged += !is_recent && is_judged;
      if (!is_recent && !is_judged) old.outcomes.push_back(file);
      ++known.all;
      // Those that failed tell no time.
      if (is_judged) known.done += contains(text_if_readable(file), "\"done\"");
    }
}

/// Pages of studies, "<study's folder>.html" and ".svg", without their records.
void add_pages(const fs::path& results, OldRecords& old) {
  for (const fs::path& page : sorted_below(results / "reports")) {
    const std::string name = page.stem().string();
    const fs::path study = results / "records" / name;
    const bool of_study = name.find('.') != name.rfind('.');
    if (of_study &&
        (!fs::exists(study) || std::binary_search(old.studies.begin(), old.studies.end(), study)))
      old.pages.push_back(page);
  }
}

}  // namespace

OldRecords old_records(const fs::path& results, const OldRecordsRule& rule) {
  if (!rule.older_than && !rule.keep)
    throw Error("nothing says what is old", "tune records gc",
                "--older-than 90d, --keep 5 or both");
  OldRecords old;
  std::map<std::string, std::vector<Aged>> series;
  Paths folders;
  for (const StudyFiles& study : study_files(results)) {
    const fs::path folder = study.files.back().parent_path();
    fs::file_time_type last = fs::file_time_type::min();
    for (const fs::path& file : study.files) last = std::max(last, written(file));
    try {
      series[series_of(study)].push_back({folder, last});
    } catch (const std::exception&) {
      old.notes.push_back(folder.string() + ": stays, its first record cannot be read");
      continue;
    }
    folders.push_back(folder);
  }
  for (auto& [name, studies] : series) {
    leave_old(studies, rule, old.recent);
    for (const Aged& study : studies) old.studies.push_back(study.path);
  }
  std::ranges::sort(old.studies);
  for (const fs::path& folder : folders)
    if (!std::binary_search(old.studies.begin(), old.studies.end(), folder))
      add_runs(folder, rule, old);
  for (const fs::path& plan : sorted_below(results / "sweeps")) add_outcomes(plan, rule, old);
  add_pages(results, old);
  old.parts = unnamed_parts(results);
  for (const auto* places : {&old.studies, &old.runs, &old.outcomes, &old.pages, &old.parts})
    for (const fs::path& place : *places) old.bytes += bytes_below(place);
  return old;
}

std::string to_text(const OldRecords& old) {
  return fmt::format(
      "{} studies, {} set-aside runs, {} outcomes of nights, {} pages and {} parts, {}",
      old.studies.size(), old.runs.size(), old.outcomes.size(), old.pages.size(), old.parts.size(),
      to_text(Bytes(double(old.bytes))));
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
  for (const auto* places : {&old.runs, &old.outcomes, &old.parts})
    for (const fs::path& place : *places) erase(place);
  std::set<fs::path> nights;
  for (const fs::path& outcome : old.outcomes) nights.insert(outcome.parent_path());
  for (const fs::path& night : nights)
    if (std::ranges::none_of(sorted_below(night), is_outcome)) erase(night);
  // A page goes after its study, which may have begun to run.
  std::erase_if(old.pages, [&](const fs::path& page) {
    const fs::path records = page.parent_path().parent_path() / "records";
    const bool goes = !fs::exists(records / page.stem());
    if (goes) erase(page);
    return !goes;
  });
}

}  // namespace rooftune::store
