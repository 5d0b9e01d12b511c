// An array between what nobody may touch: forbidden zones, and up to them bytes that are known.
// Without a shift it starts at the zone before it. It ends at the zone behind it when its bytes
// fill whole pages; else the rest of the last page is poison, which a read brings into the result
// and a write destroys.
#pragma once
#include <cstdint>
#include <string>

#include "os/mapping.h"
#include "run/message.h"

namespace rooftune::run {

class GuardedArray {
 public:
  /// `shift`: bytes by which the first element is moved from its page boundary, a multiple of the
  /// element's size. Throws std::bad_alloc.
  GuardedArray(Slot slot, std::size_t shift, bool huge_pages);
  GuardedArray(GuardedArray&&) = default;

  const Slot& slot() const { return slot_; }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  const Mapping& mapping() const { return mapping_; }
  /// "array y: written 8 bytes behind its end", or empty.
  std::string damage() const;
  /// What a forbidden access at `address` was, or empty when it was not to this array: "array y:
  /// written 800 bytes behind its end", "array x is read only, but element 5 of 100 was written".
  std::string forbidden(const void* address, bool writing) const;

 private:
  Slot slot_;
  std::size_t bytes_;
  Mapping mapping_;
  unsigned char* data_;
};

}  // namespace rooftune::run
