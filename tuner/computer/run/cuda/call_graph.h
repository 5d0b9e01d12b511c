// A window of the L2 cache. A variant asks for data to keep there, the card grants a part. Stream
// and cache are shared by all variants of a process, so a request holds while its variant is in
// use.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "run/cuda/cuda_driver.h"
#include "run/gpu_runtime.h"

namespace rooftune::run {

/// The start of an array, by its device address; 0 bytes: no request.
struct L2Request {
  CudaAddress start = 0;
  std::int64_t bytes = 0;
  bool operator==(const L2Request&) const = default;
};

struct L2Grant {
  std::int64_t set_aside = 0, window = 0;  ///< bytes
  float hit_ratio = 1;                     ///< share of the window's lines to keep
  std::string note;                        ///< why it is less than the request; else empty
};

/// A window larger than the set-aside keeps the share set-aside / window, or its lines would evict
/// each other (CUDA C++ Programming Guide, "L2 Policy for Persisting Accesses").
L2Grant granted(const L2Request& request, const L2Limits& limits);

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
  /// Makes this request the current one, after giving up the lines of the last. Returns its
  /// shortfall. Throws VariantFault for a refusal of a granted size.
  std::string apply(const L2Request& request);
  /// Makes persisting lines ordinary ones, free for replacement.
  void release_lines() const;
  const L2Request& current() const { return current_; }
  /// The current request, for launches outside the stream; no bytes: none.
  const AccessPolicy& policy() const { return policy_; }

 private:
  void give_up();
  void set(const AccessPolicy& policy);

  const CudaDriver& driver_;
  CudaStream stream_;
  L2Limits limits_;
  L2Request current_;
  std::string note_;
  AccessPolicy policy_;
};

}  // namespace rooftune::run
