// What a trial of a kernel that takes no time costs: process, arrays, loading, comparing twice;
// three samples of 10 us are in it, building is not.
//   trial_cost worker=build/release/bin/tune [trials=300] [n=1000] [out=trial_cost.json]
// The caller leaves the machine alone meanwhile.
#include <fmt/format.h>

#include <chrono>

#include "core/file.h"
#include "trial/statistics.h"
#define ROOFTUNE_TEST_WORKER "tune"
#include "support/kernel_folder.h"
#include "tuner_run.h"

using namespace rooftune;
using namespace rooftune::testing;

int main(int argc, char** argv) try {
  const auto words = arguments(
      argc, argv, {{"worker", ""}, {"trials", "300"}, {"n", "1000"}, {"out", "trial_cost.json"}});
  RunLimits limits;
  limits.sample_seconds = 1e-5;
  limits.trial_seconds = 0;
  limits.min_samples = limits.max_samples = 3;
  const KernelFolder folder = misbehaving_kernel();
  Bench bench(folder.kernel(), misbehaviours(), limits, {{"n", Value(std::stoi(words.at("n")))}});
  setenv("ROOFTUNE_WORKER", words.at("worker").c_str(), 1);
  // Builds it, runs the reference and starts the worker.
  const Trial first = bench.evaluate(bench.space().baseline());
  if (!first.ok()) throw Error(first.detail);
  std::vector<double> seconds;
  for (int i = 0; i < std::stoi(words.at("trials")); ++i) {
    const auto begin = std::chrono::steady_clock::now();
    bench.evaluate(bench.space().baseline());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    seconds.push_back(took.count());
  }
  const Estimate median = quantile_interval(seconds, 0.5, 0.95);
  fmt::print("{} trials: median {:.3f} ms [{:.3f}, {:.3f}], 90 % below {:.3f} ms\n", seconds.size(),
             1e3 * median.value, 1e3 * median.low, 1e3 * median.high, 1e3 * quantile(seconds, 0.9));
  write_atomically(words.at("out"), Json{{"trials", seconds.size()},
                                         {"median", median.value},
                                         {"low", median.low},
                                         {"high", median.high},
                                         {"ninety_percent", quantile(seconds, 0.9)}}
                                            .dump(1) +
                                        "\n");
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "trial_cost: {}\n", error.what());
  return 1;
}
