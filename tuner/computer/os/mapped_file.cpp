// open, mmap, write.
#include "os/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "os/spawn.h"

namespace rooftune::os {
namespace {

Error complaint(const std::filesystem::path& file, const char* verb) {
  return {std::string("cannot be ") + verb + ": " + std::strerror(errno),
          file.string(),
          {},
          ExitCode::io};
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& file) {
  const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (descriptor.get() < 0 || fstat(descriptor.get(), &status) != 0) throw complaint(file, "read");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  void* const place = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
  if (place == MAP_FAILED) throw complaint(file, "mapped");
  data_ = place;
}

MappedFile::~MappedFile() {
  if (data_) munmap(data_, size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

void write_bytes(const std::filesystem::path& file, const void* data, std::size_t size) {
  const Descriptor descriptor(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (descriptor.get() < 0) throw complaint(file, "written");
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = write(descriptor.get(), next, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw complaint(file, "written");
    next += count;
    size -= static_cast<std::size_t>(count);
  }
}

}  // namespace rooftune::os
