// Memory straight from the operating system: anonymous, between two wide inaccessible zones, where
// the caller decides on pages and nodes before the first touch; or a file seen as memory, read
// only. And writing a file in a single sweep.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::os {

class Mapping {
 public:
  /// `bytes` are usable from start(), a multiple of `alignment` (a power of two, at least a page);
  /// guard_bytes() before and behind [start, start + bytes rounded up to pages) are inaccessible.
  /// Throws std::bad_alloc when the system has no room.
  Mapping(size_t bytes, size_t alignment);

  unsigned char* start() const { return start_; }
  /// Usable bytes: whole pages.
  size_t size() const { return size_; }
  /// Width of the zone on each side [B]: address space, no memory.
  size_t guard_bytes() const { return guard_; }
  /// Forbids writing, or allows it again. Throws std::bad_alloc when the system refuses.
  void allow_writing(bool allowed) const;
  /// Forbids reading as well, until allow_writing().
  void hide() const;
  /// Puts fresh pages in place of its own; `fill` writes them first (size() bytes, zeros before).
  /// The pages change for all threads at once: no thread sees a part. All access is allowed then.
  /// Throws std::bad_alloc, and what `fill` throws.
  void replace(const std::function<void(unsigned char*)>& fill) const;
  /// Asks for huge pages, or forbids them. False when the system refuses.
  bool advise_huge_pages(bool wanted) const;
  /// Spreads the pages over all permitted NUMA nodes. Returns why not, or empty.
  std::string interleave() const;
  /// Puts the pages on these NUMA nodes and on no other, in turn. Returns why not, or empty.
  std::string place_on(const Integers& nodes) const;

 private:
  std::shared_ptr<void> reserved_;
  size_t size_ = 0, guard_ = 0;
  unsigned char* start_ = nullptr;
};

/// Size of a small page [B].
size_t page_bytes();
/// Size of a transparent huge page [B].
size_t huge_page_bytes();

class MappedFile {
 public:
  /// Throws Error when it cannot be read.
  explicit MappedFile(const fs::path& file);
  const void* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  std::shared_ptr<const void> data_;
  size_t size_ = 0;
};

/// Throws Error (disk full, read-only).
void write_bytes(const fs::path& file, const void* data, size_t size);

}  // namespace rooftune::os
