// What a variant asks the L2 cache of its card to keep, and what the card grants. Stream and cache
// are shared by all variants of a process, so a wish holds while its variant is in use.
#pragma once
#include <cstdint>
#include <string>

#include "run/cuda/cuda_driver.h"
#include "run/gpu_machine.h"

namespace rooftune::run {

/// The start of an array, by its device address; 0 bytes: no wish.
struct L2Wish {
  CudaAddress start = 0;
  std::int64_t bytes = 0;
  bool operator==(const L2Wish&) const = default;
};

struct L2Grant {
  std::int64_t set_aside = 0, window = 0;  ///< bytes
  float hit_ratio = 1;                     ///< share of the window's lines that are kept
  std::string note;                        ///< where it is less than the wish; else empty
};

/// Of a window that is larger than the set-aside, set-aside / window is kept, so that its lines do
/// not drive each other out (CUDA C++ Programming Guide, "L2 Policy for Persisting Accesses").
L2Grant granted(const L2Wish& wish, const L2Limits& limits);

/// CUaccessPolicyWindow, padded to the size of CUlaunchAttributeValue.
struct AccessPolicy {
  CudaAddress base = 0;
  std::size_t bytes = 0;
  float hit_ratio = 1;
  int hit = 0, miss = 0;  ///< CUaccessProperty
  unsigned char padding[32] = {};
};
static_assert(sizeof(AccessPolicy) == 64);

/// The one window of a stream.
class L2Window {
 public:
  L2Window(const CudaDriver& driver, CudaStream stream, const L2Limits& limits)
      : driver_(driver), stream_(stream), limits_(limits) {}
  /// Makes this wish the one that holds; what another one kept is given up first. Returns how it
  /// falls short. Throws VariantFault when the driver refuses what the card should grant.
  std::string hold(const L2Wish& wish);
  /// Makes lines that are kept ordinary ones, which the next use of the cache replaces.
  void release_lines() const;
  const L2Wish& held() const { return held_; }
  /// Of the wish that holds, for launches that do not go through the stream; no bytes: none.
  const AccessPolicy& policy() const { return policy_; }

 private:
  void give_up();
  void set(const AccessPolicy& policy);

  const CudaDriver& driver_;
  CudaStream stream_;
  L2Limits limits_;
  L2Wish held_;
  std::string note_;
  AccessPolicy policy_;
};

}  // namespace rooftune::run
