// An array between forbidden zones, and up to them bytes of known value. Without a shift it starts
// at the zone before it. It ends at the zone behind it when its bytes fill whole pages; else the
// rest of the last page is poison: a read brings it into the result, a write destroys it.
#pragma once
#include <cstdint>
#include <string>

#include "os/mapping.h"
#include "run/message.h"

namespace rooftune::run {

class GuardedArray {
 public:
  /// `shift`: distance of the first element from its page boundary in bytes, a multiple of the
  /// element's size. Throws std::bad_alloc.
  GuardedArray(Slot slot, std::size_t shift, bool huge_pages);
  GuardedArray(GuardedArray&&) = default;

  const Slot& slot() const { return slot_; }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  const Mapping& mapping() const { return mapping_; }
  /// "array y: written 8 bytes behind its end", or empty.
  std::string damage() const;
  /// Describes a forbidden access at `address`; empty when it was not to this array: "array y:
  /// written 800 bytes behind its end", "array x is read only, but element 5 of 100 was written".
  std::string forbidden(const void* address, bool writing) const;

 private:
  Slot slot_;
  std::size_t bytes_;
  Mapping mapping_;
  unsigned char* data_;
};

}  // namespace rooftune::run
