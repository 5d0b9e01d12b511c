// The bandwidth micro-kernels: full vectors that walk up to three arrays, strided loads, and chains
// of dependent loads.
#include "probe/memory_kernels.h"

#include <map>

#include "core/list.h"
#if defined(__x86_64__)
#include "probe/memory_x86.h"
#elif defined(__aarch64__)
#include "probe/memory_arm.h"
#endif

namespace rooftune::probe {

namespace {

#if defined(__x86_64__) || defined(__aarch64__)

template <int Bits, StreamMix Mix, bool NonTemporal = false>
StreamKernel kernel(double reads, int moved) {
  return {Mix,
          NonTemporal,
          Bits,
          2 * Bits,
          arrays_of(Mix),
          reads,
          moved,
          stream<Bits, Mix, NonTemporal>};
}
template <int Bits>
std::vector<StreamKernel> streams() {
  using enum StreamMix;
  return {kernel<Bits, load>(1, 1),
          kernel<Bits, store>(0, 1),
          kernel<Bits, copy>(0.5, 2),
          kernel<Bits, triad>(2.0 / 3, 3),
          kernel<Bits, update>(0.5, 2),
          kernel<Bits, load2_store1>(2.0 / 3, 3),
          kernel<Bits, store, true>(0, 1),
          kernel<Bits, copy, true>(0.5, 2),
          kernel<Bits, triad, true>(2.0 / 3, 3)};
}

const std::map<int, StridedKernel> by_stride{
    {64, strided<64>}, {128, strided<128>}, {256, strided<256>}, {4096, strided<4096>}};
const std::map<int, ChaseKernel> by_misses{
    {1, chase<1>}, {2, chase<2>}, {4, chase<4>}, {8, chase<8>}, {most_misses, chase<most_misses>}};

#else
const std::map<int, StridedKernel> by_stride;
const std::map<int, ChaseKernel> by_misses;
#endif

}  // namespace

#if defined(__x86_64__) || defined(__aarch64__)
std::vector<StreamKernel> stream_kernels(const CpuFeatures& features) {
  switch (stream_bits(features)) {
    case 512:
      return streams<512>();
    case 256:
      return streams<256>();
    default:
      return streams<128>();
  }
}
#else
std::vector<StreamKernel> stream_kernels(const CpuFeatures&) { return {}; }
#endif

StridedKernel strided_kernel(int stride) { return copy_at(by_stride, stride).value_or(nullptr); }
ChaseKernel chase_kernel(int misses) { return copy_at(by_misses, misses).value_or(nullptr); }
Integers strides() { return keys_of(by_stride); }
Integers misses_in_flight() { return keys_of(by_misses); }

}  // namespace rooftune::probe
