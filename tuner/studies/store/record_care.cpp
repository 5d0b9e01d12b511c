// Old records, found and removed.
#include "store/record_care.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "core/error.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/list.h"
#include "core/units.h"
#include "os/file_lock.h"
#include "store/record_reader.h"
#include "store/record_writer.h"
#include "store/study_store.h"

namespace rooftune::store {
namespace {

/// A folder is older only if every file in it is.
bool is_older(const fs::path& place, Seconds age) {
  std::error_code fault;
  if (is_folder(place))
    return all_of(entries_of(place), [age](const fs::path& inner) { return is_older(inner, age); });
  const std::chrono::duration<double> since =
      fs::file_time_type::clock::now() - fs::last_write_time(place, fault);
  return !fault && since.count() > age.value();
}

std::uintmax_t bytes_of(const fs::path& place) {
  std::error_code fault;
  std::uintmax_t bytes = is_file(place) ? fs::file_size(place, fault) : 0;
  for (const fs::path& inner : entries_of(place)) bytes += bytes_of(inner);
  return bytes;
}

void erase(const fs::path& place) {
  std::error_code fault;
  fs::remove_all(place, fault);
  if (fault) throw Error("cannot be removed: " + fault.message(), place, {}, ExitCode::io);
}

}  // namespace

OldRecords old_records(const fs::path& results, Seconds age) {
  OldRecords old;
  const auto is_old = [age](const fs::path& place) { return is_older(place, age); };
  for (const StudyFiles& study : study_files(results)) {
    const fs::path folder = study.files.back().parent_path();
    if (all_of(study.files, is_old))
      old.studies.push_back(folder);
    else
      std::ranges::copy_if(entries_of(folder / set_aside_folder), std::back_inserter(old.runs),
                           is_old);
  }
  for (const fs::path& plan : entries_of(results / "sweeps")) {
    Paths nights = entries_of(plan);

    nights.resize(nights.size() - std::min(nights.size(), nights_judged));
    std::ranges::copy_if(nights, std::back_inserter(old.nights), is_old);
  }
  for (const fs::path& page : entries_of(results / "reports"))
    if (contains(old.studies, results / "records" / page.stem())) old.pages.push_back(page);
  old.parts = unnamed_parts(results);
  for (const Paths* const places : {&old.studies, &old.runs, &old.nights, &old.pages, &old.parts})
    for (const fs::path& place : *places) old.bytes += bytes_of(place);
  return old;
}

std::string to_text(const OldRecords& old) {
  return fmt::format("{} studies, {} set-aside runs, {} nights, {} pages and {} parts, {}",
                     old.studies.size(), old.runs.size(), old.nights.size(), old.pages.size(),
                     old.parts.size(), to_text(Bytes(double(old.bytes))));
}

void remove(OldRecords& old) {
  std::erase_if(old.studies, [&](const fs::path& study) {
    std::string holder;
    const auto lock = FileLock::take(study / "lock", holder);
    if (lock)
      erase(study);
    else
      old.notes.push_back(study.string() + ": stays, it is being run by " + holder);
    return !lock;
  });
  // A page goes after its study, which may have begun to run.
  std::erase_if(old.pages, [](const fs::path& page) {
    return fs::exists(page.parent_path().parent_path() / "records" / page.stem());
  });
  for (const Paths* const places : {&old.runs, &old.nights, &old.pages, &old.parts})
    for (const fs::path& place : *places) erase(place);
}

}  // namespace rooftune::store
