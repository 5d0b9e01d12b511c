// open, mmap.
#include "os/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/error.h"
#include "os/subprocess.h"

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
  data_ = {place, [size = size_](void* start) { munmap(start, size); }};
}

void write_bytes(const std::filesystem::path& file, const void* data, std::size_t size) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  stream.close();
  if (!stream) throw complaint(file, "written");
}

}  // namespace rooftune::os
