// An array that a layout owns: whole pages straight from the system, untouched until its owner
// writes. It goes with its owner: the last ones when the variant is unloaded. The knobs of the back
// end stand before it: they say whether pages are huge.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace spmv_kernel {

template <class T>
struct Array {
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { release(); }

  T* at = nullptr;
  std::int64_t count = 0;
  void* mapping = nullptr;
  std::size_t mapped = 0;

  /// So many zeros, and 64 bytes beyond them that may be read.
  void make(std::int64_t elements) {
    release();
    count = elements;
    constexpr std::size_t page = layout_huge_pages ? std::size_t{2} << 20 : 4096;
    const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(T) + 64;
    mapped = bytes + page;
    mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) {
      mapping = nullptr;
      throw std::bad_alloc();
    }
    const auto start = (reinterpret_cast<std::uintptr_t>(mapping) + page - 1) / page * page;
    at = reinterpret_cast<T*>(start);
#ifdef MADV_HUGEPAGE
    if (layout_huge_pages) madvise(at, bytes, MADV_HUGEPAGE);
#endif
  }

  void release() {
    if (mapping != nullptr) munmap(mapping, mapped);
    mapping = nullptr;
    at = nullptr;
    count = 0;
  }

  void swap(Array& other) {
    std::swap(at, other.at);
    std::swap(count, other.count);
    std::swap(mapping, other.mapping);
    std::swap(mapped, other.mapped);
  }

  T& operator[](std::int64_t i) const { return at[i]; }
};

}  // namespace spmv_kernel
