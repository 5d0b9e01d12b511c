#include "store/compressed_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include "core/error.h"
#include "core/file.h"

namespace rooftune {
namespace {

/// Measured spaces expand 5 to 30 times; deflate reaches 1032 on zeros.
constexpr std::size_t most_expansion = 250;
/// Below this size no expansion is suspicious.
constexpr std::size_t harmless_bytes = std::size_t{1} << 24;

class Inflater {
 public:
  explicit Inflater(const std::string& input) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
    // 16 more window bits: a gzip header is expected.
    ready_ = inflateInit2(&stream_, MAX_WBITS + 16) == Z_OK;
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  /// Appends at most one block; Z_OK, Z_STREAM_END or the code of a fault.
  int step(std::string& output) {
    if (!ready_) return Z_MEM_ERROR;
    char block[1 << 16];
    stream_.next_out = reinterpret_cast<Bytef*>(block);
    stream_.avail_out = sizeof block;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    output.append(block, sizeof block - stream_.avail_out);
    if (code == Z_STREAM_END && stream_.avail_in > 0 && *stream_.next_in == 0x1f)
      return inflateReset(&stream_);  // files may be several members in a row
    return code;
  }
  /// Bytes of the input that no member of the file took.
  std::size_t left() const { return stream_.avail_in; }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

std::string expanded(const std::string& input, const std::string& where, std::size_t limit) {
  Inflater inflater(input);
  std::string output;
  for (;;) {
    const int code = inflater.step(output);
    if (output.size() > limit)
      throw Error(fmt::format("expands to more than the limit of {} bytes", limit), where);
    if (output.size() > harmless_bytes && output.size() / input.size() > most_expansion)
      throw Error(fmt::format("expands more than {} times, as no measurement does", most_expansion),
                  where, "expand it yourself if you trust it");
    if (code == Z_STREAM_END && inflater.left() > 0)
      throw Error(fmt::format("holds {} bytes after its end", inflater.left()), where,
                  "copy or download it again");
    if (code == Z_STREAM_END) return output;
    if (code == Z_OK) continue;
    throw Error(code == Z_BUF_ERROR ? fmt::format("is truncated after {} bytes", input.size())
                                    : "is no valid gzip file",
                where, "copy or download it again");
  }
}

}  // namespace

std::string read_plain_or_gzip(const std::filesystem::path& file, std::size_t limit) {
  std::string text = read_text(file, limit);
  const bool gzip = text.size() >= 2 && text[0] == '\x1f' && text[1] == '\x8b';
  return gzip ? expanded(text, file.string(), limit) : text;
}

}  // namespace rooftune
