// Bytes in blocks, for readers unable to hold them all. A block is used before the next one is
// asked for.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "core/modules.h"

namespace rooftune::core {

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;
  /// The next bytes, valid until the next call; empty at the end. Throws Error where they cannot be
  /// read.
  virtual std::string_view next() = 0;
};

/// A text in memory; it must outlive the source.
class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : rest_(text) {}
  std::string_view next() override;

 private:
  std::string_view rest_;
};

/// A file as it is on disk. Throws Error when missing, a directory or unreadable.
class FileSource : public ByteSource {
 public:
  explicit FileSource(std::filesystem::path file);
  ~FileSource() override;
  std::string_view next() override;
  /// Bytes of a regular file; 0 of a pipe.
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t block_bytes = std::size_t{1} << 16;
  std::filesystem::path file_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
  char block_[block_bytes];
};

/// The lines of a text in blocks.
class LineSource {
 public:
  explicit LineSource(ByteSource& bytes) : bytes_(bytes) {}
  /// The next line without its newline; false at the end. Throws Error (without place) for a line
  /// longer than 64 MiB.
  bool next(std::string& line);
  /// Whether the last line had no newline.
  bool torn() const { return torn_; }

 private:
  ByteSource& bytes_;
  std::string_view block_;
  bool torn_ = false;
};

}  // namespace rooftune::core
