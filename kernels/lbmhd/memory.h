// Memory of a lattice, whose pages are first touched as KNOB_LATTICE_TOUCH says.
// The caller keeps one per lattice; every cell is zero after reserve().
#pragma once
#if defined(__linux__)
#include <sys/mman.h>
#endif
#include <new>

#include "lattice.h"

namespace mhd {

class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { release(); }

  /// The lattice with its cells in place.
  Lattice reserve(Lattice lattice) {
    if (lattice.size() > size_) {
      release();
      size_ = lattice.size();
      const std::size_t bytes = static_cast<std::size_t>(size_) * sizeof(double);
      start_ = static_cast<double*>(::operator new (bytes, std::align_val_t{huge_page}));
#if defined(__linux__)
      if (KNOB_LATTICE_HUGE_PAGES) madvise(start_, bytes, MADV_HUGEPAGE);
#endif
    }
    lattice.start = start_;
    touch(lattice);
    return lattice;
  }

 private:
  /// Of x86 and most of Arm.
  static constexpr std::size_t huge_page = 2u << 20;

  void touch(const Lattice& lattice) {
    if (KNOB_LATTICE_TOUCH == KNOB_LATTICE_TOUCH_PLANES) {
      const int pieces = arrays_apart ? components : 1;
#pragma omp parallel for schedule(static)
      for (Int64 z = 0; z < lattice.nz; ++z)
        for (int k = 0; k < pieces; ++k) {
          double* const plane = start_ + k * lattice.component + z * lattice.plane;
          for (Int64 i = 0; i < lattice.plane; ++i) plane[i] = 0;
        }
    } else {
      for (Int64 i = 0; i < size_; ++i) start_[i] = 0;
    }
  }

  void release() {
    if (start_) ::operator delete (start_, std::align_val_t{huge_page});
    start_ = nullptr;
    size_ = 0;
  }

  double* start_ = nullptr;
  Int64 size_ = 0;
};

}  // namespace mhd
