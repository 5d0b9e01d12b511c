// A list of cards by the driver.
#include <fmt/format.h>

#include <algorithm>

#include "build/cuda/nvrtc.h"
#include "core/error.h"
#include "run/cuda/driven_cuda.h"
#include "run/cuda/nvml.h"

namespace rooftune::run {
namespace {

/// Numbers of CUdevice_attribute.
enum Attribute {
  warp = 10,
  registers_per_block_attribute = 12,
  clock = 13,
  multiprocessors_attribute = 16,
  l2 = 38,
  threads = 39,
  major = 75,
  minor = 76,
  shared = 81,
  registers = 82,
  shared_per_block_attribute = 97,
  blocks = 106,
  l2_set_aside_attribute = 108,
  l2_window_attribute = 109,
  shared_reserved = 111
};

/// "GPU-" and the groups of 8, 4, 4, 4 and 12 digits.
std::string uuid_text(const CudaUuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i)
    text +=
        fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid.bytes[i]);
  return text;
}

InstalledCard card(const CudaDriver& driver, int index) {
  InstalledCard result;
  result.runtime = "cuda";
  result.index = index;
  result.driver = driver.version();
  int device = 0;
  const CudaResult found = driver.DeviceGet(&device, index);
  if (found != 0)
    throw Error(fmt::format("card {} does not answer: {}", index, driver.text(found)), {},
                "nvidia-smi shows its state", ExitCode::unavailable);
  char name[128] = "";
  driver.DeviceGetName(name, static_cast<int>(sizeof name) - 1, device);
  result.name = name;
  result.is_slice = result.name.find("MIG") != std::string::npos;
  CudaUuid uuid{};
  driver.DeviceGetUuid(&uuid, device);
  result.uuid = uuid_text(uuid);
  // An attribute unknown to an old driver stays 0.
  const auto attribute = [&](Attribute which) {
    int value = 0;
    driver.DeviceGetAttribute(&value, which, device);
    return value;
  };
  std::size_t bytes = 0;
  driver.DeviceTotalMem(&bytes, device);
  GpuFacts& facts = result.facts;
  facts.devices = {result.name};
  facts.compute_capability = 10 * attribute(major) + attribute(minor);
  facts.warp = std::max(attribute(warp), facts.warp);
  facts.multiprocessors = attribute(multiprocessors_attribute);
  facts.threads_per_multiprocessor = attribute(threads);
  facts.blocks_per_multiprocessor = attribute(blocks);
  facts.registers_per_multiprocessor = attribute(registers);
  facts.registers_per_block = attribute(registers_per_block_attribute);
  facts.shared_per_multiprocessor = attribute(shared);
  facts.shared_per_block = attribute(shared_per_block_attribute);
  facts.shared_reserved = attribute(shared_reserved);
  facts.l2 = attribute(l2);
  facts.memory = static_cast<std::int64_t>(bytes);
  result.l2 = {attribute(l2_set_aside_attribute), attribute(l2_window_attribute)};
  result.clock_khz = attribute(clock);
  return result;
}

std::vector<InstalledCard> listed(const CudaDriver& driver) {
  int count = 0;
  const CudaResult result = driver.DeviceGetCount(&count);
  if (result != 0 || count < 1)
    throw Error(result != 0 ? "the cards cannot be counted: " + driver.text(result)
                            : std::string("the driver shows no card"),
                {}, "nvidia-smi -L lists cards, CUDA_VISIBLE_DEVICES hides them",
                ExitCode::unavailable);
  std::vector<InstalledCard> cards;
  for (int index = 0; index < count; ++index) cards.push_back(card(driver, index));
  return cards;
}

}  // namespace

int cuda_driver_here() {
  try {
    return CudaDriver().version();
  } catch (const Error&) {
    return 0;
  }
}

std::string cuda_driver_text(int driver) { return "CUDA " + cuda_version_text(driver); }

std::vector<InstalledCard> cuda_cards() { return listed(CudaDriver()); }

std::unique_ptr<GpuMachine> cuda_card(const InstalledCard& card) {
  return std::make_unique<DrivenCuda>(std::make_unique<CudaDriver>(), card);
}

std::string cuda_why_no_energy(const InstalledCard& card) {
  const std::optional<Nvml> nvml = Nvml::of(card.uuid);
  if (!nvml)
    return "there is no NVML that knows the card " + card.uuid +
           ", and nothing else tells energy: install the driver's libnvidia-ml.so.1 "
           "(ROOFTUNE_NVML names another)";
  return nvml->joules() > 0 ? ""
                            : "the card " + card.uuid + " counts no energy, as those before Volta";
}

}  // namespace rooftune::run
