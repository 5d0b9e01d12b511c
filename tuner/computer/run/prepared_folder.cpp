#include "run/prepared_folder.h"

#include <utility>
#include <vector>

#include "core/error.h"

namespace rooftune::run {

namespace fs = std::filesystem;

PreparedFolder::Stamp PreparedFolder::stamp(const fs::path& file) {
  std::error_code fault;
  if (!fs::is_regular_file(fs::symlink_status(file, fault))) return {};
  const Stamp found{fs::file_size(file, fault), fs::last_write_time(file, fault)};
  return fault ? Stamp{} : found;
}

PreparedFolder::PreparedFolder(fs::path folder, fs::path source)
    : folder_(std::move(folder)), source_(std::move(source)) {
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    const fs::path name = entry.path().lexically_relative(folder_);
    entries_[name] = stamp(entry.path());
    if (!entry.is_symlink()) continue;
    const fs::path target = fs::read_symlink(entry.path());
    links_[name] = {target, target == source_ / name ? stamp(target) : Stamp{}};
  }
}

void PreparedFolder::put_back(const fs::path& name, const Link& link) const {
  if (!(link.file == Stamp{}) && !(stamp(link.target) == link.file))
    throw Error("a run has changed this file, which is too large for a copy of its own",
                link.target.string(),
                "let the program write under another name, or start in a folder without the file");
  std::error_code fault;
  if (fs::read_symlink(folder_ / name, fault) == link.target) return;
  fs::create_directories((folder_ / name).parent_path());
  fs::remove_all(folder_ / name);
  fs::create_symlink(link.target, folder_ / name);
}

void PreparedFolder::put_back() const {
  if (folder_.empty()) return;
  std::vector<fs::path> added;
  for (fs::recursive_directory_iterator it(folder_), end; it != end; ++it)
    if (!entries_.contains(it->path().lexically_relative(folder_))) {
      added.push_back(it->path());
      it.disable_recursion_pending();
    }
  for (const fs::path& one : added) fs::remove_all(one);
  for (const auto& [name, link] : links_) put_back(name, link);
  for (const auto& [name, before] : entries_) {
    if (before == Stamp{} || stamp(folder_ / name) == before || stamp(source_ / name) != before)
      continue;
    fs::create_directories((folder_ / name).parent_path());
    fs::remove_all(folder_ / name);
    fs::copy_file(source_ / name, folder_ / name);
    fs::last_write_time(folder_ / name, before.time);
  }
}

}  // namespace rooftune::run
