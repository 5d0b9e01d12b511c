#include "probe/gpu_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "core/error.h"
#include "probe/gpu_source.h"

namespace rooftune::probe {
namespace {

using Shape = GpuTask::Shape;

/// An in-core kernel; flops per loop and thread, or per loop and warp with tensor instructions.
struct InCore {
  const char *precision, *mix;
  int chains;
  double flops;
  bool full = false;         ///< only a full probe measures it
  int least_capability = 0;  ///< 10 major + minor
  const char* suffix = "";   ///< for another kernel with the same instructions

  bool is_tensor() const { return mix == std::string_view(tensor_mix); }
  bool is_fused() const { return mix == std::string_view("fma"); }
};

// Flops per loop: of a chain, and of a product.
constexpr double step_flops = 2 * gpu_unroll, tile_flops = 2 * gpu_tiles;
constexpr InCore gpu_in_core[] = {
    {"fp64", "fma", 8, step_flops * 8},
    {"fp64", "fma", 4, step_flops * 4, true},
    {"fp64", "fma", 1, step_flops},
    {"fp64", "add_mul", 8, step_flops * 8},
    {"fp32", "fma", 8, step_flops * 8},
    {"fp32", "fma", 4, step_flops * 4, true},
    {"fp32", "fma", 1, step_flops},
    {"fp32", "add_mul", 8, step_flops * 8},
    // two in a register
    {"fp16", "fma", 8, step_flops * 8 * 2},
    {"fp16", "fma", 1, step_flops * 2},
    {"fp16", "add_mul", 8, step_flops * 8 * 2},
    {"fp64_tensor", tensor_mix, gpu_tiles, tile_flops * 8 * 8 * 4, false, 80},
    {"fp64_tensor", tensor_mix, gpu_tiles, tile_flops * 16 * 8 * 16, false, 90, "_wide"},
    {"tf32_tensor", tensor_mix, gpu_tiles, tile_flops * 16 * 8 * 8, false, 80},
    {"fp16_tensor", tensor_mix, gpu_tiles, tile_flops * 16 * 8 * 16, false, 80},
    {"bf16_tensor", tensor_mix, gpu_tiles, tile_flops * 16 * 8 * 16, false, 80}};

GpuTask in_core(const InCore& row, int warp) {
  GpuTask task;
  Ceiling& ceiling = task.ceiling;
  ceiling.kind = Ceiling::Kind::in_core;
  ceiling.precision = row.precision;
  ceiling.mix = row.mix;
  ceiling.ilp = row.chains;
  ceiling.requirements = {Paradigm::tlp};
  if (row.chains > 1) ceiling.requirements.insert(Paradigm::ilp);
  if (row.is_fused()) ceiling.requirements.insert(Paradigm::fma);
  ceiling.requirements.insert(row.is_tensor() ? Paradigm::tensor : Paradigm::occupancy);
  task.flops = row.flops / (row.is_tensor() ? warp : 1);
  if (row.is_tensor()) {
    task.kernel = fmt::format("probe_{}{}", row.precision, row.suffix);
    ceiling.name = fmt::format("{} mma{}", row.precision, *row.suffix ? " m16n8k16" : "");
  } else {
    task.kernel = fmt::format("probe_{}_{}_{}", row.precision, row.mix, row.chains);
    ceiling.name = fmt::format("{} {} ilp{}", row.precision, row.mix, row.chains);
  }
  return task;
}

/// One warp for each of four schedulers.
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

/// A stream in a level, named for its kernel.
GpuTask stream(const std::string& level, Shape shape, const char* word, double bytes,
               const char* mix = "load", double reads = 1) {
  GpuTask task;
  task.kernel = fmt::format("probe_{}", word);
  task.shape = shape;
  task.threads = 512;
  Ceiling& ceiling = task.ceiling;
  ceiling.kind = Ceiling::Kind::bandwidth;
  ceiling.name = level + " " + word;
  ceiling.level = level;
  ceiling.mix = mix;
  ceiling.reads = reads;
  ceiling.working_set = bytes;
  ceiling.requirements = {Paradigm::coalesced, Paradigm::tlp};
  return task;
}

GpuTask named(GpuTask task, const std::string& name, std::set<Paradigm> requirements,
              double stride) {
  task.ceiling.name = name;
  task.ceiling.stride = stride;
  task.ceiling.requirements = std::move(requirements);
  return task;
}

GpuTask latency(const std::string& level, const char* word, double bytes) {
  GpuTask task = named(stream(level, Shape::chase, word, bytes, "random"), level + " latency", {},
                       gpu_line_bytes);
  task.ceiling.kind = Ceiling::Kind::latency;
  task.threads = 1;
  task.one_block = true;
  return task;
}

/// A level's streams, strides and random access; `bytes`: each array's, or all arrays' together.
GpuTasks level_plan(const std::string& level, double bytes, bool of_each,
                    std::initializer_list<int> strides) {
  const auto of = [&](int arrays) { return of_each ? bytes * arrays : bytes; };
  GpuTasks plan = {stream(level, Shape::load, "load", of(1)),
                   stream(level, Shape::store, "store", of(1), "store", 0),
                   stream(level, Shape::scale, "scale", of(2), "copy", 0.5),
                   stream(level, Shape::triad, "triad", of(3), "triad", 2.0 / 3),
                   stream(level, Shape::update, "update", of(1), "update", 0.5),
                   named(stream(level, Shape::random, "random_load", bytes, "random"),
                         level + " random", {Paradigm::tlp}, gpu_word_bytes)};
  for (const int stride : strides)
    plan.push_back(named(stream(level, Shape::strided, "strided_load", bytes),
                         fmt::format("{} load stride{}", level, stride), {Paradigm::tlp}, stride));
  return plan;
}

}  // namespace

std::string gpu_kernels(const std::string& runtime) {
  std::string text;
  for (const EmbeddedKernels& part : embedded_gpu_kernels)
    if (runtime == part.runtime) text += part.text;
  if (text.empty()) throw Unavailable("the probe has no micro-kernels for cards of " + runtime);
  return text;
}

GpuTasks gpu_in_core_plan(int compute_capability, Extent extent, int warp) {
  GpuTasks plan;
  for (const InCore& row : gpu_in_core) {
    if (row.full && extent == Extent::quick) continue;
    if (compute_capability < row.least_capability) continue;
    plan.push_back(in_core(row, warp));
    if (!row.is_fused() || row.chains < 8) continue;
    plan.push_back(few_warps(in_core(row, warp), warp));
    plan.push_back(one_block(in_core(row, warp)));
  }
  return plan;
}

GpuTasks gpu_memory_plan(double bytes, Extent extent) {
  GpuTasks plan = extent == Extent::full ? level_plan("DRAM", bytes, true, {16, 32, 64, 128})
                                         : level_plan("DRAM", bytes, true, {16, 32, 128});
  plan.push_back(one_block(stream("DRAM", Shape::load, "load", bytes)));
  // The host shuffles its links: half a gibibyte of them lies far beyond any cache.
  plan.push_back(latency("DRAM", "chase", std::min(bytes, 512.0 * 1024 * 1024)));
  return plan;
}

GpuTasks gpu_l2_plan(double bytes, Extent extent) {
  GpuTasks plan = extent == Extent::full ? level_plan("L2", bytes, false, {32, 128})
                                         : level_plan("L2", bytes, false, {32});
  // Twice the grid, as elsewhere, would not fit the window.
  for (GpuTask& task : plan) task.blocks = 1;
  // A visit's first launch walks it whole, and later ones find every line in the cache.
  constexpr double walked_whole = 1 << 20;
  plan.push_back(latency("L2", "chase", std::min(bytes, walked_whole)));
  return plan;
}

GpuTasks gpu_l1_plan(double bytes) {
  GpuTask near = stream("L1", Shape::near, "near_load", bytes);
  near.ceiling.name = "L1 load";
  near.threads = 256;
  near.blocks = 2;
  GpuTask shared = stream("L1", Shape::shared, "shared_load", 256.0 * gpu_items * gpu_item_bytes);
  shared.ceiling.name = "shared load";
  shared.threads = 256;
  shared.blocks = 1;
  return {near, shared, latency("L1", "near_chase", 16 * 1024)};
}

GpuTask gpu_sweep_task(bool through_l1, double bytes) {
  GpuTask task = through_l1 ? stream("L1", Shape::near, "near_load", bytes)
                            : stream("L2", Shape::load, "load", bytes);
  task.blocks = 1;
  if (through_l1) task.threads = 256;
  return task;
}

}  // namespace rooftune::probe
