// Measures a GPU's ceilings, and records them beside the published ones for its kind. The plan
// names micro-kernels with their shapes; names are unique over all a machine's lists. An exercise
// binds a task to a card: its grid, its memory, launches with so much work, the seconds and cycles
// that they took. Windows are short, a few at a time, round and round. One visit at a time.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probe/plan.h"
#include "probe/probe.h"
#include "probe/samples.h"
#include "roofline/machine.h"
#include "run/gpu_runtime.h"

namespace rooftune::probe {

// Constants of the loops in cuda/gpu_kernels.cu; a test keeps both equal.
inline constexpr int gpu_unroll = 16;       ///< steps per loop in an in-core kernel
inline constexpr int gpu_tiles = 8;         ///< tensor instructions per loop and warp
inline constexpr int gpu_items = 8;         ///< 16-byte loads per thread under way
inline constexpr int gpu_stream_items = 4;  ///< the same in kernels with stores
inline constexpr int gpu_operands = 4096;   ///< elements in in-core operands
inline constexpr int gpu_item_bytes = 16, gpu_word_bytes = 8, gpu_line_bytes = 128;

/// The mix that stands for tensor instructions.
inline constexpr const char* tensor_mix = "mma";

/// A ceiling to be measured, its kernel, and the grid.
struct GpuTask {
  enum class Shape {
    in_core,  ///< loops over operands in registers
    load,     ///< one array past L1
    near,     ///< a window per block, through L1
    shared,   ///< a window per block in shared memory
    store,    ///< one array written
    scale,    ///< one read, one written
    triad,    ///< two read, one written
    update,   ///< one read and written
    strided,  ///< a word of 8 bytes from every stride
    random,   ///< words of 8 bytes anywhere
    chase     ///< one thread follows links
  };
  Ceiling ceiling;  ///< every field but the measured ones; working_set: all walked arrays' bytes
  std::string kernel;
  Shape shape = Shape::in_core;
  int threads = 256;  ///< per block, at most
  int blocks = 0;     ///< per multiprocessor; 0: as many as it holds
  bool one_block = false;
  double flops = 0;  ///< in core: per thread and loop
};
using GpuTasks = std::vector<GpuTask>;

/// The micro-kernels' source for a GPU runtime's compiler, which needs the folder with
/// rooftune/gpu.h; in the image they have their plain names. Throws Error (ExitCode::unavailable)
/// for a runtime without any.
std::string gpu_kernels(const std::string& runtime);

/// Every precision x mix x chains x occupancy that the card has, with so many threads per warp;
/// more rungs when `full`.
GpuTasks gpu_in_core_plan(int compute_capability, Extent extent, int warp = 32);

/// Streams, strides, random access and latency in memory; `bytes`: each array's.
GpuTasks gpu_memory_plan(double bytes, Extent extent);
/// The same in L2; `bytes`: all arrays' together.
GpuTasks gpu_l2_plan(double bytes, Extent extent);
/// L1 and shared memory; `bytes` per multiprocessor.
GpuTasks gpu_l1_plan(double bytes);

/// A task that reads `bytes` past L1, or per multiprocessor through it, for the sweeps that find
/// capacities.
GpuTask gpu_sweep_task(bool through_l1, double bytes);

/// `full`: more strides and chains, longer; `seconds` 0: 30, or 120 when full; `memory_bytes`: each
/// array's, 0: chosen from L2 and the card's memory.
struct GpuProbeOptions : ProbeOptions {
  GpuProbeOptions() { name = "gpu"; }
  /// The machine file whose "gpu" describes the card; its ceilings stay beside the measured ones.
  std::optional<Machine> published;
};

/// Throws Error when memory is short or `interrupted` says so, VariantFault when the card fails.
Machine probe_gpu(GpuMachine& card, const InstalledCard& description,
                  const GpuProbeOptions& options);

/// Adds the published machine's ceilings to a measured one: under another name where theirs is
/// taken, and only shown where a stable measured ceiling covers the same precision or level. From
/// compute capability 9.0 on, the published figure still binds tensor cores, because only
/// instructions for whole warp groups reach it, and the probe has none.
void add_published(Machine& measured, const Machine& published);

/// Memory on the card, given back with its last copy.
class GpuArray {
 public:
  GpuArray(CudaDevice& device, int64_t bytes)
      : start_(device.allocate(bytes), [&device](void* start) { device.release(start); }),
        bytes_(bytes) {}
  void* start() const { return start_.get(); }
  int64_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<void> start_;
  int64_t bytes_;
};

/// The memory that a probe's tasks share: three arrays of random numbers, operands in each
/// precision, and room for kernels' results.
class GpuMemory {
 public:
  /// `bytes`: each array's.
  GpuMemory(GpuMachine& card, int64_t bytes);

  GpuMachine& card() const { return card_; }
  int64_t bytes() const { return arrays_.front().bytes(); }
  void* array(int index) const { return arrays_[index].start(); }
  /// Operands for kernels in a precision ("fp64", "fp16_tensor", ...).
  void* operands(const std::string& precision) const;
  void* results() const { return results_.start(); }
  void* cycles() const { return cycles_.start(); }
  /// The most threads for which `results` has room.
  static constexpr int64_t most_threads = 1 << 20;

 private:
  GpuMachine& card_;
  std::vector<GpuArray> arrays_;
  ByName<GpuArray> operands_;  ///< by how a precision's name begins
  GpuArray results_, cycles_;
};

class GpuExercise {
 public:
  /// Places a grid: as many blocks as the task says, smaller ones where the window is small.
  /// Throws VariantFault when the card cannot run it.
  GpuExercise(const GpuTask& task, const GpuMemory& memory);

  /// A window's flops or (nominal) bytes.
  double units() const { return double(amount) * units_; }
  /// One launch; the window's clock counts the slowest block's cycles.
  Window run();
  /// Loops, passes, loads or steps per launch, at least 1.
  int64_t amount = 1;

  int64_t blocks() const { return blocks_; }
  int threads() const { return threads_; }
  /// What a pass over all arrays walks [B]; 0 in core.
  double walked() const { return walked_; }

 private:
  using Shape = GpuTask::Shape;
  void place_window(int64_t window, double stride);
  void link(int64_t bytes);

  const GpuMemory& memory_;
  std::string kernel_;
  Shape shape_;
  int threads_ = 0;
  int64_t blocks_ = 0;
  int64_t items_ = 0;   ///< items of 16 B, or words, per array (or block)
  int64_t stride_ = 1;  ///< words
  double walked_ = 0, units_ = 0;
  int64_t shared_ = 0;
  std::vector<GpuArray> links_;
  std::array<void*, 7> pointers_{};  ///< operands, links, results, cycles, arrays
};

/// A card's ceiling under measurement.
struct GpuSubject : Visited {
  GpuSubject(const GpuTask& task, const GpuMemory& memory);
  /// Adds a few windows; calibrates on the first visit.
  void visit();
  /// The best rate in `windows` short windows, for sweeps.
  double quick_rate(int windows);
  /// The ceiling with rate, interval, samples, clock, source and stability filled in.
  Ceiling measured() const;

  GpuTask task;
  GpuExercise exercise;
  std::string fault;  ///< why its figure is doubtful; empty: it is not

 private:
  void calibrate();
};

}  // namespace rooftune::probe
