#include "run/prepared_folder.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/folder.h"
#include "core/units.h"

namespace rooftune::run {
namespace {

/// A link that leads out of the tree is useless in a copy as it stands.
void copy_link(const fs::path& link, const fs::path& to, const fs::path& from) {
  const fs::path target = fs::read_symlink(link);
  const fs::path whole = (link.parent_path() / target).lexically_normal();
  const bool inside = !whole.lexically_relative(from).string().starts_with("..");
  fs::create_symlink(target.is_absolute() || inside ? target : whole, to);
}

}  // namespace

void copy_tree(const fs::path& from, const fs::path& to, const Paths& left_out, uintmax_t most,
               Large large) {
  uintmax_t copied = 0;
  fs::create_directories(to);
  // `to` may lie inside `from`.
  const fs::path around = fs::canonical(to.parent_path());
  for (fs::recursive_directory_iterator it(from), end; it != end; ++it) {
    const fs::path& file = it->path();
    const bool out = file.filename() == ".git" || file == around || contains(left_out, file);
    if (out) {
      it.disable_recursion_pending();
      continue;
    }
    const fs::path copy = to / file.lexically_relative(from);
    if (it->is_symlink()) {
      copy_link(file, copy, from);
    } else if (it->is_directory()) {
      fs::create_directories(copy);
    } else if (it->is_regular_file()) {
      const uintmax_t size = it->file_size();
      if (large == Large::linked && (size > most / 16 || copied + size > most)) {
        fs::create_symlink(file, copy);
        continue;
      }
      copied += size;
      if (copied > most)
        throw Error(fmt::format("{} holds more than {}, which is too much to copy for every build",
                                from.string(), to_text(Bytes(double(most)))),
                    "--build",
                    "say in it where the build goes: --build 'cmake --build {BUILD_DIR} ...'; or "
                    "start in the folder of the program alone");
      fs::copy_file(file, copy);
      // make compares this time.
      fs::last_write_time(copy, it->last_write_time());
    }
  }
}

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
                link.target,
                "let the program write under another name, or start in a folder without the file");
  std::error_code fault;
  if (fs::read_symlink(folder_ / name, fault) == link.target) return;
  fs::create_directories((folder_ / name).parent_path());
  fs::remove_all(folder_ / name);
  fs::create_symlink(link.target, folder_ / name);
}

void PreparedFolder::put_back() const {
  if (folder_.empty()) return;
  Paths added;
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

PreparedFolder folder_of_runs(const fs::path& scratch, Paths left_out) {
  constexpr uintmax_t most_copied = uintmax_t{256} << 20;
  const fs::path here = fs::current_path(), around = scratch / "run";
  left_out.push_back(fs::canonical(scratch));
  copy_tree(here, around / here.filename(), left_out, most_copied, Large::linked);
  std::error_code ignored;
  for (const fs::path& entry : entries_of(here.parent_path()))
    if (entry != here) fs::create_symlink(entry, around / entry.filename(), ignored);
  return {around / here.filename(), here};
}

}  // namespace rooftune::run
