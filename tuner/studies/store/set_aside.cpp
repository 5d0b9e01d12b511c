// Records out of the way of a new start, a fifth of their size.
#include <zlib.h>

#include "core/error.h"
#include "core/file.h"
#include "core/folder_below.h"
#include "store/study_store.h"

namespace rooftune::store {
namespace {

namespace fs = std::filesystem;

/// Complete on disk before the name appears.
void write_compressed(const fs::path& file, const std::string& text) {
  const fs::path part = part_beside(file);
  gzFile stream = gzopen(part.c_str(), "wb6");
  const auto size = static_cast<unsigned>(text.size());
  const bool written = stream && gzwrite(stream, text.data(), size) == static_cast<int>(size);
  const bool closed = stream && gzclose(stream) == Z_OK;
  std::error_code fault;
  if (written && closed) fs::rename(part, file, fault);
  if (written && closed && !fault) return;
  fs::remove(part, fault);
  throw Error("cannot be written", file.string(), "make room, or make its folder writable",
              ExitCode::io);
}

}  // namespace

void set_aside(const fs::path& directory) {
  for (const fs::path& file : records_in(directory)) {
    const fs::path target =
        folder_below(directory, set_aside_folder) / (file.filename().string() + compressed_suffix);
    const auto written = fs::last_write_time(file);
    // Times are the age for tune records gc; a copy that a kill left is of the same records.
    write_compressed(target, read_text(file));
    fs::last_write_time(target, written);
    fs::remove(file);
  }
}

}  // namespace rooftune::store
