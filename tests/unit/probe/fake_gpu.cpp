#include "fake_gpu.h"

#include <cstring>
#include <stdexcept>

namespace rooftune::test {
namespace {

template <class T>
T argument(const CudaLaunch& launch, int index) {
  T value;
  std::memcpy(&value, launch.arguments[index], sizeof value);
  return value;
}

double amount(const CudaLaunch& launch, int index) {
  return static_cast<double>(argument<std::int64_t>(launch, index));
}

double threads(const CudaLaunch& launch) {
  return static_cast<double>(launch.grid.volume() * launch.block.volume());
}

/// Flops per thread and loop, as the source of the kernels has them.
double flops_of(const std::string& kernel) {
  if (kernel == "probe_fp64_tensor_wide") return 8 * 4096 / 32.0;
  if (kernel == "probe_fp64_tensor") return 8 * 512 / 32.0;
  if (kernel == "probe_tf32_tensor") return 8 * 2048 / 32.0;
  if (kernel.ends_with("_tensor")) return 8 * 4096 / 32.0;
  const double chains = kernel.back() - '0';
  return 2 * 16 * chains * (kernel.starts_with("probe_fp16") ? 2 : 1);
}

}  // namespace

FakeGpu::FakeGpu() {
  GpuFacts& facts = description_.facts;
  facts.devices = {"Fake 100"};
  facts.compute_capability = 80;
  facts.multiprocessors = 4;
  facts.threads_per_multiprocessor = 1024;
  facts.blocks_per_multiprocessor = 16;
  facts.registers_per_multiprocessor = facts.registers_per_block = 65536;
  facts.shared_per_multiprocessor = facts.shared_per_block = 100 << 10;
  facts.l2 = 2 << 20;
  facts.memory = std::int64_t{1} << 30;
  description_.name = "Fake 100";
  description_.uuid = "GPU-fake";
  description_.runtime = "cuda";
  description_.driver = 13000;
  properties_ = properties_of(facts);
}

void* FakeGpu::allocate(std::int64_t bytes) {
  std::vector<char> memory(static_cast<std::size_t>(bytes));
  void* const start = memory.data();
  memory_.emplace(start, std::move(memory));
  return start;
}

void FakeGpu::release(void* start) noexcept { memory_.erase(start); }

void FakeGpu::upload(void* to, const void* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

void FakeGpu::download(void* to, const void* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

/// One chain keeps a quarter of the pipelines busy, few warps half, one block its multiprocessor.
double FakeGpu::in_core_seconds(const CudaLaunch& launch, const std::string& precision) const {
  const std::string kernel = launch.kernel;
  double rate = rates.at(precision);
  if (kernel.find("add_mul") != std::string::npos) rate /= 2;
  if (kernel.ends_with("_1")) rate /= 4;
  if (launch.grid.volume() < properties_.multiprocessors)
    rate /= properties_.multiprocessors;
  else if (threads(launch) < 1024 * properties_.multiprocessors)
    rate /= 2;
  return amount(launch, 0) * threads(launch) * flops_of(kernel) / rate;
}

double FakeGpu::memory_seconds(const CudaLaunch& launch) const {
  const std::string kernel = launch.kernel;
  const double blocks = static_cast<double>(launch.grid.volume());
  if (kernel == "probe_nothing") return 0;
  if (kernel.ends_with("chase")) return amount(launch, 0) * latency;
  const double items = amount(launch, 0);
  if (kernel == "probe_shared_load")
    return 16 * items * amount(launch, 1) * blocks / rates.at("shared");
  if (kernel == "probe_near_load") {
    const double window = 16 * items * std::max(1.0, blocks / properties_.multiprocessors);
    return 16 * items * amount(launch, 1) * blocks / rates.at(window <= l1_bytes ? "L1" : "L2");
  }
  const auto level = [&](double walked) { return rates.at(walked <= l2_bytes ? "L2" : "DRAM"); };
  // Sectors of 32 bytes are moved whatever is asked for.
  if (kernel == "probe_random_load")
    return 32 * amount(launch, 1) * threads(launch) / level(8 * items);
  if (kernel == "probe_strided_load") {
    const double stride = 8 * amount(launch, 1);
    return std::min(stride, 32.0) * items * amount(launch, 2) / level(stride * items);
  }
  const double arrays = kernel == "probe_triad" ? 3 : kernel == "probe_scale" ? 2 : 1;
  const double moved = kernel == "probe_update" ? 2 : arrays;
  return 16 * items * moved * amount(launch, 1) / level(16 * items * arrays);
}

void FakeGpu::launch(const CudaLaunch& launch) {
  ++launches;
  const std::string kernel = launch.kernel;
  double seconds = -1;
  for (const char* precision :
       {"fp64", "fp32", "fp16", "fp64_tensor", "tf32_tensor", "fp16_tensor", "bf16_tensor"})
    if (kernel.starts_with("probe_" + std::string(precision)))
      seconds = in_core_seconds(launch, precision);
  if (seconds < 0) seconds = memory_seconds(launch);
  // Now and then somebody else has the card.
  if (noisy && rng_.below(5) == 0) seconds *= 1 + rng_.unit();
  if (kernel == unsteady) seconds *= 1 + 0.02 * ++unsteady_launches_;
  elapsed_ += launch_seconds + seconds;
  if (kernel == "probe_nothing") return;
  int last = 3;
  if (kernel == "probe_scale" || kernel == "probe_strided_load") last = 5;
  if (kernel == "probe_triad") last = 6;
  if (kernel.ends_with("_load") && kernel != "probe_strided_load") last = 4;
  if (kernel == "probe_update") last = 4;
  const auto cycles = static_cast<std::int64_t>(seconds * clock);
  std::memcpy(argument<void*>(launch, last), &cycles, sizeof cycles);
}

double FakeGpu::seconds(const std::function<void()>& calls) {
  elapsed_ = 0;
  calls();
  return elapsed_;
}

}  // namespace rooftune::test
