// What the test of an exported library of CUDA kernels needs besides: arrays on the card.
// SPDX-License-Identifier: MIT-0
#pragma once
#include <cstdio>
#include <vector>

#include "rooftune/library_cuda.h"

namespace rooftune_cuda_library {

/// Whether the library can work here; else why not is printed.
inline bool can_test() {
  if (guarded([] { compiled_for(current_card().capability, "", {}); }) == 0) return true;
  std::printf("skipped: %s\n", last_fault().c_str());
  return false;
}

/// A copy of these values, on the host or on the card. What fails ends the test by an exception.
template <class T>
class TestArray {
 public:
  TestArray(const std::vector<T>& values, bool on_card) : values_(values) {
    if (!on_card) return;
    Driver::get().check(Driver::get().MemAlloc(&start_, bytes()), "memory of the test");
    copy(start_, address(values_.data()));
  }
  TestArray(const TestArray&) = delete;
  TestArray& operator=(const TestArray&) = delete;
  ~TestArray() {
    if (start_ != 0) Driver::get().MemFree(start_);
  }
  T* data() { return start_ != 0 ? reinterpret_cast<T*>(start_) : values_.data(); }
  const std::vector<T>& taken() {
    if (start_ != 0) copy(address(values_.data()), start_);
    return values_;
  }

 private:
  std::size_t bytes() const { return (values_.empty() ? 1 : values_.size()) * sizeof(T); }
  void copy(Driver::Address to, Driver::Address from) const {
    const Driver& cuda = Driver::get();
    cuda.check(cuda.MemcpyAsync(to, from, values_.size() * sizeof(T), nullptr), "copy of the test");
    cuda.check(cuda.StreamSynchronize(nullptr), "copy of the test");
  }

  std::vector<T> values_;
  Driver::Address start_ = 0;
};

}  // namespace rooftune_cuda_library
