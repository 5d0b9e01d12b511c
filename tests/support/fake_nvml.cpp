// NVIDIA's management library without a card, in the same file as the driver: an A100, when
// FAKE_CUDA says "nvml=1". It is quiet but for
//   clock=N          MHz of its multiprocessors now; 1410 otherwise, the most
//   reasons=N        nvmlClocksEventReasons
//   held_power=N, held_heat=N   per cent of the time for which they keep its clock down
//   other=PID        a process with work on it, beside the one that asks
//   unsupported=1    knows the card, and nothing of it
//   garbage=1        clocks, counts and counters that cannot be
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "support/fake_card.h"

using namespace rooftune::test::fake_card;

namespace {

constexpr int not_supported = 3;
int card, slice;  // their addresses are handles

bool is_garbage() { return number("garbage") != 0; }
/// A slice has no clock of its own.
int answer(const void* handle) {
  return number("unsupported") != 0 || handle != &card ? not_supported : 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return number("nvml") != 0 ? 0 : 9; }
int nvmlDeviceGetHandleByUUID(const char* uuid, void** handle) {
  *handle = std::strncmp(uuid, "MIG-", 4) == 0 ? &slice : &card;
  return std::strncmp(uuid + 4, "a0a0a0a0", 8) == 0 ? 0 : 6;
}
int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void* handle, void** of) {
  if (handle == &slice) *of = &card;
  return handle == &slice ? 0 : 2;
}
int nvmlDeviceGetClockInfo(void* handle, int, unsigned* mhz) {
  *mhz = is_garbage() ? ~0u : static_cast<unsigned>(number("clock", "1410"));
  return answer(handle);
}
int nvmlDeviceGetMaxClockInfo(void* handle, int, unsigned* mhz) {
  *mhz = is_garbage() ? 0 : 1410;
  return answer(handle);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* handle, unsigned long long* reasons) {
  *reasons = static_cast<unsigned long long>(number("reasons"));
  return answer(handle);
}
int nvmlDeviceGetViolationStatus(void* handle, int counter, unsigned long long* time) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto nanoseconds = static_cast<unsigned long long>(std::chrono::nanoseconds(now).count());
  const int share = number(counter == 0 ? "held_power" : "held_heat");
  time[0] = nanoseconds / 1000;
  // One that runs backwards, as after a reset.
  time[1] = is_garbage() ? ~0ull - nanoseconds
                         : nanoseconds / 100 * static_cast<unsigned long long>(share);
  return answer(handle);
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, void* all) {
  struct Process {
    unsigned pid;
    unsigned long long bytes;
    unsigned instance, compute_instance;
  };
  auto* const processes = static_cast<Process*>(all);
  processes[0].pid = static_cast<unsigned>(getpid());
  processes[1].pid = static_cast<unsigned>(is_garbage() ? 0x7ffffff0 : number("other"));
  *count = is_garbage() ? ~0u : 2;
  return number("unsupported") != 0 ? not_supported : 0;
}

}  // extern "C"
