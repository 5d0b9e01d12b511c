// Memory that stands for a card's.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "run/gpu_runtime.h"

namespace rooftune::run {
namespace {

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes / page * page;
}

}  // namespace

DeviceArrays::~DeviceArrays() {
  for (const auto& [start, bytes] : bytes_) munmap(reinterpret_cast<void*>(start), bytes);
}

void* DeviceArrays::allocate(std::int64_t bytes) {
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  void* const start = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start != MAP_FAILED) {
    bytes_[reinterpret_cast<std::uint64_t>(start)] = size;
    return start;
  }
  // Never zero, and different from each other, as comparing code expects.
  constexpr std::uint64_t alignment = 256;
  const std::uint64_t refused = alignment + refused_;
  refused_ += (size + alignment - 1) / alignment * alignment;
  return reinterpret_cast<void*>(refused);
}

void DeviceArrays::release(void* start) noexcept {
  const auto found = bytes_.find(reinterpret_cast<std::uint64_t>(start));
  if (found == bytes_.end()) return;
  munmap(start, found->second);
  bytes_.erase(found);
}

void DeviceArrays::clear(void* start, std::int64_t bytes) {
  unsigned char* const from =
      at(reinterpret_cast<std::uint64_t>(start), static_cast<std::size_t>(bytes));
  if (!from) return;
  // Whole pages are given back: a large array takes no room.
  std::size_t pages = bytes_.contains(reinterpret_cast<std::uint64_t>(start))
                          ? whole_pages(static_cast<std::size_t>(bytes))
                          : 0;
  if (pages > 0 && madvise(from, pages, MADV_DONTNEED) != 0) pages = 0;
  std::memset(from + pages, 0, static_cast<std::size_t>(bytes) - pages);
}

unsigned char* DeviceArrays::at(std::uint64_t address, std::size_t bytes) const {
  auto found = bytes_.upper_bound(address);
  if (found == bytes_.begin()) return nullptr;
  --found;
  if (address + bytes > found->first + found->second) return nullptr;
  return reinterpret_cast<unsigned char*>(address);
}

}  // namespace rooftune::run
