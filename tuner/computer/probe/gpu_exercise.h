// A task bound to a card: its grid, its memory, launches of so much work, and the seconds and
// cycles they took; and the measurement of tasks in short windows, a few at a time, round and
// round. One visit at a time.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "probe/gpu_plan.h"
#include "probe/samples.h"
#include "run/gpu_runtime.h"

namespace rooftune::probe {

/// Memory of the card, given back with its last copy.
class GpuArray {
 public:
  GpuArray(CudaDevice& device, std::int64_t bytes)
      : start_(device.allocate(bytes), [&device](void* start) { device.release(start); }),
        bytes_(bytes) {}
  void* start() const { return start_.get(); }
  std::int64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<void> start_;
  std::int64_t bytes_;
};

/// Common memory of a probe's tasks: three arrays of random numbers, operands of each precision,
/// and room for kernels' results.
class GpuMemory {
 public:
  /// `bytes` of each array.
  GpuMemory(GpuMachine& card, std::int64_t bytes);

  GpuMachine& card() const { return card_; }
  std::int64_t bytes() const { return arrays_.front().bytes(); }
  void* array(int index) const { return arrays_[static_cast<std::size_t>(index)].start(); }
  /// Operands for kernels of a precision ("fp64", "fp16_tensor", ...).
  void* operands(const std::string& precision) const;
  void* results() const { return results_.start(); }
  void* cycles() const { return cycles_.start(); }
  /// Most threads with room in `results`.
  static constexpr std::int64_t most_threads = 1 << 20;

 private:
  GpuMachine& card_;
  std::vector<GpuArray> arrays_;
  std::map<std::string, GpuArray> operands_;  ///< by the beginning of a precision
  GpuArray results_, cycles_;
};

class GpuExercise {
 public:
  /// Places a grid: as many blocks as the task says, smaller ones where the window is small.
  /// Throws VariantFault when the card cannot run it.
  GpuExercise(const GpuTask& task, const GpuMemory& memory);

  /// Flops or (nominal) bytes of one window.
  double units() const { return static_cast<double>(amount) * units_; }
  /// One launch; its clock is that of the slowest block.
  Window run();
  /// Loops, passes, loads or steps per launch, at least 1.
  std::int64_t amount = 1;

  std::int64_t blocks() const { return blocks_; }
  int threads() const { return threads_; }
  /// Bytes walked by a pass over all arrays; 0 in core.
  double walked() const { return walked_; }

 private:
  using Shape = GpuTask::Shape;
  void place_window(std::int64_t window, double stride);
  void link(std::int64_t bytes);

  const GpuMemory& memory_;
  std::string kernel_;
  Shape shape_;
  int threads_ = 0;
  std::int64_t blocks_ = 0;
  std::int64_t items_ = 0;   ///< of 16 B, or words, per array (or block)
  std::int64_t stride_ = 1;  ///< words
  double walked_ = 0, units_ = 0;
  std::int64_t shared_ = 0;
  std::vector<GpuArray> links_;
  std::array<void*, 7> pointers_{};  ///< operands, links, results, cycles, arrays
};

/// One ceiling of the card under measurement.
struct GpuSubject : Visited {
  GpuSubject(const GpuTask& task, const GpuMemory& memory);
  /// Adds a few windows; calibrates on the first visit.
  void visit();
  /// The best rate of `windows` short windows, for sweeps.
  double quick_rate(int windows);
  /// The ceiling with rate, interval, samples, clock, source and stability filled in.
  Ceiling measured() const;

  GpuTask task;
  GpuExercise exercise;
  std::string fault;  ///< why it is doubtful, empty for none

 private:
  void calibrate();
};

}  // namespace rooftune::probe
