#include "replay/compressed_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <new>
#include <utility>

#include "core/error.h"

namespace rooftune::replay {
namespace {

/// Measured spaces expand 5 to 30 times; deflate reaches 1032 on zeros.
constexpr std::size_t most_expansion = 250;
/// Below this size no expansion is suspicious.
constexpr std::size_t harmless_bytes = std::size_t{1} << 24;

}  // namespace

class CompressedFile::Inflater {
 public:
  // 16 more window bits: a gzip header is expected.
  Inflater() : ready_(inflateInit2(&stream_, MAX_WBITS + 16) == Z_OK) {}
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  void feed(std::string_view input) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
  }
  bool hungry() const { return stream_.avail_in == 0; }
  bool ended() const { return ended_; }
  /// Files may be several members in a row; false if no member follows.
  bool next_member() {
    if (*stream_.next_in != 0x1f || inflateReset(&stream_) != Z_OK) return false;
    ended_ = false;
    return true;
  }
  /// At most one block; none when it needs more input. Sets `fault` for anything but gzip.
  std::string_view step(bool& fault) {
    if (!ready_) throw std::bad_alloc();
    stream_.next_out = reinterpret_cast<Bytef*>(block_);
    stream_.avail_out = sizeof block_;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    ended_ = code == Z_STREAM_END;
    fault = code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR;
    return {block_, sizeof block_ - stream_.avail_out};
  }

 private:
  z_stream stream_{};
  bool ready_ = false, ended_ = false;
  char block_[1 << 16];
};

CompressedFile::CompressedFile(const std::filesystem::path& file, std::size_t limit)
    : file_(file), where_(file.string()), limit_(limit) {
  first_ = raw();
  if (!first_.starts_with("\x1f\x8b")) return;
  inflater_ = std::make_unique<Inflater>();
  inflater_->feed(std::exchange(first_, {}));
}

CompressedFile::~CompressedFile() = default;

std::string_view CompressedFile::raw() {
  const std::string_view block = file_.next();
  read_ += block.size();
  return block;
}

std::string_view CompressedFile::next() {
  std::string_view block;
  if (inflater_)
    block = expanded();
  else
    block = first_.empty() ? raw() : std::exchange(first_, {});
  given_ += block.size();
  if (given_ > limit_)
    throw Error(fmt::format("{} the limit of {} bytes",
                            inflater_ ? "expands to more than" : "is larger than", limit_),
                where_, "split it, or expand it and keep what you need");
  if (inflater_ && given_ > harmless_bytes && given_ / read_ > most_expansion)
    throw Error(fmt::format("expands more than {} times, as no measurement does", most_expansion),
                where_, "expand it yourself if you trust it");
  return block;
}

std::string_view CompressedFile::expanded() {
  for (;;) {
    if (inflater_->hungry()) inflater_->feed(raw());
    if (inflater_->ended() && inflater_->hungry()) return {};
    if (inflater_->ended() && !inflater_->next_member())
      throw Error("holds more bytes after its end", where_, "copy or download it again");
    const bool starved = inflater_->hungry();
    bool fault = false;
    const std::string_view block = inflater_->step(fault);
    if (fault) throw Error("is no valid gzip file", where_, "copy or download it again");
    if (!block.empty()) return block;
    if (starved && !inflater_->ended())
      throw Error(fmt::format("is truncated after {} bytes", read_), where_,
                  "copy or download it again");
  }
}

void CompressedFile::drain() {
  if (!inflater_) return;
  while (!next().empty()) {
  }
}

}  // namespace rooftune::replay
