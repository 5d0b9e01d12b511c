// What one look-up costs an application, by the number of exports of its kernel:
//   look_up_time [problems=1,4,16,64] [rounds=200000]
// Two machines have exports for each problem. Figures are nanoseconds of wall time, the least and
// the median of 20 rounds. Build it with optimisation.
#include <rooftune/tuned_configurations.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "support/scratch_folder.h"

using namespace rooftune;

namespace {

void write_exports(const testing::ScratchFolder& folder, int problems) {
  for (int i = 0; i < problems; ++i)
    for (const std::string& machine : {std::string(this_machine().id), std::string("another")})
      folder.write(std::to_string(i) + machine + ".json",
                   R"({"schema": "rooftune-export-1", "kernel": "spmv", "machine": {"id": ")" +
                       machine + R"("}, "problem": {"generator": "fem", "n": )" +
                       std::to_string(1000 << (i % 20)) + R"(, "bands": )" + std::to_string(i + 1) +
                       R"(}, "configuration": {"unroll": 4, "format": "sell", "chunk": 16}})");
}

/// Seconds per look-up, with the knobs of its answer.
double seconds(const TunedConfigurations& all, int rounds) {
  const auto start = std::chrono::steady_clock::now();
  std::int64_t sum = 0;
  for (int i = 0; i < rounds; ++i) {
    const TunedConfiguration best =
        all.find("spmv", {{"n", 1000 + i}, {"bands", 9}, {"generator", "fem"}});
    sum += best.integer("unroll", 1) + best.integer("chunk", 1);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  // The sum keeps the loop.
  return sum == 20 * std::int64_t{rounds} ? took.count() / rounds : -1;
}

}  // namespace

int main(int argc, char** argv) {
  std::istringstream problems(argc > 1 ? argv[1] : "1,4,16,64");
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 200'000;
  std::printf("%8s %12s %12s\n", "exports", "least [ns]", "median [ns]");
  for (std::string number; std::getline(problems, number, ',');) {
    const testing::ScratchFolder folder;
    write_exports(folder, std::atoi(number.c_str()));
    const TunedConfigurations all(folder.path().c_str());
    std::vector<double> times(20);
    for (double& time : times) time = seconds(all, rounds / 20);
    std::sort(times.begin(), times.end());
    std::printf("%8zu %12.1f %12.1f\n", all.size(), 1e9 * times.front(), 1e9 * times[10]);
  }
  return 0;
}
