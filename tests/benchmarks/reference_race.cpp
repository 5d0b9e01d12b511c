#include "reference_race.h"

#include <cstdlib>

#include "kernel/kernel.h"
#include "os/paths.h"
#include "os/temporary_directory.h"
#include "run/host_evaluator.h"
#include "space/space_reader.h"
#include "study/find_study.h"
#include "study/machines.h"
#include "study/model.h"
#include "study/platform.h"

namespace rooftune::testing {

Rounds raced(const std::filesystem::path& tune, const std::string& name,
             const std::vector<std::string>& problem,
             const std::vector<Configuration>& configurations, int rounds) {
  setenv("ROOFTUNE_WORKER", std::filesystem::absolute(tune).c_str(), 1);
  const Kernel kernel = find_kernel(name, home());
  const Machine machine = load_machine("host");
  Facts words;
  for (const std::string& word : problem)
    words[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  TemporaryDirectory scratch;
  ArtefactCache cache(cache_directory() / "artefacts", host_compiler());
  const Facts parameters = problem_parameters(kernel, words);
  HostEvaluator evaluator(Study{{kernel, *kernel.backend("openmp")}, parameters, machine.cores},
                          cache, scratch.path(), RunLimits{});
  Facts facts = parameters;
  facts.merge(evaluator.facts());
  facts.merge(machine_facts(machine, machine.cores));
  evaluator.use(read_space(find_space(kernel, "openmp", home()), facts));
  return evaluator.race(configurations, {rounds, 1});
}

}  // namespace rooftune::testing
