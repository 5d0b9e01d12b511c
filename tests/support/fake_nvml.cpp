// NVIDIA's management library without a card, in the same file as the driver: an A100 at 250 W,
// when FAKE_CUDA says "nvml=1"; "others=N": so many processes of others compute on it.
#include <unistd.h>

#include <cstring>

#include "support/fake_card.h"

using namespace rooftune::test::fake_card;

extern "C" {

int nvmlInit_v2() { return number("nvml") != 0 ? 0 : 1; }
int nvmlDeviceGetHandleByUUID(const char* uuid, void** card) {
  *card = &milliseconds;
  return std::strncmp(uuid, "GPU-a0a0", 8) == 0 ? 0 : 6;
}
int nvmlDeviceGetClockInfo(void*, int kind, unsigned* mhz) {
  *mhz = kind == 1 ? 1410 : 1215;
  return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  *celsius = 55;
  return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 250500;
  return 0;
}
/// The software power cap; and that the card is idle when nothing was launched since it was asked.
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 4 + 1;
  return 0;
}
/// This process and as many of others as "others=" says.
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, void* all) {
  struct Process {
    unsigned pid;
    unsigned long long bytes;
    unsigned instance, compute_instance;
  };
  auto* const processes = static_cast<Process*>(all);
  const auto others = static_cast<unsigned>(number("others"));
  processes[0].pid = static_cast<unsigned>(getpid());
  // The first process of the machine is nobody's sibling.
  for (unsigned i = 1; i <= others; ++i) processes[i].pid = 1;
  *count = 1 + others;
  return 0;
}

}  // extern "C"
