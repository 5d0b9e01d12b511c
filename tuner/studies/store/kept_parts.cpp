#include "store/kept_parts.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "core/error.h"
#include "core/file.h"
#include "core/folder_below.h"
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

}  // namespace

bool keep_parts(const fs::path& records, Json& setup) {
  bool any = false;
  for (const char* const name : {"machine", "space", "published"}) {
    Json& part = setup.at(name);
    const std::string text = json_text(part);
    if (text.size() < least_bytes) continue;
    const std::string hash = hash_hex(text);
    folder_below(records.parent_path(), records.filename() / parts_folder);
    if (const fs::path file = part_file(records, hash); !fs::exists(file))
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
