// The model of the caches against what can be worked out by hand.
#include "instrumentation/cache_model.h"

#include <catch2/catch.hpp>
#include <numeric>

using namespace rooftune;

namespace {

constexpr std::size_t kib = 1024;

CacheTraffic total(const CacheModel& model, std::size_t level) {
  CacheTraffic sum;
  for (int one = 0; one < CacheModel::classes; ++one) {
    sum.read += model.traffic(level, one).read;
    sum.written += model.traffic(level, one).written;
  }
  return sum;
}

/// Walks over `bytes` from `from` in steps of 8.
template <class Access>
void walk(std::uint64_t from, std::uint64_t bytes, const Access& access) {
  for (std::uint64_t at = from; at < from + bytes; at += 8) access(at);
}

}  // namespace

TEST_CASE("a first walk reads every line once, a second one only what did not fit") {
  CacheModel model({{"L1", 32 * kib, 8, 1}, {"L2", 256 * kib, 8, 1}}, 1);
  const auto read = [&](std::uint64_t at) { model.load(0, at, 8); };
  walk(0, 64 * kib, read);
  CHECK(total(model, 0).read == 64 * kib);
  CHECK(total(model, 1).read == 64 * kib);
  model.reset_traffic();
  walk(0, 64 * kib, read);
  CHECK(total(model, 0).read == 64 * kib);  // LRU keeps nothing of a walk twice its size
  CHECK(total(model, 1).read == 0);
  model.reset_traffic();
  walk(0, 16 * kib, read);
  walk(0, 16 * kib, read);
  CHECK(total(model, 0).read == 16 * kib);
}

TEST_CASE("stores allocate, dirty lines are written back once") {
  CacheModel model({{"L1", 32 * kib, 8, 1}}, 1);
  walk(0, 128 * kib, [&](std::uint64_t at) { model.store(0, at, 8); });
  CHECK(total(model, 0).read == 128 * kib);
  CHECK(total(model, 0).written == 96 * kib);
  model.flush();
  CHECK(total(model, 0).written == 128 * kib);
}

TEST_CASE("the model says its caches with their unit") {
  const CacheModel model({{"L1", 32 * kib, 8, 1}, {"L2", 256 * kib, 8, 2}}, 2);
  CHECK(model.description() ==
        "L1 32 KiB in 8 ways (for all threads), L2 256 KiB in 8 ways (one for each of 2 threads)");
}

TEST_CASE("a window too short to fill the caches counts what will be written back") {
  CacheModel model({{"L1", 32 * kib, 8, 1}, {"L2", 256 * kib, 8, 1}}, 1);
  model.reset_traffic(2);
  for (int pass = 0; pass < 2; ++pass)
    walk(0, 128 * kib, [&](std::uint64_t at) { model.store(0, at, 8); });
  CHECK(total(model, 0).written == 256 * kib);
  // The last lines are still on their way there; none is written twice.
  CHECK(total(model, 1).written == 128 * kib);
}

TEST_CASE("streamed stores pass the caches and take the line out of them") {
  CacheModel model({{"L1", 32 * kib, 8, 1}, {"L2", 256 * kib, 8, 1}}, 1);
  walk(0, 8 * kib, [&](std::uint64_t at) { model.stream(0, at, 8); });
  CHECK(total(model, 1).read == 0);
  CHECK(total(model, 1).written == 8 * kib);
  CHECK(total(model, 0).written == 8 * kib);
  model.load(0, 0, 8);
  model.stream(0, 0, 64);
  model.reset_traffic();
  model.load(0, 0, 8);
  CHECK(total(model, 1).read == 64);
}

TEST_CASE("lines that fall into one set push each other out") {
  CacheModel model({{"L1", 32 * kib, 8, 1}}, 1);
  for (int round = 0; round < 10; ++round)
    for (std::uint64_t i = 0; i < 9; ++i) model.load(0, i * 4 * kib, 8);
  CHECK(total(model, 0).read == 90 * 64);
  model.reset_traffic();
  for (int round = 0; round < 10; ++round)
    for (std::uint64_t i = 0; i < 9; ++i) model.load(0, i * (4 * kib + 64), 8);
  CHECK(total(model, 0).read < 20 * 64);
}

TEST_CASE("an access across two lines touches both") {
  CacheModel model({{"L1", 32 * kib, 8, 1}}, 1);
  model.load(0, 60, 8);
  CHECK(total(model, 0).read == 128);
}

TEST_CASE("private caches do not help each other, a written line is fetched again") {
  CacheModel model({{"L1", 32 * kib, 8, 2}, {"L3", 1024 * kib, 16, 1}}, 2);
  model.load(0, 0, 8);
  model.load(1, 0, 8);
  CHECK(total(model, 0).read == 128);
  CHECK(total(model, 1).read == 64);
  model.load(0, 0, 8);
  CHECK(total(model, 0).read == 128);
  model.store(1, 0, 8);
  CHECK(total(model, 0).read == 128);
  model.load(0, 0, 8);
  CHECK(total(model, 0).read == 192);
  CHECK(total(model, 0).written == 64);
  CHECK(total(model, 1).read == 64);
  model.store(0, 64, 8);
  model.store(1, 64, 8);
  model.store(0, 64, 8);
  CHECK(total(model, 0).read == 192 + 3 * 64);
}

TEST_CASE("classes of lines add up to the whole, whichever are simulated") {
  const std::vector<CacheShape> shapes{{"L1", 32 * kib, 8, 1}, {"L2", 300 * kib, 8, 1}};
  CacheModel all(shapes, 1), even(shapes, 1), odd(shapes, 1);
  std::vector<int> first, second;
  for (int one = 0; one < CacheModel::classes; ++one) (one % 2 ? second : first).push_back(one);
  even.sample(first);
  odd.sample(second);
  std::uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const std::uint64_t at = (state >> 33) % (512 * kib);
    for (CacheModel* model : {&all, &even, &odd})
      i % 3 ? model->load(0, at, 8) : model->store(0, at, 8);
  }
  for (std::size_t level = 0; level < 2; ++level) {
    CHECK(total(all, level).read == total(even, level).read + total(odd, level).read);
    CHECK(total(all, level).written == total(even, level).written + total(odd, level).written);
  }
}

TEST_CASE("lines placed by chance do not meet where strided ones do") {
  const std::vector<CacheShape> shapes{{"L1", 32 * kib, 8, 1}};
  CacheModel ordered(shapes, 1), scattered(shapes, 1, true);
  for (CacheModel* model : {&ordered, &scattered})
    for (int round = 0; round < 10; ++round)
      for (std::uint64_t i = 0; i < 64; ++i) model->store(0, i * 4 * kib, 8);
  CHECK(total(ordered, 0).read == 640 * 64);
  CHECK(total(scattered, 0).read < 100 * 64);
}
