// Whole files, read and written in one piece. What is there stays until the new text is complete.
#include "core/file.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "core/byte_source.h"
#include "core/error.h"

namespace rooftune::inline core {
namespace {

/// Closes on every way out.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  bool close() {
    const int closed = ::close(number_);
    number_ = -1;
    return closed == 0;
  }

 private:
  int number_;
};

std::string reason() { return std::strerror(errno); }

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw Error(what, file.string());
}

bool write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(descriptor, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

/// Makes the rename itself durable; a file system that refuses to sync folders is no fault.
void sync_folder(const std::filesystem::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.number() >= 0) ::fsync(opened.number());
}

}  // namespace

std::string read_text(const std::filesystem::path& file, std::size_t limit) {
  FileSource source(file);
  std::string text;
  if (source.size() <= limit) text.reserve(source.size());
  for (std::string_view block = source.next(); !block.empty(); block = source.next()) {
    if (text.size() + block.size() > limit)
      fail(file, fmt::format("is larger than the limit of {} bytes", limit));
    text.append(block);
  }
  return text;
}

void write_atomically(const std::filesystem::path& file, const std::string& text) {
  static std::atomic<unsigned> counter{0};
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const std::filesystem::path beside =
      folder / fmt::format(".{}.{}.{}.part", file.filename().string(), ::getpid(), counter++);
  Descriptor opened(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (opened.number() < 0) fail(file, "cannot be written: " + reason());
  const bool complete = write_all(opened.number(), text) && ::fsync(opened.number()) == 0 &&
                        opened.close() && ::rename(beside.c_str(), file.c_str()) == 0;
  if (!complete) {
    const std::string why = reason();
    ::unlink(beside.c_str());
    fail(file, "cannot be written: " + why);
  }
  sync_folder(folder);
}

std::string utc_now() {
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

}  // namespace rooftune::inline core
