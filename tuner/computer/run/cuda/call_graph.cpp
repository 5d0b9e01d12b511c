// Requests of the driver.
#include "run/cuda/call_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace rooftune::run {
namespace {

/// CU_LIMIT_PERSISTING_L2_CACHE_SIZE; CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW.
constexpr int persisting_l2 = 6, access_policy = 1;
/// CU_ACCESS_PROPERTY_PERSISTING; misses stay NORMAL.
constexpr int persisting = 2;
/// CUDA_ERROR_UNSUPPORTED_LIMIT: a shared card (MPS, MIG) sets nothing aside.
constexpr CudaResult unsupported_limit = 215;

}  // namespace

L2Grant granted(const L2Request& request, const L2Limits& limits) {
  L2Grant grant;
  if (request.bytes <= 0) return grant;
  if (limits.set_aside <= 0 || limits.window <= 0) {
    grant.note = "nothing is kept in L2: the card cannot";
    return grant;
  }
  grant.window = std::min(request.bytes, limits.window);
  grant.set_aside = std::min(grant.window, limits.set_aside);
  grant.hit_ratio = static_cast<float>(grant.set_aside) / static_cast<float>(grant.window);
  if (grant.set_aside < request.bytes)
    grant.note = fmt::format(
        "of {} bytes to keep in L2 the window covers {} and {} are set aside, the card's most",
        request.bytes, grant.window, grant.set_aside);
  return grant;
}

void L2Window::set(const AccessPolicy& policy) {
  check(driver_, driver_.StreamSetAttribute(stream_, access_policy, &policy),
        [&] { return fmt::format("a window of {} bytes of the L2 cache", policy.bytes); });
  policy_ = policy;
}

void L2Window::release_lines() const {
  if (policy_.bytes > 0)
    check(driver_, driver_.CtxResetPersistingL2Cache(), "reset of the L2 cache");
}

void L2Window::give_up() {
  if (policy_.bytes > 0) {
    // Else they stay, and take cache from the next variant.
    release_lines();
    set({});
    check(driver_, driver_.CtxSetLimit(persisting_l2, 0), "the end of L2's set-aside");
  }
  current_ = {};
  note_.clear();
}

std::string L2Window::apply(const L2Request& request) {
  if (request == current_) return note_;
  give_up();
  const L2Grant grant = granted(request, limits_);
  note_ = grant.note;
  if (grant.window > 0) {
    const auto bytes = static_cast<std::size_t>(grant.set_aside);
    const CudaResult result = driver_.CtxSetLimit(persisting_l2, bytes);
    if (result == unsupported_limit) {
      note_ = "nothing is kept in L2: the card sets nothing aside (is it shared?)";
    } else {
      check(driver_, result, [&] { return fmt::format("{} bytes of L2 set aside", bytes); });
      set({request.start,
           static_cast<std::size_t>(grant.window),
           grant.hit_ratio,
           persisting,
           0,
           {}});
    }
  }
  current_ = request;
  return note_;
}

}  // namespace rooftune::run
