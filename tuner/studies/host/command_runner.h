// A program on this computer as the one input of its study.
#pragma once
#include "os/temporary_directory.h"
#include "run/command_evaluator.h"
#include "study/platform.h"
#include "trial/evaluator.h"

namespace rooftune::host {

class CommandRunner : public Forwarding<InputRunner> {
 public:
  explicit CommandRunner(const RunnerRequest& request)
      : evaluator_(request.kernel, request.parameters, request.builders, scratch_.path()) {}
  Facts facts() override { return {}; }
  void use(const SearchSpace& space) override { evaluator_.use(space); }
  CountedRun count(const Configuration& configuration, const std::string& provider,
                   const Machine& machine, double seconds) override;

  const CommandEvaluator& evaluator() const { return evaluator_; }

 private:
  Evaluator& target() override { return evaluator_; }

  TemporaryDirectory scratch_;
  CommandEvaluator evaluator_;
};

/// The runner as HostPlatform made it for a program.
const CommandRunner& command_runner(const InputRunner& runner);

}  // namespace rooftune::host
