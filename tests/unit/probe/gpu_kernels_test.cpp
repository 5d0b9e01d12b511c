// The probe's kernels do the work that they declare: run thread by thread, with operands whose
// results count the operations and the bytes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "probe/gpu_plan.h"
#include "support/emulated_gpu_probe.h"

using namespace rooftune;
using namespace rooftune;
using rooftune::test::EmulatedGpuProbe;

namespace {

/// Two multiprocessors of 256 threads: grids of a few blocks.
CudaProperties small_card() {
  CudaProperties card;
  card.multiprocessors = 2;
  card.threads_per_multiprocessor = 256;
  card.shared_per_multiprocessor = card.shared_per_block = 48 << 10;
  card.l2_bytes = 64 << 10;
  return card;
}

constexpr std::int64_t buffer_bytes = 1 << 18;

template <class T>
std::vector<T> contents(CudaDevice& card, const void* start, std::int64_t count) {
  std::vector<T> result(static_cast<std::size_t>(count));
  card.download(result.data(), start, count * static_cast<std::int64_t>(sizeof(T)));
  return result;
}

/// Operands of ones; starting values `start`.
template <class T>
void set_operands(CudaDevice& card, void* operands, T one, T start) {
  std::vector<T> values(gpu_operands, one);
  std::fill(values.begin() + gpu_operands / 2, values.end(), start);
  card.upload(operands, values.data(), gpu_operands * static_cast<std::int64_t>(sizeof(T)));
}

double half_pair_sum(std::uint32_t pair) {
  double sum = 0;
  for (const std::uint32_t bits : {pair & 0xffff, pair >> 16}) {
    const int exponent = static_cast<int>(bits >> 10 & 0x1f);
    sum +=
        exponent == 0 ? 0 : std::ldexp(static_cast<double>((bits & 0x3ff) | 0x400), exponent - 25);
  }
  return sum;
}

/// What all threads returned, added up.
double total(CudaDevice& card, const GpuMemory& memory, const GpuExercise& exercise,
             const std::string& precision) {
  const std::int64_t count = exercise.blocks() * exercise.threads();
  double sum = 0;
  if (precision.starts_with("fp64"))
    for (const double x : contents<double>(card, memory.results(), count)) sum += x;
  else if (precision == "fp16")
    for (const auto x : contents<std::uint32_t>(card, memory.results(), count))
      sum += half_pair_sum(x);
  else
    for (const float x : contents<float>(card, memory.results(), count)) sum += double{x};
  return sum;
}

/// With ones as factors and summands and zeros to start with, a chain counts its steps; with ones
/// everywhere, a tile counts its products.
void set_counting(CudaDevice& card, const GpuMemory& memory, const std::string& precision) {
  const bool tensor = precision.ends_with("_tensor");
  void* const operands = memory.operands(precision);
  if (precision.starts_with("fp64")) set_operands<double>(card, operands, 1, tensor ? 1 : 0);
  if (precision == "fp32" || precision == "tf32_tensor")
    set_operands<float>(card, operands, 1, tensor ? 1.0f : 0.0f);
  if (precision.starts_with("fp16"))
    set_operands<std::uint32_t>(card, operands, 0x3c003c00, tensor ? 0x3c003c00 : 0);
  if (precision == "bf16_tensor")
    set_operands<std::uint32_t>(card, operands, 0x3f803f80, 0x3f803f80);
}

std::uint32_t word_sum(const std::vector<std::uint32_t>& words) {
  return std::accumulate(words.begin(), words.end(), std::uint32_t{0});
}

GpuTask named(const std::vector<GpuTask>& plan, const std::string& name) {
  const auto found = std::find_if(plan.begin(), plan.end(),
                                  [&](const GpuTask& task) { return task.ceiling.name == name; });
  REQUIRE(found != plan.end());
  return *found;
}

std::uint32_t returned(CudaDevice& card, const GpuMemory& memory, const GpuExercise& exercise) {
  return word_sum(
      contents<std::uint32_t>(card, memory.results(), exercise.blocks() * exercise.threads()));
}

}  // namespace

