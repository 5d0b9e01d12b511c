// A list of cards by the driver.
#include <fmt/format.h>

#include <algorithm>

#include "build/cuda/nvrtc.h"
#include "core/error.h"
#include "run/cuda/driven_cuda.h"

namespace rooftune::run {
namespace {

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
  // By its number as a CUdevice_attribute; one unknown to an old driver stays 0.
  const auto attribute = [&](int which) {
    int value = 0;
    driver.DeviceGetAttribute(&value, which, device);
    return value;
  };
  std::size_t bytes = 0;
  driver.DeviceTotalMem(&bytes, device);
  GpuFacts& facts = result.facts;
  facts.devices = {result.name};
  facts.compute_capability = 10 * attribute(75) + attribute(76);
  facts.warp = std::max(attribute(10), facts.warp);
  facts.multiprocessors = attribute(16);
  facts.threads_per_multiprocessor = attribute(39);
  facts.blocks_per_multiprocessor = attribute(106);
  facts.registers_per_multiprocessor = attribute(82);
  facts.registers_per_block = attribute(12);
  facts.shared_per_multiprocessor = attribute(81);
  facts.shared_per_block = attribute(97);
  facts.shared_reserved = attribute(111);
  facts.l2 = attribute(38);
  facts.memory = static_cast<std::int64_t>(bytes);
  result.l2 = {attribute(108), attribute(109)};
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

}  // namespace rooftune::run
