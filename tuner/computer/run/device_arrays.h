// Memory that stands for a card's: as much as the card has, of which only what is written takes
// room here.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>

namespace rooftune::run {

class DeviceArrays {
 public:
  DeviceArrays() = default;
  DeviceArrays(const DeviceArrays&) = delete;
  DeviceArrays& operator=(const DeviceArrays&) = delete;
  ~DeviceArrays();
  /// All zeros. Where this computer refuses it: an address that at() does not know.
  void* allocate(std::int64_t bytes);
  void release(void* start) noexcept;
  /// Zeros again.
  void clear(void* start, std::int64_t bytes);
  /// nullptr outside of all arrays.
  unsigned char* at(std::uint64_t address, std::size_t bytes) const;

 private:
  std::map<std::uint64_t, std::size_t> bytes_;  ///< by start
  std::uint64_t refused_ = 0;                   ///< bytes so far
};

}  // namespace rooftune::run
