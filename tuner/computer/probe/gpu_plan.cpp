#include "probe/gpu_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "probe/gpu_source.h"

namespace rooftune::probe {
namespace {

using Shape = GpuTask::Shape;

/// An in-core kernel; `lanes` values per register.
struct Chains {
  const char *precision, *mix;
  int chains, lanes;
  bool full;  ///< measured by a full probe only
  std::string kernel() const { return fmt::format("probe_{}_{}_{}", precision, mix, chains); }
};

constexpr Chains chains[] = {{"fp64", "fma", 8, 1, false},    {"fp64", "fma", 4, 1, true},
                             {"fp64", "fma", 1, 1, false},    {"fp64", "add_mul", 8, 1, false},
                             {"fp32", "fma", 8, 1, false},    {"fp32", "fma", 4, 1, true},
                             {"fp32", "fma", 1, 1, false},    {"fp32", "add_mul", 8, 1, false},
                             {"fp16", "fma", 8, 2, false},    {"fp16", "fma", 1, 2, false},
                             {"fp16", "add_mul", 8, 2, false}};

/// A kernel of tensor instructions; flops per warp and instruction.
struct Tensor {
  const char *precision, *kernel;
  double flops;
  int least, below;  ///< compute capabilities: least <= c < below
};

constexpr int any = 1000;
constexpr Tensor tensors[] = {{"fp64_tensor", "probe_fp64_tensor", 2 * 8 * 8 * 4, 80, any},
                              {"fp64_tensor", "probe_fp64_tensor_wide", 2 * 16 * 8 * 16, 90, any},
                              {"tf32_tensor", "probe_tf32_tensor", 2 * 16 * 8 * 8, 80, any},
                              {"fp16_tensor", "probe_fp16_tensor", 2 * 16 * 8 * 16, 80, any},
                              {"bf16_tensor", "probe_bf16_tensor", 2 * 16 * 8 * 16, 80, any}};

GpuTask in_core(const Chains& row) {
  GpuTask task;
  task.kernel = row.kernel();
  task.flops = 2.0 * gpu_unroll * row.chains * row.lanes;
  Ceiling& ceiling = task.ceiling;
  ceiling.kind = Ceiling::Kind::in_core;
  ceiling.name = fmt::format("{} {} ilp{}", row.precision, row.mix, row.chains);
  ceiling.precision = row.precision;
  ceiling.mix = row.mix;
  ceiling.ilp = row.chains;
  ceiling.requirements = {Paradigm::tlp, Paradigm::occupancy};
  if (row.mix == std::string("fma")) ceiling.requirements.insert(Paradigm::fma);
  if (row.chains > 1) ceiling.requirements.insert(Paradigm::ilp);
  return task;
}

/// One warp for each of the four schedulers.
GpuTask few_warps(GpuTask task, int warp) {
  task.threads = 4 * warp;
  task.blocks = 1;
  task.ceiling.name += " 4 warps";
  task.ceiling.requirements.erase(Paradigm::occupancy);
  return task;
}

GpuTask one_block(GpuTask task) {
  task.one_block = true;
  task.ceiling.name += " 1 block";
  task.ceiling.requirements.erase(Paradigm::occupancy);
  task.ceiling.requirements.erase(Paradigm::tlp);
  return task;
}

GpuTask tensor(const Tensor& row, int warp) {
  GpuTask task;
  task.kernel = row.kernel;
  task.flops = row.flops * gpu_tiles / warp;
  Ceiling& ceiling = task.ceiling;
  ceiling.kind = Ceiling::Kind::in_core;
  const bool wide = task.kernel.ends_with("_wide");
  ceiling.name = fmt::format("{} mma{}", row.precision, wide ? " m16n8k16" : "");
  ceiling.precision = row.precision;
  ceiling.mix = tensor_mix;
  ceiling.ilp = gpu_tiles;
  ceiling.requirements = {Paradigm::tensor, Paradigm::ilp, Paradigm::tlp};
  return task;
}

/// A stream of a level.
GpuTask stream(const std::string& level, Shape shape, const char* word, const char* mix,
               double reads, double bytes) {
  GpuTask task;
  task.kernel = fmt::format("probe_{}", word);
  task.shape = shape;
  task.threads = 512;
  Ceiling& ceiling = task.ceiling;
  ceiling.kind = Ceiling::Kind::bandwidth;
  ceiling.name = fmt::format("{} {}", level, word);
  ceiling.level = level;
  ceiling.mix = mix;
  ceiling.reads = reads;
  ceiling.working_set = bytes;
  ceiling.requirements = {Paradigm::coalesced, Paradigm::tlp};
  return task;
}

GpuTask strided(const std::string& level, int stride, double bytes) {
  GpuTask task = stream(level, Shape::strided, "strided_load", "load", 1, bytes);
  task.ceiling.name = fmt::format("{} load stride{}", level, stride);
  task.ceiling.stride = stride;
  task.ceiling.requirements = {Paradigm::tlp};
  return task;
}

GpuTask random_access(const std::string& level, double bytes) {
  GpuTask task = stream(level, Shape::random, "random_load", "random", 1, bytes);
  task.ceiling.name = level + " random";
  task.ceiling.stride = gpu_word_bytes;
  task.ceiling.requirements = {Paradigm::tlp};
  return task;
}

GpuTask latency(const std::string& level, bool near, double bytes) {
  GpuTask task = stream(level, Shape::chase, near ? "near_chase" : "chase", "random", 1, bytes);
  task.ceiling.kind = Ceiling::Kind::latency;
  task.ceiling.name = level + " latency";
  task.ceiling.stride = gpu_line_bytes;
  task.ceiling.requirements = {};
  task.threads = 1;
  task.one_block = true;
  return task;
}

/// The five streams of a level, `bytes` of each array.
std::vector<GpuTask> streams(const std::string& level, double bytes, double arrays_share) {
  const auto of = [&](int arrays) { return arrays_share > 0 ? bytes : bytes * arrays; };
  return {stream(level, Shape::load, "load", "load", 1, of(1)),
          stream(level, Shape::store, "store", "store", 0, of(1)),
          stream(level, Shape::scale, "scale", "copy", 0.5, of(2)),
          stream(level, Shape::triad, "triad", "triad", 2.0 / 3, of(3)),
          stream(level, Shape::update, "update", "update", 0.5, of(1))};
}

}  // namespace

std::string gpu_kernels(const std::string& runtime) {
  std::string text;
  for (const EmbeddedKernels& part : embedded_gpu_kernels)
    if (runtime == part.runtime) text += part.text;
  if (text.empty())
    throw Error("the probe has no micro-kernels for cards of " + runtime, {}, {},
                ExitCode::unavailable);
  return text;
}

std::vector<GpuTask> gpu_in_core_plan(int compute_capability, Extent extent, int warp) {
  std::vector<GpuTask> plan;
  for (const Chains& row : chains) {
    if (row.full && extent == Extent::quick) continue;
    const GpuTask task = in_core(row);
    plan.push_back(task);
    if (row.mix != std::string("fma") || row.chains < 8) continue;
    plan.push_back(few_warps(task, warp));
    plan.push_back(one_block(task));
  }
  for (const Tensor& row : tensors)
    if (compute_capability >= row.least && compute_capability < row.below)
      plan.push_back(tensor(row, warp));
  return plan;
}

std::vector<GpuTask> gpu_memory_plan(double bytes, Extent extent) {
  std::vector<GpuTask> plan = streams("DRAM", bytes, 0);
  plan.push_back(one_block(stream("DRAM", Shape::load, "load", "load", 1, bytes)));
  for (const int stride : {16, 32, 64, 128})
    if (extent == Extent::full || stride != 64) plan.push_back(strided("DRAM", stride, bytes));
  plan.push_back(random_access("DRAM", bytes));
  // Its links are shuffled by the host: half a gibibyte of them is far from any cache.
  plan.push_back(latency("DRAM", false, std::min(bytes, 512.0 * 1024 * 1024)));
  return plan;
}

std::vector<GpuTask> gpu_l2_plan(double bytes, Extent extent) {
  std::vector<GpuTask> plan = streams("L2", bytes, 1);
  for (const int stride : {32, 128})
    if (extent == Extent::full || stride == 32) plan.push_back(strided("L2", stride, bytes));
  plan.push_back(random_access("L2", bytes));
  // The first launch of a visit walks it whole: later ones find every line in the cache.
  constexpr double walked_whole = 1 << 20;
  plan.push_back(latency("L2", false, std::min(bytes, walked_whole)));
  // Twice the grid of the others would not fit the window.
  for (GpuTask& task : plan)
    if (!task.one_block) task.blocks = 1;
  return plan;
}

std::vector<GpuTask> gpu_l1_plan(double bytes) {
  GpuTask near = stream("L1", Shape::near, "near_load", "load", 1, bytes);
  near.ceiling.name = "L1 load";
  near.threads = 256;
  near.blocks = 2;
  GpuTask shared = stream("L1", Shape::shared, "shared_load", "load", 1, 0);
  shared.ceiling.name = "shared load";
  shared.threads = 256;
  shared.blocks = 1;
  shared.ceiling.working_set = 256.0 * gpu_items * gpu_item_bytes;
  return {near, shared, latency("L1", true, 16 * 1024)};
}

GpuTask gpu_sweep_task(bool through_l1, double bytes) {
  GpuTask task = through_l1 ? stream("L1", Shape::near, "near_load", "load", 1, bytes)
                            : stream("L2", Shape::load, "load", "load", 1, bytes);
  task.blocks = 1;
  if (through_l1) task.threads = 256;
  return task;
}

}  // namespace rooftune::probe
