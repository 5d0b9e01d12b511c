#include "store/kept_parts.h"

#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/hash.h"

namespace rooftune::store {
namespace {

namespace fs = std::filesystem;

constexpr const char *parts_folder = "parts", *kept_member = "kept";
/// A shorter part is no longer than its reference and a file of its own.
constexpr std::size_t least_bytes = 1000;

fs::path part_file(const fs::path& records, const std::string& hash) {
  return records / parts_folder / (hash + ".json");
}

/// Studies of one machine share its part: it is parsed once. All of it goes where many were read.
Json part_of(const fs::path& file) {
  constexpr std::size_t most = 32;
  static std::mutex mutex;
  static std::map<fs::path, Json> known;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(file); found != known.end()) return found->second;
  if (!fs::exists(file))
    throw Error("its part " + file.string() + " is not there", {},
                "copy the folder \"parts\" with the folders of studies, or use tune records merge");
  const std::string text = read_text(file);
  if (hash_hex(text) != file.stem().string())
    throw Error("its part " + file.string() + " is damaged: it has another hash", {},
                "put a whole copy in its place");
  if (known.size() >= most) known.clear();
  return known[file] = parse_json(text, file.string());
}

/// The first two lines, among them the setup, of a record file, compressed or not.
std::string beginning(const fs::path& file) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> source(gzopen(file.c_str(), "rb"), gzclose);
  std::string text;
  char block[4096];
  for (int read = 1; source && read > 0 && std::ranges::count(text, '\n') < 2;)
    if ((read = gzread(source.get(), block, sizeof block)) > 0)
      text.append(block, static_cast<std::size_t>(read));
  return text;
}

/// Hashes behind "kept" in it.
void add_kept(const std::string& text, std::set<std::string>& hashes) {
  const std::string mark = std::string(kept_member) + '"';
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
    const std::size_t begin = text.find('"', at += mark.size());
    if (begin != std::string::npos)
      hashes.insert(text.substr(begin + 1, text.find('"', begin + 1) - begin - 1));
  }
}

}  // namespace

std::vector<fs::path> unnamed_parts(const fs::path& results) {
  std::error_code none;
  std::set<std::string> hashes;
  for (const char* const folder : {"records", "baselines"})
    for (const auto& entry : fs::recursive_directory_iterator(results / folder, none))
      if (entry.is_regular_file(none) && entry.path().parent_path().filename() != parts_folder) {
        const std::string text = entry.path().extension() == ".json"
                                     ? text_if_readable(entry.path())
                                     : beginning(entry.path());
        if (text.empty() && entry.file_size(none) > 0) return {};
        add_kept(text, hashes);
      }
  std::vector<fs::path> all;
  const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const auto& entry : fs::directory_iterator(results / "records" / parts_folder, none))
    if (entry.path().extension() == ".json" && !hashes.contains(entry.path().stem()) &&
        entry.last_write_time(none) < yesterday)
      all.push_back(entry.path());
  return all;
}

bool keep_parts(const fs::path& records, Json& setup) {
  bool any = false;
  std::error_code not_ours;
  for (const char* const name : {"machine", "space", "published"}) {
    Json& part = setup.at(name);
    const std::string text = json_text(part);
    if (text.size() < least_bytes) continue;
    const std::string hash = hash_hex(text);
    folder_below(records.parent_path(), records.filename() / parts_folder);
    // A part in use is young.
    if (const fs::path file = part_file(records, hash); fs::exists(file))
      fs::last_write_time(file, fs::file_time_type::clock::now(), not_ours);
    else
      write_atomically(file, text);
    part = Json{{kept_member, hash}};
    any = true;
  }
  return any;
}

void bring_parts(const fs::path& records, Json& setup) {
  if (!setup.is_object()) return;
  for (auto& [name, part] : setup.items()) {
    if (!part.is_object() || part.size() != 1 || !part.contains(kept_member)) continue;
    const std::string hash = part.at(kept_member).get<std::string>();
    // Records are data of whoever writes there: no name leads out of the folder.
    if (!std::ranges::all_of(hash, [](unsigned char c) { return std::isxdigit(c); }))
      throw Error("\"" + excerpt(hash) + "\" is no hash of a part");
    part = part_of(part_file(records, hash));
  }
}

void merge_parts(const fs::path& results, const fs::path& source) {
  std::error_code none;
  const fs::path records = results / "records";
  for (const auto& entry : fs::directory_iterator(source / "records" / parts_folder, none)) {
    const fs::path target = part_file(records, entry.path().stem().string());
    if (entry.path().extension() != ".json" || fs::exists(target)) continue;
    folder_below(results, fs::path("records") / parts_folder);
    write_atomically(target, read_text(entry.path()));
  }
}

}  // namespace rooftune::store
