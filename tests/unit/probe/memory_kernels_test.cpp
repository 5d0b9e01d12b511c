// Tests that the bandwidth kernels touch the bytes they claim: all of them, and none beyond.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "probe/bench.h"
#include "probe/in_core_kernels.h"

using namespace rooftune;
using namespace rooftune;

namespace {

constexpr std::size_t page = 4096;

/// `bytes` (whole pages) between two pages that fault when touched.
class Fenced {
 public:
  explicit Fenced(std::size_t bytes) : bytes_(bytes) {
    mapping_ = static_cast<std::byte*>(mmap(nullptr, bytes + 2 * page, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(mapping_ != MAP_FAILED);
    madvise(mapping_, bytes + 2 * page, MADV_NOHUGEPAGE);
    mprotect(mapping_, page, PROT_NONE);
    mprotect(mapping_ + page + bytes, page, PROT_NONE);
  }
  ~Fenced() { munmap(mapping_, bytes_ + 2 * page); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  double* values() const { return reinterpret_cast<double*>(mapping_ + page); }
  std::byte* begin() const { return mapping_ + page; }
  std::size_t count() const { return bytes_ / sizeof(double); }
  void number(double from) const { std::iota(values(), values() + count(), from); }
  /// Pages that are present, by /proc/self/pagemap.
  std::size_t present() const {
    const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    REQUIRE(file >= 0);
    std::vector<std::uint64_t> entries(bytes_ / page);
    const auto offset = reinterpret_cast<std::uintptr_t>(begin()) / page * sizeof(std::uint64_t);
    const auto size = static_cast<ssize_t>(entries.size() * sizeof(std::uint64_t));
    REQUIRE(pread(file, entries.data(), static_cast<std::size_t>(size),
                  static_cast<off_t>(offset)) == size);
    close(file);
    return static_cast<std::size_t>(std::count_if(
        entries.begin(), entries.end(), [](std::uint64_t entry) { return (entry >> 63) != 0; }));
  }

 private:
  std::size_t bytes_;
  std::byte* mapping_;
};

/// Kernels of every width that this CPU has.
std::vector<StreamKernel> all_stream_kernels() {
  const CpuFeatures here = cpu_features();
  CpuFeatures narrow, middle;
  middle.fma = here.fma;
  middle.avx2 = here.avx2;
  std::map<std::pair<int, std::string>, StreamKernel> kernels;
  for (const CpuFeatures& features : {narrow, middle, here})
    for (const StreamKernel& kernel : stream_kernels(features))
      kernels[{kernel.simd_bits,
               word(kernel.mix) + std::string(kernel.non_temporal ? " nt" : "")}] = kernel;
  std::vector<StreamKernel> result;
  for (const auto& [key, kernel] : kernels) result.push_back(kernel);
  return result;
}

struct Streams {
  static constexpr std::size_t bytes = 3 * page;
  Fenced a{bytes}, b{bytes}, c{bytes};
  alignas(64) double sink[128] = {};
  StreamArguments arguments;

  Streams() {
    a.number(1);
    b.number(10001);
    c.number(20001);
    arguments.a = a.values();
    arguments.b = b.values();
    arguments.c = c.values();
    arguments.bytes = bytes;
    arguments.sink = sink;
    std::fill(std::begin(arguments.scalar), std::end(arguments.scalar), -0.5);
  }
};

double expected(const StreamKernel& kernel, double a, double b, double c) {
  if (kernel.mix == StreamMix::store) return -0.5;
  if (kernel.mix == StreamMix::copy) return b;
  if (kernel.mix == StreamMix::triad) return b - 0.5 * c;
  if (kernel.mix == StreamMix::update) return -0.5 * a;
  if (kernel.mix == StreamMix::load2_store1) return c;
  return a;
}

}  // namespace

TEST_CASE("Stream kernels compute their formula for every element and touch nothing else") {
  for (const StreamKernel& kernel : all_stream_kernels()) {
    CAPTURE(kernel.mix, kernel.non_temporal, kernel.simd_bits);
    REQUIRE(Streams::bytes % kernel.chunk == 0);
    Streams streams;
    kernel.run(streams.arguments);
    for (std::size_t i = 0; i < streams.a.count(); ++i) {
      const auto x = static_cast<double>(i);
      REQUIRE(streams.a.values()[i] == expected(kernel, x + 1, x + 10001, x + 20001));
      REQUIRE(streams.b.values()[i] == x + 10001);
      REQUIRE(streams.c.values()[i] == x + 20001);
    }
  }
}

TEST_CASE("Update makes as many passes as asked") {
  for (const StreamKernel& kernel : all_stream_kernels()) {
    if (kernel.mix != StreamMix::update) continue;
    CAPTURE(kernel.simd_bits);
    Streams streams;
    streams.arguments.passes = 7;
    kernel.run(streams.arguments);
    for (std::size_t i = 0; i < streams.a.count(); ++i)
      REQUIRE(streams.a.values()[i] == (static_cast<double>(i) + 1) * -0x1p-7);
  }
}

TEST_CASE("Load brings every vector of a chunk and every page of a buffer") {
  for (const StreamKernel& kernel : all_stream_kernels()) {
    if (kernel.mix != StreamMix::load) continue;
    CAPTURE(kernel.simd_bits);
    Streams streams;
    streams.arguments.bytes = kernel.chunk;
    kernel.run(streams.arguments);
    for (std::size_t i = 0; i < kernel.chunk / sizeof(double); ++i)
      CHECK(streams.sink[i] == static_cast<double>(i) + 1);

    const Fenced fresh(64 * page);
    REQUIRE(fresh.present() == 0);
    streams.arguments.a = fresh.values();
    streams.arguments.bytes = 64 * page;
    kernel.run(streams.arguments);
    CHECK(fresh.present() == 64);
  }
}

TEST_CASE("Nominal bytes and read shares follow from the arrays") {
  for (const StreamKernel& kernel : all_stream_kernels()) {
    CAPTURE(kernel.mix);
    CHECK(kernel.chunk == 16U * static_cast<unsigned>(kernel.simd_bits) / 8);
    const int writes = kernel.mix == StreamMix::load ? 0 : 1;
    CHECK(kernel.reads == Approx(1.0 - static_cast<double>(writes) / kernel.bytes_per_byte));
    CHECK(kernel.bytes_per_byte == (kernel.mix == StreamMix::update ? 2 : kernel.arrays));
  }
}

TEST_CASE("Strided loads reach every line once per walk and the last group is what they say") {
  for (const int stride : strides()) {
    CAPTURE(stride);
    constexpr std::int64_t groups = 2;
    const auto lines = static_cast<std::size_t>(stride) / line_bytes;
    const std::size_t bytes =
        (groups * strided_group * static_cast<std::size_t>(stride) + page - 1) / page * page;
    const Fenced memory(bytes);
    REQUIRE(strided_kernel(stride) != nullptr);
    // one phase, one group: exactly the eight addresses of that stride
    for (std::int64_t phase = 0; phase < static_cast<std::int64_t>(lines); ++phase) {
      auto* integers = reinterpret_cast<std::uint64_t*>(memory.begin());
      std::fill(integers, integers + bytes / 8, 1);
      std::uint64_t sum = 0;
      for (std::uint64_t i = 0; i < 8; ++i) {
        const std::uint64_t value = std::uint64_t{1} << (8 * i);
        integers[static_cast<std::size_t>(phase) * line_bytes / 8 +
                 (8 + i) * static_cast<std::size_t>(stride) / 8] = value;
        sum += value;
      }
      CHECK(strided_kernel(stride)(memory.begin(), groups, phase + 1, 3) == sum);
    }
  }
  CHECK(strided_kernel(24) == nullptr);
}

TEST_CASE("Strided loads touch every page of their range") {
  constexpr std::int64_t groups = 4;
  const Fenced memory(groups * strided_group * 4096);
  strided_kernel(4096)(memory.begin(), groups, 1, 1);
  CHECK(memory.present() == groups * strided_group);
}

TEST_CASE("A cycle visits every line once before it returns") {
  Memory memory(1 << 20, false);
  constexpr std::size_t bytes = 256 << 10, lines = bytes / line_bytes;
  memory.link(bytes);
  CHECK(memory.cycles() == 1);
  memory.link(bytes);
  CHECK(memory.cycles() == 1);
  std::set<void*> seen;
  void* place = memory.heads()[0];
  for (std::size_t i = 0; i < lines; ++i) {
    REQUIRE(place >= memory.begin());
    REQUIRE(place < memory.begin() + bytes);
    seen.insert(place);
    std::memcpy(&place, place, sizeof place);
  }
  CHECK(seen.size() == lines);
  CHECK(place == memory.heads()[0]);
}

TEST_CASE("Chases advance each chain by exactly the steps asked") {
  Memory memory(1 << 20, false);
  memory.link(512 << 10);
  for (const int misses : misses_in_flight()) {
    CAPTURE(misses);
    constexpr int steps = 25 * chase_unroll;
    void* heads[most_misses];
    std::copy(memory.heads().begin(), memory.heads().end(), heads);
    REQUIRE(chase_kernel(misses) != nullptr);
    chase_kernel(misses)(steps, heads);
    for (int i = 0; i < most_misses; ++i) {
      void* walked = memory.heads()[static_cast<std::size_t>(i)];
      for (int step = 0; i < misses && step < steps; ++step)
        std::memcpy(&walked, walked, sizeof walked);
      CHECK(heads[i] == walked);
    }
  }
  CHECK(chase_kernel(3) == nullptr);
}

TEST_CASE("Filling ends a cycle and leaves finite numbers") {
  Memory memory(1 << 20, false);
  memory.link(1 << 20);
  memory.fill(64 << 10);
  const auto* values = reinterpret_cast<const double*>(memory.begin());
  CHECK(std::all_of(values, values + (1 << 20) / sizeof(double),
                    [](double value) { return value > 0.1 && value < 0.9; }));
  memory.link(1 << 20);
  CHECK(memory.cycles() == 2);
}

TEST_CASE("Base pages are not backed by huge pages") {
  Memory memory(4 << 20, false);
  memory.touch(4 << 20);
  CHECK(memory.huge_share() == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(memory.begin()) % (2 << 20) == 0);
}

TEST_CASE("Huge pages are counted by the system, not assumed") {
  if (!topology().transparent_huge_pages) {
    WARN("skipped: this system offers no transparent huge pages");
    return;
  }
  Memory memory(8 << 20, true);
  CHECK(memory.huge_share() == 0);  // not touched yet
  memory.touch(8 << 20);
  if (memory.huge_share() < 1) WARN("the system gave fewer huge pages than asked for");
  CHECK(memory.huge_share() <= 1);
}
