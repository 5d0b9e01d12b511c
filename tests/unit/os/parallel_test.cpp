// Work on several threads, and commands that they run at the same time.
#include "os/parallel.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <latch>
#include <stdexcept>
#include <vector>

#include "os/subprocess.h"

using namespace rooftune;

TEST_CASE("every number is worked on once, on as many threads as were asked for") {
  for (const std::size_t threads : {1u, 3u, 100u}) {
    std::vector<std::atomic<int>> calls(17);
    std::atomic<std::size_t> now{0}, most{0};
    in_parallel(calls.size(), threads, [&](std::size_t i) {
      const std::size_t here = ++now;
      for (std::size_t seen = most; here > seen && !most.compare_exchange_weak(seen, here);) {
      }
      ++calls[i];
      --now;
    });
    for (const auto& count : calls) CHECK(count == 1);
    CHECK(most <= threads);
  }
  in_parallel(0, 4, [](std::size_t) { FAIL("there is nothing to do"); });
  std::latch all(3);
  in_parallel(3, 3, [&](std::size_t) { all.arrive_and_wait(); });
}

TEST_CASE("a fault ends the work and is thrown when everybody has ended") {
  std::atomic<std::size_t> begun{0};
  CHECK_THROWS_WITH(in_parallel(1000, 1,
                                [&](std::size_t i) {
                                  ++begun;
                                  if (i == 2) throw std::runtime_error("the third");
                                }),
                    "the third");
  CHECK(begun == 3);
  CHECK_THROWS_WITH(in_parallel(4, 4, [](std::size_t) { throw std::runtime_error("each"); }),
                    "each");
}

TEST_CASE("commands of several threads never end each other") {
  Command crowd;
  crowd.argv = {ROOFTUNE_CHILD_OWNER, "--crowd"};
  const Finished finished = execute(crowd);
  INFO(finished.output);
  CHECK(finished.status.text() == "exit code 0");
}
