// What a stand-in for NVIDIA's driver does with images and kernels: fake_driver runs those of
// fake_kernels.h and no other, ptx_executor executes PTX. Results are the driver's numbers.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rooftune::test {

/// Rooftune's own kernels, by which it looks at arrays of the card (run/cuda/card_checks.h): what
/// FAKE_CUDA says of kernels does not concern them.
constexpr const char *own_kernels = "rooftune_check_", *comparing_kernel = "rooftune_check_array";

struct DeviceArray {
  std::uint64_t start = 0;
  std::size_t bytes = 0;
};
/// What kernels may touch around this address: an array without the guards that Rooftune puts on
/// both sides. No bytes: there is none.
DeviceArray device_array(std::uint64_t address);

struct CodeLaunch {
  std::string kernel;
  void* module = nullptr;
  std::array<unsigned, 3> grid{}, block{};
  unsigned shared_bytes = 0;       ///< dynamic
  unsigned most_shared_bytes = 0;  ///< as the kernel's attribute allows
  void** arguments = nullptr;
};

int load_image(void** module, const void* image);
void unload_image(void* module);
int find_kernel(void* module, const std::string& kernel);
int run_kernel(const CodeLaunch& launch);
/// The host wrote to the card, or read what kernels may have written.
void inputs_changed();
void results_read();
/// What went wrong in the last of them.
const char* fault_of_code();

}  // namespace rooftune::test
