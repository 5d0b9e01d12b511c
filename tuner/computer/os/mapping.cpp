// mmap, madvise and mbind.
#include "os/mapping.h"

#include <fcntl.h>
#include <numa.h>
#include <numaif.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>

#include "core/error.h"
#include "os/subprocess.h"

namespace rooftune::os {
namespace {

/// So wide that an index off by a row or a plane still lands in it.
constexpr size_t wide_guard = size_t{256} << 20;
constexpr const char* no_calls = "the system has no NUMA calls";

/// Interleaving keeps to its nodes as binding does, and uses all nodes' bandwidth. Returns why not,
/// or empty.
std::string placed(void* start, size_t size, const bitmask* nodes) {
  const long fault =
      mbind(start, size, MPOL_INTERLEAVE, nodes->maskp, nodes->size + 1, MPOL_MF_MOVE);
  return fault == 0 ? std::string() : std::strerror(errno);
}

Error complaint(const fs::path& file, const char* verb) {
  return {std::string("cannot be ") + verb + ": " + std::strerror(errno),
          file.string(),
          {},
          ExitCode::io};
}

}  // namespace

size_t page_bytes() {
  static const size_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

size_t huge_page_bytes() {
  static const size_t bytes = [] {
    size_t value = 0;
    std::ifstream("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size") >> value;
    return value > 0 ? value : size_t{2} << 20;
  }();
  return bytes;
}

Mapping::Mapping(size_t bytes, size_t alignment) {
  const size_t page = page_bytes();
  if (bytes > (size_t{1} << 62)) throw std::bad_alloc();
  size_ = (bytes + page - 1) / page * page;
  // Where address space is limited (ulimit -v) a page has to do.
  for (const size_t guard : {wide_guard, page}) {
    guard_ = guard;
    const size_t all = size_ + alignment + 2 * guard;
    void* const base =
        mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) continue;
    reserved_ = {base, [all](void* start) { munmap(start, all); }};
    break;
  }
  if (!reserved_) throw std::bad_alloc();
  const auto first = reinterpret_cast<uintptr_t>(reserved_.get()) + guard_;
  start_ = reinterpret_cast<unsigned char*>((first + alignment - 1) / alignment * alignment);
  allow_writing(true);
}

void Mapping::allow_writing(bool allowed) const {
  const int protection = allowed ? PROT_READ | PROT_WRITE : PROT_READ;
  if (size_ > 0 && mprotect(start_, size_, protection) != 0) throw std::bad_alloc();
}

void Mapping::hide() const {
  if (mprotect(start_, size_, PROT_NONE) != 0) throw std::bad_alloc();
}

void Mapping::replace(const std::function<void(unsigned char*)>& fill) const {
  void* const fresh =
      mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) throw std::bad_alloc();
  fill(static_cast<unsigned char*>(fresh));
  if (mremap(fresh, size_, size_, MREMAP_MAYMOVE | MREMAP_FIXED, start_) == MAP_FAILED)
    throw std::bad_alloc();
}

bool Mapping::advise_huge_pages(bool wanted) const {
  return size_ == 0 || madvise(start_, size_, wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0;
}

std::string Mapping::interleave() const {
  if (size_ == 0) return {};
  return numa_available() < 0 ? no_calls : placed(start_, size_, numa_get_mems_allowed());
}

std::string Mapping::place_on(const Integers& nodes) const {
  if (size_ == 0) return {};
  if (numa_available() < 0) return no_calls;
  if (nodes.empty()) return "there are no such nodes";
  bitmask* const mask = numa_allocate_nodemask();
  for (const int node : nodes) numa_bitmask_setbit(mask, unsigned(node));
  const std::string reason = placed(start_, size_, mask);
  numa_free_nodemask(mask);
  return reason;
}

MappedFile::MappedFile(const fs::path& file) {
  const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (descriptor.get() < 0 || fstat(descriptor.get(), &status) != 0) throw complaint(file, "read");
  size_ = status.st_size;
  if (size_ == 0) return;
  void* const place = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
  if (place == MAP_FAILED) throw complaint(file, "mapped");
  data_ = {place, [size = size_](void* start) { munmap(start, size); }};
}

void write_bytes(const fs::path& file, const void* data, size_t size) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
  stream.close();
  if (!stream) throw complaint(file, "written");
}

}  // namespace rooftune::os
