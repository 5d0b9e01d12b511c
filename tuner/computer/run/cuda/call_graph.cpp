// Capture, then one launch per call.
#include "run/cuda/call_graph.h"

namespace rooftune::run {
namespace {

/// CU_STREAM_CAPTURE_MODE_THREAD_LOCAL; CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW.
constexpr int thread_local_capture = 1, window_attribute = 1;
/// CU_GRAPH_NODE_TYPE_KERNEL.
constexpr int kernel_node = 0;

}  // namespace

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
