// What a device address refers to, for code that follows the accesses that compiled code makes.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace rooftune::run {

struct DevicePlace {
  unsigned char* data = nullptr;  ///< the host's copy; nullptr: there is none
  uint64_t array = 0;             ///< its first address; 0 stands for all unknown ones
  double array_bytes = HUGE_VAL;
};
using DeviceBytes = std::function<DevicePlace(uint64_t address, size_t bytes)>;

}  // namespace rooftune::run
