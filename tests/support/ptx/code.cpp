// The driver's images and launches by execution of PTX. PTX_EXECUTOR_SEED (1) is the order of
// threads. Only calls whose results are read are executed: those that are timed in between change
// nothing.
#include <cstdlib>

#include "support/device_code.h"
#include "support/ptx/machine.h"

namespace rooftune::test {
namespace {

enum Result { invalid_value = 1, invalid_ptx = 218, not_found = 500, launch_failed = 719 };

std::string fault;
bool is_read = false;

int failed(Result result, const std::string& words) {
  fault = words;
  return result;
}

std::uint64_t seed() {
  const char* const chosen = std::getenv("PTX_EXECUTOR_SEED");
  return chosen ? std::strtoull(chosen, nullptr, 10) : 1;
}

/// Why no card would launch it; empty: it can be.
std::string refusal(const CodeLaunch& launch, const ptx::Module& module,
                    const ptx::Function& kernel) {
  constexpr std::size_t without_request = 48 << 10, most_shared = 227 << 10;
  const std::size_t threads = std::size_t{launch.block[0]} * launch.block[1] * launch.block[2],
                    shared = module.static_shared + launch.shared_bytes;
  if (threads < 1 || threads > kernel.most_threads)
    return "a block of " + std::to_string(threads) + " threads, " + kernel.name + " is for " +
           std::to_string(kernel.most_threads);
  if (launch.grid[0] < 1 || launch.grid[1] < 1 || launch.grid[2] < 1 || launch.grid[1] > 65535 ||
      launch.grid[2] > 65535 || launch.block[2] > 64)
    return "a grid or a block that no card has";
  if (shared > most_shared ||
      (shared > without_request && launch.shared_bytes > launch.most_shared_bytes))
    return std::to_string(shared) +
           " bytes of shared memory without the attribute that asks for them";
  return {};
}

}  // namespace

int load_image(void** module, const void* image) {
  try {
    const std::string_view text = static_cast<const char*>(image);
    if (text.find(".version") == text.npos) throw ptx::Fault("an image that is no PTX");
    *module = ptx::parsed(std::string(text)).release();
    is_read = false;
    return 0;
  } catch (const std::exception& error) {
    return failed(invalid_ptx, error.what());
  }
}

void unload_image(void* module) { delete static_cast<ptx::Module*>(module); }

int find_kernel(void* module, const std::string& kernel) {
  const auto& functions = static_cast<ptx::Module*>(module)->functions;
  return functions.count(kernel) ? 0 : failed(not_found, "no kernel " + kernel);
}

int run_kernel(const CodeLaunch& launch) {
  if (is_read && launch.kernel.rfind(own_kernels, 0) != 0) return 0;
  auto& module = *static_cast<ptx::Module*>(launch.module);
  const ptx::Function& kernel = *module.functions.at(launch.kernel);
  if (const std::string why = refusal(launch, module, kernel); !why.empty())
    return failed(invalid_value, why);
  static std::uint64_t launches = 0;
  try {
    ptx::Machine(module, seed() + 7919 * ++launches)
        .run(kernel, {launch.grid, launch.block, launch.shared_bytes}, launch.arguments);
    return 0;
  } catch (const ptx::Fault& error) {
    return failed(launch_failed, error.what());
  }
}

void inputs_changed() { is_read = false; }
void results_read() { is_read = true; }

const char* fault_of_code() { return fault.c_str(); }

}  // namespace rooftune::test
