#include "replay/compressed_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace rooftune::replay {
namespace {

/// Measured spaces expand 5 to 30 times; deflate reaches 1032 on zeros.
constexpr std::size_t most_expansion = 250;
/// Below this size no expansion is suspicious.
constexpr std::size_t harmless_bytes = std::size_t{1} << 24;

}  // namespace

void CompressedFile::Close::operator()(gzFile_s* stream) const { gzclose_r(stream); }

// FileSource finds the faults of a path.
CompressedFile::CompressedFile(const std::filesystem::path& file, std::size_t limit)
    : where_(file.string()),
      limit_(limit),
      stream_(gzopen(file.c_str(), "rbe")),
      regular_(FileSource(file).regular()) {
  if (!stream_) throw Error("cannot be read", where_);
}

void CompressedFile::check() const {
  int code = Z_OK;
  gzerror(stream_.get(), &code);
  if (code == Z_OK) return;
  if (code == Z_ERRNO) throw Error(std::string("cannot be read: ") + std::strerror(errno), where_);
  throw Error(code == Z_BUF_ERROR ? fmt::format("is truncated after {} bytes expanded", given_)
                                  : "is no valid gzip file",
              where_, "copy or download it again");
}

std::string_view CompressedFile::next() {
  const int got = gzread(stream_.get(), block_.data(), static_cast<unsigned>(block_.size()));
  check();
  given_ += static_cast<std::size_t>(got);
  const bool plain = gzdirect(stream_.get()) != 0;
  if (given_ > limit_)
    throw Error(fmt::format("{} the limit of {} bytes",
                            plain ? "is larger than" : "expands to more than", limit_),
                where_, "split it, or expand it and keep what you need");
  // A pipe does not tell how much of it was read; its contents are bounded by the reader.
  const auto read = gzoffset(stream_.get());
  if (!plain && read > 0 && given_ > harmless_bytes &&
      given_ / static_cast<std::size_t>(read) > most_expansion)
    throw Error(fmt::format("expands more than {} times, as no measurement does", most_expansion),
                where_, "expand it yourself if you trust it");
  return {block_.data(), static_cast<std::size_t>(got)};
}

void CompressedFile::drain() {
  if (gzdirect(stream_.get()) != 0) return;
  while (!next().empty()) {
  }
}

}  // namespace rooftune::replay
