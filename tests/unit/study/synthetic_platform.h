// A kernel, a machine and a platform whose times come from a formula: a whole study without a
// compiler, a clock or a card.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "roofline/machine_json.h"
#include "study/platform.h"
#include "study/run_study.h"
#include "support/machine_builder.h"
#include "support/scratch_folder.h"
#include "synthetic.h"

namespace rooftune::synthetic {

/// 1 + distance from (7, 3), in milliseconds, times n / 1000; nt_store saves a third.
inline double valley_of(const Configuration& c, const Facts& parameters) {
  return valley(c) * parameters.at("n").real() / 1000 * (c.at("nt_store").truth() ? 1 : 1.5);
}

class SyntheticRunner : public InputRunner {
 public:
  /// `before`: called before every trial; `counting`: what each count may take [s].
  SyntheticRunner(Facts parameters, std::function<void()> before, std::vector<double>& counting)
      : parameters_(std::move(parameters)),
        before_(std::move(before)),
        counting_(counting),
        evaluator_([this](const Configuration& c) { return valley_of(c, parameters_); }) {}
  Facts facts() override { return {{"rows", parameters_.at("n")}}; }
  void use(const SearchSpace&) override {}
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override {
    before_();
    Trial trial = evaluator_.evaluate(configuration, incumbent);
    trial.started = "2026-11-22T12:00:00Z";
    trial.measurement->samples = {{trial.measurement->seconds.value, 1, 0}};
    return trial;
  }
  Rounds race(const std::vector<Configuration>& configurations, const RacePlan& how,
              const Between& between) override {
    return evaluator_.race(configurations, how, between);
  }
  /// A model of half the time, and of none where y is 9.
  std::optional<CallTime> call_time(const Configuration& c, const Roofline&, Seconds) override {
    if (c.at("y") == Value(9)) return {};
    CallTime time;
    time.time = Seconds(valley_of(c, parameters_) / 2);
    return time;
  }
  CountedRun count(const Configuration& configuration, const std::string& provider, const Roofline&,
                   const CountingTime& time) override {
    counting_.push_back(time.limit);
    CountedRun run;
    run.configuration = configuration;
    run.provider = provider;
    run.absent_because = "a formula has no counters";
    run.seconds = time.limit;
    return run;
  }

 private:
  Facts parameters_;
  std::function<void()> before_;
  std::vector<double>& counting_;
  SyntheticEvaluator evaluator_;
};

class SyntheticPlatform : public Platform {
 public:
  std::size_t trials = 0, runners = 0;
  std::vector<double> counting_seconds;  ///< that each count was given
  std::function<void()> fail = [] {};    ///< called before every trial
  std::string machine_named(const StudySpec& spec) override { return spec.machine; }
  void require_here(const Machine&) override {}
  std::unique_ptr<InputRunner> runner(const PreparedStudy&, const Facts& parameters) override {
    ++runners;
    const auto before = [this] {
      ++trials;
      fail();
    };
    return std::make_unique<SyntheticRunner>(parameters, before, counting_seconds);
  }
  Facts backend_facts(const PreparedStudy&) override { return {}; }
  std::string compiler(const PreparedStudy&) override { return "none 1.0"; }
  std::vector<std::pair<std::string, std::string>> toolchain(const PreparedStudy& study) override {
    return {{"compiler", compiler(study)}};
  }
  std::vector<Ceiling> missing(const PreparedStudy&, const std::string&) override { return {}; }
  std::vector<Ceiling> anchors(const PreparedStudy& study,
                               const std::vector<std::string>&) override {
    if (study.machine.ceilings.empty()) return {};
    return {study.machine.ceilings[1]};
  }
  Machine as_usable(const PreparedStudy& study) override { return study.machine; }
  std::shared_ptr<void> reserve(const StudySpec&,
                                const std::function<void(const std::string&)>&) override {
    return nullptr;
  }
  std::string neighbours(int) override { return {}; }
  Roofs roofs(const PreparedStudy&, const std::vector<std::string>& names) override {
    if (!roof_rate) return {};
    return {names, [count = names.size(), rate = *roof_rate] { return std::vector(count, rate); }};
  }
  /// Of every ceiling beside a race; none: nothing can run beside one.
  std::optional<double> roof_rate;
  std::function<Environment()> watch(bool) override {
    return [] { return Environment{"quiet", {3e9, 3e9}}; };
  }
  std::vector<std::string> counter_providers(const std::string& word, bool) override {
    return word == "none" ? std::vector<std::string>{} : std::vector<std::string>{"formula"};
  }
  std::string no_counters_reason(bool) override { return "nobody counts"; }
};

/// The kernel's folder, the machine's file and the results of one test.
class SyntheticKernel {
 public:
  SyntheticKernel() {
    folder_.write("valley/kernel.json", manifest("8*n"));
    folder_.write("valley/reference.cpp", "// nothing is built\n");
    folder_.write("valley/openmp.cpp", "// nothing is built\n");
    folder_.write("valley/valley.openmp.json", space());
    Machine machine = test::plain_machine();
    machine.name = "synthetic";
    machine.id = "synthetic";
    machine.cores = 1;
    machine.ceilings = {test::core_ceiling("peak", 1e9),
                        test::stream("DRAM load", "DRAM", 1, 16e6, 1, {}, "load")};
    folder_.write("machines/synthetic.json", to_json(machine).dump(1));
    setenv("ROOFTUNE_MACHINES", (folder_.path() / "machines").c_str(), 1);
    setenv("ROOFTUNE_BEST_KNOWN", (folder_.path() / "best_known").c_str(), 1);
  }
  std::filesystem::path kernel() const { return folder_.path() / "valley"; }
  const testing::ScratchFolder& folder() const { return folder_; }

  /// `read`: the least traffic of the model.
  static std::string manifest(const std::string& read) {
    return R"({"schema": "rooftune-kernel-1", "name": "valley", "title": "a valley",
      "parameters": [{"name": "n", "type": "integer", "default": 1000},
                     {"name": "input", "type": "text", "default": "a"}],
      "arguments": [{"name": "n", "type": "int64", "value": "n"},
                    {"name": "y", "type": "double*", "count": "n", "access": "write"}],
      "work": {"least": {"fp64": "n"}, "nominal": "n", "items": "n", "item": "row"},
      "traffic": {"read": ")" +
           read + R"(", "write": "0", "footprint": "16*n"},
      "walls": [{"name": "write allocate", "breaks": "write_allocate", "read": "16*n",
                 "write": "0"}],
      "tolerance": {"relative": 1e-13, "absolute": 0, "scale": "max"},
      "reference": "reference.cpp", "backends": {"openmp": {"source": "openmp.cpp"}}})";
  }
  static std::string space() {
    return R"({"schema": "rooftune-space-1", "kernel": "valley", "backend": "openmp",
      "knobs": [
        {"name": "x", "kind": "compile", "values": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "default": 0,
         "breaks": ["ilp"], "doc": "x"},
        {"name": "y", "kind": "compile", "values": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "default": 0,
         "breaks": ["ilp"], "doc": "y"},
        {"name": "nt_store", "kind": "compile", "values": [false, true], "default": false,
         "breaks": ["write_allocate"], "doc": "stores past the caches"}],
      "constraints": []})";
  }
  StudySpec spec(std::uint64_t evaluations = 40) const {
    StudySpec spec;
    spec.kernel = kernel().string();
    spec.machine = "synthetic";
    spec.results = folder_.path() / "results";
    spec.budget = {.evaluations = evaluations};
    spec.builders = 1;
    return spec;
  }

 private:
  testing::ScratchFolder folder_;
};

}  // namespace rooftune::synthetic
