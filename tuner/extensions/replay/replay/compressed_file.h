// A file, plain or compressed with gzip, expanded block by block. The expanded size is bounded,
// despite its header's claims.
#pragma once
#include <array>
#include <filesystem>
#include <memory>
#include <string>

#include "core/file.h"
#include "replay/module.h"

struct gzFile_s;

namespace rooftune::replay {

/// The bytes of a file, expanded when it begins as gzip files do (under any name). Throws Error:
/// unreadable, damaged or truncated, more than `limit` bytes, or expanding as only a bomb does.
/// Bytes after the last gzip member are ignored, as by zlib.
class CompressedFile : public ByteSource {
 public:
  explicit CompressedFile(const std::filesystem::path& file,
                          std::size_t limit = std::size_t{1} << 31);
  std::string_view next() override;
  /// Reads the rest: a damaged file is reported as damaged, and not by the look of its contents.
  void drain();
  /// Whether it can be opened a second time: no pipe.
  bool regular() const { return regular_; }

 private:
  struct Close {
    void operator()(gzFile_s* stream) const;
  };
  /// Throws Error for the latest fault of the stream, if any.
  void check() const;

  std::string where_;
  std::size_t limit_, given_ = 0;
  std::unique_ptr<gzFile_s, Close> stream_;
  bool regular_;
  std::array<char, 1 << 16> block_;
};

}  // namespace rooftune::replay
