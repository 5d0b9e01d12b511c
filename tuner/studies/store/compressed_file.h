// A file that may be compressed with gzip, expanded block by block.
// What a file expands to is bounded, whatever its header claims.
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "core/byte_source.h"

namespace rooftune::store {

/// The bytes of a file, expanded when it begins as gzip files do (whatever its name). Throws Error:
/// unreadable, damaged or truncated, more than `limit` bytes, or expanding as only a bomb does.
class CompressedFile : public ByteSource {
 public:
  explicit CompressedFile(const std::filesystem::path& file,
                          std::size_t limit = std::size_t{1} << 31);
  ~CompressedFile() override;
  std::string_view next() override;
  /// Reads what is left, so that a damaged file is called that and not by what its damage
  /// resembles.
  void drain();
  /// Bytes of the file itself that were read.
  std::size_t bytes_read() const { return read_; }
  /// Whether it can be opened a second time: no pipe.
  bool regular() const { return file_.regular(); }

 private:
  class Inflater;
  std::string_view raw();
  std::string_view expanded();

  FileSource file_;
  std::string where_;
  std::size_t limit_, read_ = 0, given_ = 0;
  std::string_view first_;  ///< read to tell the form, not yet given
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace rooftune::store
