// Asynchronous copies for the emulation. Until its thread has waited for a copy the target holds
// NaN, so a wait or a barrier that a kernel lacks shows in its results. Included by
// rooftune/cuda_emulation.h; the kernel waits for all copies before it ends.
#pragma once
#include <cstring>
#include <vector>

#include "rooftune/cuda_device.h"

namespace rooftune {

/// Copies that one thread of a block has under way.
struct EmulatedCopies {
  struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
    unsigned group;
  };
  CudaSize block;
  std::vector<Copy> pending;
  unsigned committed = 0;  ///< groups
};

/// Those of the running thread; what a thread of another block left is forgotten. Internal linkage:
/// the memory of an inline function would be one object for all variants that a process has loaded.
static inline EmulatedCopies& emulated_copies(const CudaDevice::Thread& at) {
  static std::vector<EmulatedCopies> of_threads(1024);
  const unsigned flat = (at.thread.z * at.block_size.y + at.thread.y) * at.block_size.x;
  EmulatedCopies& mine = of_threads[flat + at.thread.x];
  const CudaSize &was = mine.block, &is = at.block;
  if (was.x != is.x || was.y != is.y || was.z != is.z) mine = {is, {}, 0};
  return mine;
}

static inline void emulate_copy(const CudaDevice::Thread& at, void* to, const void* from,
                                std::size_t bytes) {
  EmulatedCopies& mine = emulated_copies(at);
  std::memset(to, 0xFF, bytes);
  mine.pending.push_back({to, from, bytes, mine.committed});
}

static inline void emulate_commit(const CudaDevice::Thread& at) { ++emulated_copies(at).committed; }

/// Ends the copies of all groups but the last `left`.
static inline void emulate_wait(const CudaDevice::Thread& at, unsigned left) {
  EmulatedCopies& mine = emulated_copies(at);
  std::vector<EmulatedCopies::Copy> still;
  for (const EmulatedCopies::Copy& copy : mine.pending)
    if (copy.group + left < mine.committed)
      std::memcpy(copy.to, copy.from, copy.bytes);
    else
      still.push_back(copy);
  mine.pending.swap(still);
}

}  // namespace rooftune
