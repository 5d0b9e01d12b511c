// Notes to AddressSanitizer about a thread's change to another stack; nothing without it. Every
// switch of stacks has one `leave` before it and one `arrive` after it, on the stack of the return.
#pragma once
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>

#include "core/modules.h"
#endif

namespace rooftune::run {

/// One stack: its address, and the sanitizer's record of it while another one runs.
class SanitizedStack {
 public:
  /// `bottom`: its lowest address.
  void lies_at(const void* bottom, std::size_t bytes) {
    bottom_ = bottom;
    bytes_ = bytes;
  }
  /// The running stack is this one, and `next` will be.
  void leave([[maybe_unused]] const SanitizedStack& next) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&kept_, next.bottom_, next.bytes_);
#endif
  }
  /// The running stack is this one, and `finished`, left for the last time, is gone.
  void forget([[maybe_unused]] SanitizedStack& finished) {
#if defined(__SANITIZE_ADDRESS__)
    // The sanitizer drops its record of a stack only with the running one: `finished` runs, for no
    // longer than these calls.
    leave(finished);
    __sanitizer_finish_switch_fiber(finished.kept_, nullptr, nullptr);
    __sanitizer_start_switch_fiber(nullptr, bottom_, bytes_);
    __sanitizer_finish_switch_fiber(kept_, nullptr, nullptr);
#endif
  }
  /// The running stack is this one again, or for the first time. `left`, the one before, gets its
  /// address.
  void arrive([[maybe_unused]] SanitizedStack& left) {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(kept_, &left.bottom_, &left.bytes_);
#endif
  }

 private:
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
  [[maybe_unused]] void* kept_ = nullptr;
};

}  // namespace rooftune::run