TEST_CASE("the emulation has every kernel of every card") {
  const auto names = test::planned_gpu_kernels(90);
  CHECK(names == test::emulated_gpu_kernels());
  CHECK(test::planned_gpu_kernels(80).size() + 1 == names.size());
  CHECK(test::planned_gpu_kernels(70).size() + 5 == names.size());
}

TEST_CASE("kernels that compute do as many operations as they declare") {
  EmulatedGpuProbe card(small_card());
  const GpuMemory memory(card, buffer_bytes);
  for (const GpuTask& task : gpu_in_core_plan(90, Extent::full)) {
    const std::string& precision = task.ceiling.precision;
    INFO(task.ceiling.name);
    set_counting(card, memory, precision);
    GpuExercise exercise(task, memory);
    exercise.amount = 3;
    const auto window = exercise.run();
    CHECK(window.clock > 0);
    // Every step and every product is a multiplication and an addition.
    CHECK(exercise.units() == 2 * total(card, memory, exercise, precision));
  }
  CHECK(card.damage().empty());
}

TEST_CASE("chains of random operands do not leave the range of their precision") {
  EmulatedGpuProbe card(small_card());
  const GpuMemory memory(card, buffer_bytes);
  for (const GpuTask& task : gpu_in_core_plan(90, Extent::full)) {
    INFO(task.ceiling.name);
    GpuExercise exercise(task, memory);
    exercise.amount = 20;
    exercise.run();
    const double sum = total(card, memory, exercise, task.ceiling.precision);
    CHECK(std::isfinite(sum));
    CHECK(sum != 0);
  }
}

TEST_CASE("kernels that read sum every byte as often as they declare") {
  EmulatedGpuProbe card(small_card());
  const GpuMemory memory(card, buffer_bytes);
  const GpuTask far = named(gpu_memory_plan(buffer_bytes, Extent::quick), "DRAM load");
  GpuExercise exercise(far, memory);
  exercise.amount = 3;
  exercise.run();
  const auto walked = static_cast<std::int64_t>(exercise.walked());
  CHECK(walked <= buffer_bytes);
  CHECK(walked > buffer_bytes / 2);
  CHECK(exercise.units() == 3.0 * static_cast<double>(walked));
  CHECK(returned(card, memory, exercise) ==
        3 * word_sum(contents<std::uint32_t>(card, memory.array(0), walked / 4)));
}

TEST_CASE("blocks sum their own windows, through L1 and in shared memory") {
  EmulatedGpuProbe card(small_card());
  const GpuMemory memory(card, buffer_bytes);
  const auto plan = gpu_l1_plan(64 << 10);
  GpuExercise near(named(plan, "L1 load"), memory);
  near.amount = 2;
  near.run();
  const auto walked = static_cast<std::int64_t>(near.walked());
  CHECK(near.units() == 2.0 * static_cast<double>(walked));
  CHECK(returned(card, memory, near) ==
        2 * word_sum(contents<std::uint32_t>(card, memory.array(0), walked / 4)));
  GpuExercise shared(named(plan, "shared load"), memory);
  shared.amount = 2;
  shared.run();
  const auto tile = static_cast<std::int64_t>(shared.walked());
  CHECK(shared.units() == 2.0 * static_cast<double>(tile * shared.blocks()));
  CHECK(returned(card, memory, shared) ==
        static_cast<std::uint32_t>(2 * shared.blocks()) *
            word_sum(contents<std::uint32_t>(card, memory.array(0), tile / 4)));
  CHECK(card.damage().empty());
}

