// A file, plain or compressed with gzip, expanded block by block. The expanded size is bounded,
// despite its header's claims.
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "core/byte_source.h"
#include "replay/module.h"

namespace rooftune::replay {

/// The bytes of a file, expanded when it begins as gzip files do (under any name). Throws Error:
/// unreadable, damaged or truncated, more than `limit` bytes, or expanding as only a bomb does.
class CompressedFile : public ByteSource {
 public:
  explicit CompressedFile(const std::filesystem::path& file,
                          std::size_t limit = std::size_t{1} << 31);
  ~CompressedFile() override;
  std::string_view next() override;
  /// Reads the rest: a damaged file is reported as damaged, and not by the look of its contents.
  void drain();
  /// Bytes read of the file itself.
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
  std::string_view first_;  ///< read to find the form, not yet given
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace rooftune::replay
