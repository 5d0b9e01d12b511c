#include "host/command_runner.h"

namespace rooftune::host {

CountedRun CommandRunner::count(const Configuration& configuration, const std::string& provider,
                                const Machine&, double) {
  CountedRun run;
  run.configuration = configuration;
  run.provider = provider;
  run.absent_because = "programs are not counted";
  return run;
}

const CommandRunner& command_runner(const InputRunner& runner) {
  return dynamic_cast<const CommandRunner&>(runner);
}

}  // namespace rooftune::host