TEST_CASE("streams write what they should, and count what they move") {
  EmulatedGpuProbe card(small_card());
  const GpuMemory memory(card, buffer_bytes);
  const auto plan = gpu_memory_plan(buffer_bytes, Extent::quick);
  const auto doubles = [&](int array) {
    return contents<double>(card, memory.array(array), buffer_bytes / 8);
  };
  const std::vector<double> a = doubles(0), b = doubles(1);
  struct Stream {
    const char* name;
    int arrays, target;
    double moved;  ///< arrays walked per pass
    double (*wanted)(double a, double b);
  };
  for (const Stream& stream :
       {Stream{"DRAM scale", 2, 2, 2, [](double x, double) { return -x; }},
        Stream{"DRAM triad", 3, 2, 3, [](double x, double y) { return x - y; }},
        Stream{"DRAM update", 1, 1, 2, [](double, double y) { return -y; }}}) {
    INFO(stream.name);
    GpuExercise exercise(named(plan, stream.name), memory);
    exercise.run();
    const double each = exercise.walked() / stream.arrays;
    CHECK(exercise.units() == stream.moved * each);
    const auto after = doubles(stream.target);
    bool right = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(each / 8); ++i)
      right = right && after[i] == stream.wanted(a[i], b[i]);
    CHECK(right);
  }
  GpuExercise store(named(plan, "DRAM store"), memory);
  store.amount = 2;
  store.run();
  CHECK(store.units() == 2 * store.walked());
  const auto stored = doubles(2);
  bool right = true;
  for (std::size_t i = 0; 2 * i < static_cast<std::size_t>(store.walked() / 8); ++i)
    right = right && stored[2 * i] == static_cast<double>(i) && stored[2 * i + 1] == 1;
  CHECK(right);
  CHECK(card.damage().empty());
}

TEST_CASE("strides take one word each, random access as many as declared") {
  EmulatedGpuProbe card(small_card());
  const GpuMemory memory(card, buffer_bytes);
  const auto plan = gpu_memory_plan(buffer_bytes, Extent::full);
  const auto words = contents<std::uint64_t>(card, memory.array(0), buffer_bytes / 8);
  for (const std::size_t stride : {16, 32, 64, 128}) {
    GpuExercise exercise(named(plan, "DRAM load stride" + std::to_string(stride)), memory);
    exercise.run();
    const auto count = static_cast<std::size_t>(exercise.units() / 8);
    CHECK(exercise.walked() == static_cast<double>(count * stride));
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < count; ++i)
      sum += static_cast<std::uint32_t>(words[i * stride / 8]);
    INFO(stride);
    CHECK(returned(card, memory, exercise) == sum);
  }
  GpuExercise random(named(plan, "DRAM random"), memory);
  random.amount = 2;
  random.run();
  const std::int64_t threads = random.blocks() * random.threads();
  CHECK(random.units() == static_cast<double>(threads) * 2 * gpu_items * 8);
  std::uint32_t sum = 0;
  for (std::int64_t thread = 0; thread < threads; ++thread) {
    std::uint64_t state = static_cast<std::uint64_t>(thread) * 0x9e3779b97f4a7c15ull;
    for (int load = 0; load < 2 * gpu_items; ++load) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      sum += static_cast<std::uint32_t>(words[(state >> 33) & (words.size() - 1)]);
    }
  }
  CHECK(returned(card, memory, random) == sum);
}

TEST_CASE("a chase visits every line of its window once a round") {
  EmulatedGpuProbe card(small_card());
  const GpuMemory memory(card, buffer_bytes);
  for (const GpuTask& task : {named(gpu_l1_plan(64 << 10), "L1 latency"),
                              named(gpu_l2_plan(16 << 10, Extent::quick), "L2 latency")}) {
    GpuExercise exercise(task, memory);
    const auto lines = static_cast<std::int64_t>(exercise.walked()) / gpu_line_bytes;
    CHECK(lines == 128);
    // Each launch goes on where the one before has ended.
    exercise.amount = 2;
    CHECK(exercise.units() == 8.0 * 2);
    std::set<std::uint32_t> places;
    for (std::int64_t launch = 0; launch < lines / 2; ++launch) {
      exercise.run();
      places.insert(contents<std::uint32_t>(card, memory.results(), 1).front());
    }
    CHECK(static_cast<std::int64_t>(places.size()) == lines / 2);
    CHECK(contents<std::uint32_t>(card, memory.results(), 1).front() == 0);
  }
}
