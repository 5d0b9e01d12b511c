// Records of several results folders in one: of nodes without a common disk, of colleagues, of a
// backup.

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/file.h"
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
  Merge(const fs::path& results, fs::path below, StudyFiles study, MergeCount& count)
      : results_(results),
        below_(std::move(below)),
        folder_(results_ / below_),
        study_(std::move(study)),
        here_(records_in(folder_)),
        count_(count) {
    // A later run here may have set aside the source's latest files, and the other way round.
    const fs::path other = folder_ == aside() ? folder_.parent_path() : aside();
    for (fs::path& file : records_in(other)) here_.push_back(std::move(file));
  }
  /// Runs that were set aside: known by their names, whose times no two runs share.
  void bring_compressed(const fs::path& source) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(source, none)) {
      if (entry.path().extension() != compressed_suffix || !entry.is_regular_file(none)) continue;
      const fs::path name = entry.path().filename(), target = folder_ / name;
      const auto is_here = [&](const fs::path& file) { return file.filename() == name.stem(); };
      if (fs::exists(target) || std::ranges::any_of(here_, is_here))
        ++count_.present;
      else
        add(entry.path(), target);
    }
  }
  void bring(const fs::path& source) {
    if (is_refused(source)) return;
    if (fs::exists(aside() / (source.filename().string() + compressed_suffix))) {
      ++count_.present;
      return;
    }
    const std::uintmax_t size = size_of(source);
    for (const fs::path& file : here_)
      if (size_of(file) >= size && begins_with(file, source)) {
        ++count_.present;
        return;
      }
    const fs::path target = folder_ / source.filename();
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
  fs::path aside() const {
    return folder_.filename() == set_aside_folder ? folder_ : folder_ / set_aside_folder;
  }
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

  fs::path results_, below_, folder_;
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
    const fs::path folder =
        fs::path("records") / fmt::format("{}.{}.{}", study.kernel, study.backend, study.id);
    Merge merge(results, folder, study, count);
    for (const fs::path& file : study.files) merge.bring(file);
    Merge earlier(results, folder / set_aside_folder, study, count);
    for (const fs::path& file : records_in(study.files.front().parent_path() / set_aside_folder))
      earlier.bring(file);
    earlier.bring_compressed(study.files.front().parent_path() / set_aside_folder);
  }
  return count;
}

}  // namespace rooftune::store
