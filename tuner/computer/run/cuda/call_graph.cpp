// Capture, then one launch per call.
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

/// CU_STREAM_CAPTURE_MODE_THREAD_LOCAL; CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW.
constexpr int thread_local_capture = 1, window_attribute = 1;
/// CU_GRAPH_NODE_TYPE_KERNEL.
constexpr int kernel_node = 0;

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

void CallRecord::append(const void* start, std::size_t bytes) {
  const auto* const from = static_cast<const std::byte*>(start);
  bytes_.insert(bytes_.end(), from, from + bytes);
}

void CallRecord::add(CudaFunction kernel, const CudaLaunch& launch) {
  ++launches_;
  append(&kernel, sizeof kernel);
  for (const CudaSize& size : {launch.grid, launch.block}) append(&size, sizeof size);
  append(&launch.shared_bytes, sizeof launch.shared_bytes);
  if (!launch.argument_bytes) return spoil();
  for (unsigned i = 0; launch.arguments[i]; ++i)
    append(launch.arguments[i], launch.argument_bytes[i]);
}

CallGraph::CallGraph(const CudaDriver& driver, CudaStream stream, const AccessPolicy& window,
                     const std::function<void()>& call)
    : driver_(driver), stream_(stream) {
  check(driver_, driver_.StreamBeginCapture(stream_, thread_local_capture), "capture of a call");
  try {
    call();
  } catch (...) {
    // Else the stream stays in capture.
    driver_.StreamEndCapture(stream_, &graph_);
    if (graph_) driver_.GraphDestroy(graph_);
    throw;
  }
  check(driver_, driver_.StreamEndCapture(stream_, &graph_), "capture of a call");
  if (window.bytes > 0) keep_in_l2(window);
  check(driver_, driver_.GraphInstantiate(&executable_, graph_, 0), "the graph of a call");
}

CallGraph::~CallGraph() {
  if (executable_) driver_.GraphExecDestroy(executable_);
  if (graph_) driver_.GraphDestroy(graph_);
}

void CallGraph::keep_in_l2(const AccessPolicy& window) {
  std::size_t count = 0;
  check(driver_, driver_.GraphGetNodes(graph_, nullptr, &count), "the nodes of a graph");
  std::vector<CudaGraphNode> nodes(count);
  check(driver_, driver_.GraphGetNodes(graph_, nodes.data(), &count), "the nodes of a graph");
  for (const CudaGraphNode node : nodes) {
    int type = 0;
    check(driver_, driver_.GraphNodeGetType(node, &type), "the nodes of a graph");
    if (type == kernel_node)
      check(driver_, driver_.GraphKernelNodeSetAttribute(node, window_attribute, &window),
            "a graph's window of the L2 cache");
  }
}

void CallGraph::launch() const {
  check(driver_, driver_.GraphLaunch(executable_, stream_), "launch of a call's graph");
}

}  // namespace rooftune::run
