// The GPU as the launching half of a cuda.cu sees it: a card, an emulation on the CPU, or a plan
// that only writes the launches down. Pointers are those that this device has handed out.
#pragma once
#include <cstdint>

namespace rooftune {

/// Sizes of a grid (in blocks) or of a block (in threads).
struct CudaSize {
  unsigned x = 1, y = 1, z = 1;
  constexpr CudaSize() = default;
  constexpr CudaSize(std::int64_t the_x, std::int64_t the_y = 1, std::int64_t the_z = 1)
      : x(static_cast<unsigned>(the_x)),
        y(static_cast<unsigned>(the_y)),
        z(static_cast<unsigned>(the_z)) {}
  std::int64_t volume() const { return std::int64_t{x} * y * z; }
};

/// One launch of one kernel.
struct CudaLaunch {
  const char* kernel;  ///< its name in the cubin
  CudaSize grid, block;
  std::int64_t shared_bytes;  ///< dynamic shared memory per block
  /// One pointer per parameter, to a value of the parameter's type; null behind the last.
  void** arguments;
  void (*run_thread)(void** arguments);      ///< the kernel as a function, for the emulation
  const unsigned* argument_bytes = nullptr;  ///< their sizes, for who follows its threads
};

/// What a launching half may ask of the card, to size its grid.
struct CudaProperties {
  int compute_capability = 80;  ///< 10 major + minor
  int multiprocessors = 1;
  int threads_per_multiprocessor = 2048;
  std::int64_t shared_per_multiprocessor = 0, shared_per_block = 0;  ///< bytes, opt-in maximum
  std::int64_t l2_bytes = 0, memory_bytes = 0;
  int warp = 32;  ///< threads
};

class CudaDevice {
 public:
  /// Where the emulation has got to.
  struct Thread {
    CudaSize thread{0, 0, 0}, block{0, 0, 0}, block_size, grid_size;
    int lane = 0;
  };

  virtual const CudaProperties& properties() const = 0;
  /// Device memory, aligned to 256 bytes. What goes wrong ends the trial (here and below).
  virtual void* allocate(std::int64_t bytes) = 0;
  virtual void release(void* start) noexcept = 0;
  virtual void upload(void* to, const void* from, std::int64_t bytes) = 0;
  virtual void download(void* to, const void* from, std::int64_t bytes) = 0;
  /// Sets bytes to zero.
  virtual void clear(void* start, std::int64_t bytes) = 0;
  /// In the order of the calls; returns before the kernel has ended.
  virtual void launch(const CudaLaunch& launch) = 0;
  /// Blocks of the kernel that one multiprocessor holds at a time.
  virtual int resident_blocks(const char* kernel, int threads, std::int64_t shared_bytes) = 0;
  /// So many per cent of what L1 and shared memory have together go to shared memory, for the
  /// kernels of this variant; -1: the driver chooses. The card takes the nearest size it has.
  virtual void prefer_shared(int per_cent) { (void)per_cent; }
  /// Whether the array lies on the card already: an application's may, the arrays of a study never
  /// do.
  virtual bool is_on_card(const void*) const { return false; }
  /// The card's stream (a CUstream) in which launches are made and timed, for libraries that launch
  /// by themselves, in the current context; null where there is no card.
  virtual void* stream() { return nullptr; }
  /// Changes when the memory that was handed out is gone: with each problem of an application, and
  /// when a variant had to make room for another.
  unsigned lifetime = 0;

  // For the emulation, inside a kernel; a card has its own.
  /// __syncthreads.
  virtual void barrier() {}
  /// Every lane named in `mask` gives `bytes` (at most 16) and sees what all of them gave: a slot
  /// of 16 bytes for each lane of a warp.
  virtual const unsigned char* exchange(std::uint64_t mask, const void* mine, int bytes) {
    (void)mask, (void)mine, (void)bytes;
    return nullptr;
  }
  Thread* thread = nullptr;
  void* shared = nullptr;  ///< dynamic shared memory of the running block

 protected:
  ~CudaDevice() = default;
};

}  // namespace rooftune
