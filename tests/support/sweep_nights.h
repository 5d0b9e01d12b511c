// Results of sweeps as they lie in a results folder, made up: for tests that look back over many
// nights without tuning in any of them.
#pragma once
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/json.h"
#include "core/rng.h"

namespace rooftune::test {

/// What one study of one night found.
struct MadeUpStudy {
  std::string kernel = "triad", machine = "host", compiler = "g++ 12.2.0";
  std::string machine_id = {};  ///< empty: one that follows from the name
  double seconds = 2e-3, bound = 1e-3;
  double rate = 3e10;  ///< of the binding ceiling, in that night [B/s]
  Json inconclusive = Json::array();
};

/// The figures of a study as a sweep keeps them.
inline Json made_up_result(const MadeUpStudy& study, const std::string& date) {
  const auto around = [](double value) {
    return Json{{"value", value}, {"low", 0.99 * value}, {"high", 1.01 * value}};
  };
  return {{"kernel", study.kernel},
          {"problem", "n=1000, matrix=a.mtx"},
          {"backend", "openmp"},
          {"machine", study.machine},
          {"machine_id", study.machine_id.empty() ? "id of " + study.machine : study.machine_id},
          {"cache", "warm"},
          {"threads", 2},
          {"amortize", 0},
          {"date", date},
          {"study", "0123456789abcdef0123456789abcdef"},
          {"seconds", around(study.seconds)},
          {"bound",
           {{"value", study.bound}, {"low", 0.98 * study.bound}, {"high", 1.02 * study.bound}}},
          {"gap", study.seconds / study.bound},
          {"speedup", 3},
          {"ceiling", "DRAM load 2t"},
          {"ceiling_rate", study.rate},
          {"ceiling_unit", "B/s"},
          {"compiler", study.compiler},
          {"version", "0.1.0"},
          {"configuration", {{"unroll", 4}}},
          {"inconclusive", study.inconclusive},
          {"doubts", {{"speedup", Json::array()}, {"gap", Json::array()}}},
          {"stop", "budget"},
          {"searched", 1},
          {"trials", {{"ok", 7}}}};
}

/// Nights of a results folder, one after the other.
class Nights {
 public:
  explicit Nights(std::filesystem::path results, std::string plan = "nightly")
      : root_(std::move(results) / "sweeps" / std::move(plan)) {}

  /// Begins a night; returns its folder.
  std::filesystem::path begin() {
    ++night_;
    run_ = root_ / (stamp('-') + ".00000000000000aa");
    std::filesystem::create_directories(run_);
    return run_;
  }
  void add(const std::string& name, const MadeUpStudy& study) const {
    write(name, "done", "", made_up_result(study, stamp(':')));
  }
  void add_failed(const std::string& name, const std::string& message) const {
    write(name, "failed", message, {});
  }
  void write(const std::string& name, const std::string& state, const std::string& message,
             const Json& result) const {
    const Json json{{"name", name}, {"state", state}, {"message", message}, {"result", result}};
    std::ofstream(run_ / (name + ".json")) << json_text(json) << '\n';
  }

 private:
  std::string stamp(char between) const {
    return fmt::format("20{:02}-{:02}-{:02}T03{}00{}00Z", 20 + night_ / 336, 1 + night_ / 28 % 12,
                       1 + night_ % 28, between, between);
  }
  std::filesystem::path root_, run_;
  int night_ = -1;
};

/// Several kernels on several machines. Kernel 1 gets slower by a third from half-time on, a card
/// of machine 1 is replaced by one that gives half, kernel 2 fails in the last night.
inline void simulate(const std::filesystem::path& results, int kernels, int machines, int nights) {
  Nights all(results);
  for (int night = 0; night < nights; ++night) {
    all.begin();
    const bool late = 2 * night >= nights;
    for (int k = 0; k < kernels; ++k)
      for (int m = 0; m < machines; ++m) {
        Rng noise(static_cast<std::uint64_t>(1 + k * machines + m),
                  static_cast<std::uint64_t>(night));
        MadeUpStudy study;
        study.kernel = fmt::format("kernel{:02}", k);
        study.machine = fmt::format("machine{}", m);
        const double slower = (k == 1 && late ? 4.0 / 3 : 1.0) * (m == 1 && late ? 2 : 1);
        study.bound = 1e-4 * (k + 1);
        study.seconds = study.bound * (1.05 + 0.2 * k) * slower * (1 + 0.01 * noise.unit());
        study.rate = 3e10 / (m == 1 && late ? 2 : 1) * (1 - 0.01 * noise.unit());
        const std::string name = study.kernel + "-" + study.machine;
        if (k == 2 && night + 1 == nights)
          all.add_failed(name, "no variant could be validated and measured");
        else
          all.add(name, study);
      }
  }
}

}  // namespace rooftune::test
