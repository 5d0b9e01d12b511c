// Records of several results folders in one: of nodes without a common disk, of colleagues, of a
// backup.

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/file.h"
#include "core/folder_below.h"
#include "core/hash.h"
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

std::uintmax_t size_of(const fs::path& file) {
  std::error_code fault;
  const std::uintmax_t size = fs::file_size(file, fault);
  return fault ? 0 : size;
}

/// One study: the files of the source into its folder.
class Merge {
 public:
  Merge(const fs::path& results, const StudyFiles& study, MergeCount& count)
      : results_(results),
        below_(fs::path("records") /
               fmt::format("{}.{}.{}", study.kernel, study.backend, study.id)),
        study_(study),
        here_(records_in(results_ / below_)),
        count_(count) {
    // A later run here may have set aside the source's latest files.
    for (fs::path& file : records_in(results_ / below_ / set_aside_folder))
      here_.push_back(std::move(file));
  }
  void bring(const fs::path& source) {
    if (is_refused(source)) return;
    const std::uintmax_t size = size_of(source);
    for (const fs::path& file : here_)
      if (size_of(file) >= size && begins_with(file, source)) {
        ++count_.present;
        return;
      }
    const fs::path target = results_ / below_ / source.filename();
    if (!fs::exists(target)) return add(source, target);
    if (begins_with(source, target)) {
      ++count_.longer;
      return copy_whole(source, target);
    }
    // The same name for other records: a damaged copy, or two computers of one name.
    fs::path other = target;
    other.replace_extension("." + hash_hex(read_text(source)).substr(0, 16) + ".jsonl");
    count_.notes.push_back(fmt::format("{}: has other records than {}, and became {}",
                                       source.string(), target.string(),
                                       other.filename().string()));
    add(source, other);
  }

 private:
  bool is_refused(const fs::path& source) {
    study_.files = {source};
    for (const RecordFinding& finding : verify_study(study_).findings)
      if (finding.kind == RecordFinding::Kind::foreign ||
          finding.kind == RecordFinding::Kind::damaged) {
        count_.notes.push_back(fmt::format("{}: was not brought: {}\n  hint: {}", source.string(),
                                           finding.text, cure(finding.kind)));
        ++count_.refused;
        return true;
      }
    return false;
  }
  void add(const fs::path& source, const fs::path& target) {
    folder_below(results_, below_);
    copy_whole(source, target);
    here_.push_back(target);
    ++count_.added;
  }

  fs::path results_, below_;
  StudyFiles study_;
  std::vector<fs::path> here_;
  MergeCount& count_;
};

}  // namespace

MergeCount merge_records(const fs::path& results, const fs::path& source) {
  const auto studies = study_files(source);
  if (studies.empty())
    throw Error("there are no records", (source / "records").string(),
                "name results folders, those that hold \"records\"");
  std::error_code fault;
  if (fs::equivalent(results, source, fault))
    throw Error("is the folder that records are brought to", source.string(),
                "name others, or this one with --results");
  MergeCount count;
  merge_parts(results, source);
  for (const StudyFiles& study : studies) {
    Merge merge(results, study, count);
    for (const fs::path& file : study.files) merge.bring(file);
  }
  return count;
}

}  // namespace rooftune::store
