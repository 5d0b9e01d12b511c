#include "report/installed_export.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/file.h"

namespace rooftune::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* record_schema = "rooftune-library-1";
constexpr const char* until = ".until-";

/// Begins the names of copies beside the file. ldconfig takes any lib*.so* of a folder for the
/// library that it links to: it must not find a copy.
std::string copies_of(const fs::path& file) {
  const std::string name = file.filename().string();
  return is_shared_object(file) && name.starts_with("lib") ? name.substr(3) : name;
}

/// Installed libraries are links to links; any other link may be somebody else's.
fs::path target_of(const fs::path& file) { return is_shared_object(file) ? followed(file) : file; }

/// A copy with the file's mode by a name that is free.
fs::path copied(const fs::path& file, const std::string& text, const char* word) {
  std::string time = utc_now();
  std::replace(time.begin(), time.end(), ':', '-');
  const fs::path first = file.parent_path() / (copies_of(file) + word + time);
  fs::path copy = first;
  for (int more = 2; fs::exists(fs::symlink_status(copy)); ++more)
    copy = first.string() + "." + std::to_string(more);
  write_atomically(copy, text);
  fs::permissions(copy, fs::status(file).permissions());
  return copy;
}

/// The latest kept one; empty without any.
fs::path latest_kept(const fs::path& file) {
  const std::string start = copies_of(file) + until;
  fs::path latest;
  std::error_code fault;
  for (fs::directory_iterator it(file.parent_path(), fault), end; !fault && it != end;
       it.increment(fault))
    if (it->path().filename().string().starts_with(start) && it->is_regular_file(fault))
      latest = std::max(latest, it->path());
  return latest;
}

/// Throws Error for what no application could load.
void require_export(const fs::path& file, const fs::path& as) {
  if (is_shared_object(as)) {
    library_record(file);
  } else if (part_of(read_json(file), "/schema") != export_document) {
    throw Error(fmt::format("is no {} document", export_document), file.string(),
                "remove it, and the one before it is put back");
  }
}

}  // namespace

std::string record_text(const LibraryRecord& record) {
  return fmt::format("{} {}", record_schema,
                     json_text({{"interface", record.interface}, {"studies", record.studies}}));
}

LibraryRecord library_record(const fs::path& object) {
  const std::string bytes = read_text(object), start = std::string(record_schema) + " {";
  const std::size_t at = bytes.find(start);
  if (at == bytes.npos)
    throw Error("is no shared object of an exported library for CPUs, or one of an older Rooftune",
                object.string(),
                "build the folder of tune export --format library with -DBUILD_SHARED_LIBS=ON, and "
                "install it");
  const std::size_t json = at + start.size() - 1;
  const Json read = parse_json(bytes.substr(json, bytes.find('\0', json) - json), object.string());
  LibraryRecord record{part_of(read, "/interface"), part_of(read, "/studies")};
  if (!record.interface.is_object() || !record.studies.is_array() || record.studies.empty())
    throw Error("its record of studies is damaged", object.string(), "install the library anew");
  return record;
}

bool is_shared_object(const fs::path& file) {
  return (file.filename().string() + '.').find(".so.") != std::string::npos;
}

Json part_of(const Json& document, const char* pointer) {
  const Json::json_pointer place(pointer);
  return document.contains(place) ? document.at(place) : Json();
}

bool same_task(const Json& one, const Json& other) {
  const auto members = {
      "/kernel", "/backend", "/problem", "/problems", "/provenance/threads", "/provenance/cache"};
  return std::ranges::all_of(
      members, [&](const char* member) { return part_of(one, member) == part_of(other, member); });
}

fs::path replace_export(const fs::path& file, const std::string& text) {
  const fs::path target = target_of(file);
  const fs::path kept = copied(target, read_text(target), until);
  write_atomically(target, text);
  return kept;
}

RolledBack roll_back(const fs::path& file) {
  const fs::path target = target_of(fs::absolute(file));
  const fs::path kept = latest_kept(target);
  if (kept.empty())
    throw Error("nothing earlier is kept beside it", target.string(),
                "updates keep what they replace there, as " + copies_of(target) + until + "<time>");
  require_export(kept, target);
  require_writable_target(target);
  RolledBack result{
      target,
      kept.filename().string().substr(copies_of(target).size() + std::string(until).size()),
      {}};
  if (fs::exists(target)) result.withdrawn = copied(target, read_text(target), ".withdrawn-");
  std::error_code fault;
  fs::rename(kept, target, fault);
  if (fault)
    throw Error("cannot be put back: " + fault.message(), kept.string(), "mv it there yourself",
                ExitCode::io);
  return result;
}

}  // namespace rooftune::report
