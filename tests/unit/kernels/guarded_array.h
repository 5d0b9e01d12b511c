// Doubles between two pages that nobody may touch: one step out of bounds ends the test.
// The caller says which end lies right at its forbidden page.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace rooftune::testing {

enum class Flush { start, end };

class GuardedArray {
 public:
  GuardedArray(std::size_t count, Flush flush) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inside = (count * sizeof(double) + page - 1) / page * page;
    bytes_ = inside + 2 * page;
    base_ =
        static_cast<char*>(mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED) throw std::runtime_error("mmap failed");
    if (mprotect(base_ + page, inside, PROT_READ | PROT_WRITE) != 0)
      throw std::runtime_error("mprotect failed");
    const std::size_t slack = inside - count * sizeof(double);
    start_ = reinterpret_cast<double*>(base_ + page + (flush == Flush::end ? slack : 0));
  }
  GuardedArray(GuardedArray&& other) noexcept
      : base_(other.base_), bytes_(other.bytes_), start_(other.start_) {
    other.base_ = nullptr;
  }
  GuardedArray& operator=(GuardedArray&&) = delete;
  ~GuardedArray() {
    if (base_) munmap(base_, bytes_);
  }

  double* data() const { return start_; }

 private:
  char* base_;
  std::size_t bytes_;
  double* start_;
};

/// A copy of an array that lies so.
struct GuardedCopy {
  GuardedCopy(const std::vector<double>& from, Flush flush)
      : count(from.size()), memory(count, flush) {
    std::copy(from.begin(), from.end(), memory.data());
  }
  std::vector<double> values() const { return {memory.data(), memory.data() + count}; }

  std::size_t count;
  GuardedArray memory;
};

}  // namespace rooftune::testing
