// The launches of one call as one CUDA graph, for calls of many short launches.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "run/cuda/l2_window.h"
#include "run/gpu_machine.h"

namespace rooftune::run {

/// A call's requests to the card: its launches with the values of their arguments.
class CallRecord {
 public:
  void add(CudaFunction kernel, const CudaLaunch& launch);
  /// The call copied, cleared or allocated, or its arguments cannot be seen: no graph repeats it.
  void spoil() { is_whole_ = false; }
  int launches() const { return launches_; }
  bool is_whole() const { return is_whole_; }
  bool operator==(const CallRecord&) const = default;

 private:
  void append(const void* start, std::size_t bytes);

  std::vector<std::byte> bytes_;
  int launches_ = 0;
  bool is_whole_ = true;
};

class CallGraph {
 public:
  /// Captures the launches of `call` on the stream; all of it gets the window of L2. Throws
  /// VariantFault.
  CallGraph(const CudaDriver& driver, CudaStream stream, const AccessPolicy& window,
            const std::function<void()>& call);
  ~CallGraph();
  CallGraph(const CallGraph&) = delete;
  CallGraph& operator=(const CallGraph&) = delete;
  /// Asynchronous. Throws VariantFault.
  void launch() const;

 private:
  void keep_in_l2(const AccessPolicy& window);

  const CudaDriver& driver_;
  CudaStream stream_;
  CudaGraph graph_ = nullptr;
  CudaGraphExec executable_ = nullptr;
};

}  // namespace rooftune::run
