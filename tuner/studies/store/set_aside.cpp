// Records out of the way of a new start, a fifth of their size.
#include <zlib.h>

#include <new>
#include <stdexcept>

#include "core/file.h"
#include "store/study_store.h"

namespace rooftune::store {
namespace {

namespace fs = std::filesystem;

std::string gzip(const std::string& text) {
  z_stream stream{};
  constexpr int level = 6, with_header = MAX_WBITS + 16, memory = 8;
  if (deflateInit2(&stream, level, Z_DEFLATED, with_header, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  // zlib reads through a pointer that is not const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const bool is_whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  if (!is_whole) throw std::length_error("records of more than 4 GiB");
  return bytes;
}

}  // namespace

void set_aside(const fs::path& directory) {
  for (const fs::path& file : records_in(directory)) {
    const fs::path target =
        folder_below(directory, set_aside_folder) / (file.filename().string() + compressed_suffix);
    const auto written = fs::last_write_time(file);
    // Times are the age for tune records gc; a copy that a kill left is of the same records.
    write_atomically(target, gzip(read_text(file)));
    fs::last_write_time(target, written);
    fs::remove(file);
  }
}

}  // namespace rooftune::store
