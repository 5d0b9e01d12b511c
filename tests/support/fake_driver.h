// Calls that the stand-in for NVIDIA's driver counts, in the order of its file: one 64-bit number
// each, of all processes together. The caller sets FAKE_CUDA_CALLS before the first of them starts.
#pragma once
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

namespace rooftune::test {

enum class FakeCall : std::size_t {
  launch,
  occupancy,
  function_attribute,
  out_of_memory,
  upload,
  uploaded_bytes,
  downloaded_bytes
};
constexpr std::size_t fake_calls = 7;

/// In the stand-in: so many more; of its own process alone where there is no file.
void count(FakeCall call, std::uint64_t number = 1);

inline std::uint64_t counted(const std::string& file, FakeCall call) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(sizeof(std::uint64_t) * static_cast<std::size_t>(call)));
  std::uint64_t count = 0;
  in.read(reinterpret_cast<char*>(&count), sizeof count);
  return count;
}

}  // namespace rooftune::test
