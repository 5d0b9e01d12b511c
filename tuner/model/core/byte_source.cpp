// Texts and files as blocks of bytes, and their lines. Descriptors are closed on every way out.
#include "core/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace rooftune::core {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file) {
  throw Error(std::string("cannot be read: ") + std::strerror(errno), file.string());
}

constexpr std::size_t longest_line = std::size_t{1} << 26;

}  // namespace

std::string_view TextSource::next() {
  const std::string_view block = rest_.substr(0, std::size_t{1} << 16);
  rest_.remove_prefix(block.size());
  return block;
}

FileSource::FileSource(std::filesystem::path file) : file_(std::move(file)) {
  struct stat status {};
  descriptor_ = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail(file_);
  // The destructor of an incomplete object does not run.
  if (::fstat(descriptor_, &status) != 0 || S_ISDIR(status.st_mode)) {
    const bool directory = S_ISDIR(status.st_mode);
    ::close(descriptor_);
    if (directory) throw Error("is a directory, not a file", file_.string());
    fail(file_);
  }
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
}

FileSource::~FileSource() { ::close(descriptor_); }

std::string_view FileSource::next() {
  ssize_t got = 0;
  do {
    got = ::read(descriptor_, block_, sizeof block_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail(file_);
  return {block_, static_cast<std::size_t>(got)};
}

bool LineSource::next(std::string& line) {
  line.clear();
  torn_ = false;
  for (;;) {
    if (block_.empty()) block_ = bytes_.next();
    if (block_.empty()) {
      torn_ = !line.empty();
      return torn_;
    }
    const std::size_t end = block_.find('\n');
    line.append(block_.substr(0, end));
    if (line.size() > longest_line)
      throw Error(fmt::format("a line of more than {} bytes", longest_line));
    block_.remove_prefix(end == std::string_view::npos ? block_.size() : end + 1);
    if (end != std::string_view::npos) return true;
  }
}

}  // namespace rooftune::core
