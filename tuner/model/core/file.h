// Files: read whole, and written so that a reader sees the old or the new file, never half; and
// bytes in blocks, for readers that cannot hold them all.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "core/modules.h"
#include "core/unique.h"

namespace rooftune::core {

/// Owns one file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Descriptor() { reset(); }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

class ByteSource : Unique {
 public:
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

/// The last part of a path, as a text.
std::string file_name(const fs::path& path);
/// Whether a file or folder, or a link to it, is there; also false where that cannot be told.
bool is_file(const fs::path& path);
bool is_folder(const fs::path& path);

/// A file as it is on disk. Throws Error when missing, a directory or unreadable.
class FileSource : public ByteSource {
 public:
  explicit FileSource(fs::path file);
  std::string_view next() override;
  /// A regular file's bytes; 0 for a pipe.
  size_t size() const { return size_; }

 private:
  static constexpr size_t block_bytes = size_t{1} << 16;
  fs::path file_;
  Descriptor descriptor_;
  size_t size_ = 0;
  char block_[block_bytes];
};

/// Reads lines from a text that comes in blocks.
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

/// Throws Error when missing, a directory, unreadable or over `limit` bytes.
std::string read_text(const fs::path& file, size_t limit = size_t{1} << 30);
/// For files that may go while they are read, as in /proc: empty when missing or unreadable. (A
/// std::istreambuf_iterator throws there.)
std::string text_if_readable(const fs::path& file);
/// One call writes a text whole; only a full disk or a signal makes it take a second. False with
/// errno.
bool write_all(int descriptor, std::string_view text);
/// Writes beside the file, fsyncs, renames. Throws Error; the old file stays on any fault, and a
/// new one has its mode. A link, a FIFO or a device by this name is replaced itself: others may
/// have put it there, where they share the folder.
void write_atomically(const fs::path& file, const std::string& text);
/// The same for a name typed by the user: links stay links, their target is replaced; anything but
/// a regular file (/dev/stdout, a FIFO) is written through.
void write_for_user(const fs::path& file, const std::string& text);
/// The name after all links; the target need not be there.
fs::path followed(fs::path file);
/// A name beside a file, unique among processes, for a file renamed to it when complete. Removes
/// what killed writers left, from a day old.
fs::path part_beside(const fs::path& file);
/// Whether it is no regular file, or is stdout or stderr: old text stays and more is added.
bool is_written_through(const fs::path& file);
/// Throws Error with the cure where write_for_user() could not write, so an hour's work is not lost
/// for a wrong path. Writes nothing.
void require_writable_target(const fs::path& file);
/// Makes the folder and its parents. Throws Error (io) with `hint`.
void make_folders(const fs::path& folder, const std::string& hint = {});
/// root / below, made where it is missing. Links are followed in `root`, the user's own word. A
/// link below it is an Error: where others share the folder they may have put it there, and files
/// would land, or be replaced, wherever it leads. Throws Error (io) where a folder cannot be made.
fs::path folder_below(const fs::path& root, const fs::path& below);
/// ISO 8601 UTC to the second: "2026-11-21T09:30:00Z".
std::string utc_now();

}  // namespace rooftune::core
