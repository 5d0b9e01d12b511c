// An array between two zones of known bytes, which tell when somebody wrote beside it.
// The caller fills it (the first touch) and asks damage() after every call of foreign code.
#pragma once
#include <cstdint>
#include <string>

#include "os/mapping.h"
#include "run/message.h"

namespace rooftune::inline run {

class GuardedArray {
 public:
  /// `shift`: bytes by which the first element is moved from its page boundary. Throws
  /// std::bad_alloc.
  GuardedArray(Slot slot, std::size_t shift, bool huge_pages);
  GuardedArray(GuardedArray&&) = default;

  const Slot& slot() const { return slot_; }
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  const Mapping& mapping() const { return mapping_; }
  /// "array y: 8 bytes behind its end were overwritten", or empty.
  std::string damage() const;

 private:
  Slot slot_;
  std::size_t bytes_;
  Mapping mapping_;
  unsigned char* data_;
};

}  // namespace rooftune::inline run
