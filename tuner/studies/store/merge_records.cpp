// Records of several results folders in one: of nodes without a common disk, of colleagues, of a
// backup.

#include <fmt/format.h>

#include "core/error.h"
#include "core/file.h"
#include "core/folder_below.h"
#include "store/kept_parts.h"
#include "store/study_store.h"

namespace rooftune::store {
namespace {

namespace fs = std::filesystem;

/// A reader sees the whole file or none. Its time stays, as the measure of its age.
void copy_whole(const fs::path& source, const fs::path& target) {
  const fs::path part = part_beside(target);
  std::error_code fault;
  const auto time = fs::last_write_time(source, fault);
  if (!fault) fs::copy_file(source, part, fault);
  if (!fault) fs::last_write_time(part, time, fault);
  if (!fault) fs::rename(part, target, fault);
  if (!fault) return;
  std::error_code ignored;
  fs::remove(part, ignored);
  throw Error("cannot be brought: " + fault.message(), source.string(),
              "make room, or make " + target.parent_path().string() + " writable", ExitCode::io);
}

/// What a check has against a file of the study; empty: nothing, or only a killed writer's end.
std::string refusal(StudyFiles study, const fs::path& file) {
  study.files = {file};
  for (const RecordFinding& finding : verify_study(study).findings)
    if (finding.kind == RecordFinding::Kind::foreign ||
        finding.kind == RecordFinding::Kind::damaged)
      return fmt::format("{}\n  hint: {}", finding.text, cure(finding.kind));
  return {};
}

/// One file into a folder of the study's. A run is known by its name, whose time no two runs share:
/// it may be the latest here and set aside there, or the other way round.
void bring(const fs::path& source, const fs::path& results, const fs::path& folder,
           const StudyFiles& study, MergeCount& count) {
  const bool is_compressed = source.extension() == compressed_suffix;
  const fs::path name = source.filename(), run = is_compressed ? name.stem() : name;
  const fs::path target = results / folder / name;
  const fs::path latest = study_directory(results, study), aside = latest / set_aside_folder;
  for (const fs::path& place :
       {latest / run, aside / run, aside / (run.string() + compressed_suffix)})
    if (place != target && fs::exists(place)) return (void)++count.present;
  std::string fault = is_compressed ? "" : refusal(study, source);
  const bool is_here = fs::exists(target);
  if (fault.empty() && is_here) {
    if (is_compressed || begins_with(target, source)) return (void)++count.present;
    if (!begins_with(source, target)) fault = "other records have its name here: rename it";
  }
  if (!fault.empty()) {
    count.notes.push_back(fmt::format("{}: was not brought: {}", source.string(), fault));
    return (void)++count.refused;
  }
  folder_below(results, folder);
  copy_whole(source, target);
  ++(is_here ? count.longer : count.added);
}

}  // namespace

MergeCount merge_records(const fs::path& results, const fs::path& source) {
  const auto studies = study_files(source);
  if (studies.empty())
    throw Error("there are no records", (source / "records").string(),
                "name results folders, those that hold \"records\"");
  std::error_code none;
  if (fs::equivalent(results, source, none))
    throw Error("is the folder that records are brought to", source.string(),
                "name others, or this one with --results");
  MergeCount count;
  merge_parts(results, source);
  for (const StudyFiles& study : studies) {
    const fs::path folder = study_directory({}, study);
    for (const fs::path& file : study.files) bring(file, results, folder, study, count);
    const fs::path aside = study.files.front().parent_path() / set_aside_folder;
    std::vector<fs::path> earlier = records_in(aside);
    for (const auto& entry : fs::directory_iterator(aside, none))
      if (entry.path().extension() == compressed_suffix && entry.is_regular_file(none))
        earlier.push_back(entry.path());
    for (const fs::path& file : earlier)
      bring(file, results, folder / set_aside_folder, study, count);
  }
  return count;
}

}  // namespace rooftune::store
