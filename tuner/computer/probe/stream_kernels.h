// The bandwidth micro-kernels with unit stride: up to three arrays walked by full vectors.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/words.h"
#include "os/topology.h"

namespace rooftune::probe {

/// Memory walked by a stream kernel: up to three arrays of `bytes` each, `passes` times.
struct alignas(64) StreamArguments {
  double* a = nullptr;  ///< written (read by load, read and written by update); 64-byte aligned
  const double* b = nullptr;  ///< read by copy, triad, load2_store1
  const double* c = nullptr;  ///< read by triad, load2_store1
  std::uint64_t bytes = 0;    ///< of each array; a positive multiple of StreamKernel::chunk
  std::int64_t passes = 1;
  alignas(
      64) double scalar[8] = {};  ///< store: the value; triad, update: the factor; all lanes alike
  double* sink = nullptr;  ///< load: 16 vectors, 64-byte aligned, receives the last chunk loaded
};

enum class StreamMix { load, store, copy, triad, update, load2_store1 };
inline Words words(StreamMix) {
  static constexpr const char* all[] = {"load", "store", "copy", "triad", "update", "load2_store1"};
  return all;
}

/// load: reads a; store: a = s; copy: a = b; triad: a = b + s c; update: a = s a; load2_store1:
/// reads b and c, a = c without arithmetic, limited only by the ports to the cache.
struct StreamKernel {
  StreamMix mix = StreamMix::load;
  bool non_temporal = false;
  int simd_bits = 128;
  std::uint64_t chunk = 256;  ///< bytes of one array per iteration: 16 vectors
  int arrays = 1;
  double reads = 1;  ///< share of reads in the nominal bytes
  int bytes_per_byte =
      1;  ///< nominal bytes moved per byte of one array (2 copy and update, 3 triad)
  void (*run)(StreamArguments& arguments) = nullptr;
};

/// The stream kernels for the widest vectors of a CPU with these features; empty without
/// micro-kernels.
std::vector<StreamKernel> stream_kernels(const CpuFeatures& features);

}  // namespace rooftune::probe
