// A program on this computer as the one input of its study.
#pragma once
#include "os/temporary_directory.h"
#include "run/command_evaluator.h"
#include "study/platform.h"

namespace rooftune::inline host {

class CommandRunner : public InputRunner {
 public:
  explicit CommandRunner(const RunnerRequest& request)
      : evaluator_(request.kernel, request.parameters, request.builders, scratch_.path()) {}
  Facts facts() override { return {}; }
  void use(const SearchSpace& space) override { evaluator_.use(space); }
  void build(const std::vector<Configuration>& configurations) override {
    evaluator_.build(configurations);
  }
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override {
    return evaluator_.evaluate(configuration, incumbent);
  }
  Rounds race(const std::vector<Configuration>& configurations, int rounds, std::uint64_t seed,
              const Between& between) override {
    return evaluator_.race(configurations, rounds, seed, between);
  }
  CountedRun count(const Configuration& configuration, const std::string& provider,
                   const Machine& machine, double seconds) override;

  const CommandEvaluator& evaluator() const { return evaluator_; }

 private:
  TemporaryDirectory scratch_;
  CommandEvaluator evaluator_;
};

/// The runner as HostPlatform made it for a program.
const CommandRunner& command_runner(const InputRunner& runner);

}  // namespace rooftune::inline host
