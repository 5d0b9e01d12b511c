#include "cli/input_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/machines.h"
#include "cli/study_knowledge.h"
#include "core/hash.h"
#include "core/units.h"
#include "space/common_space.h"

namespace rooftune {
namespace {

/// One input needs no more than the evaluator that it has.
class Forwarded : public Evaluator {
 public:
  explicit Forwarded(Evaluator& evaluator) : evaluator_(evaluator) {}
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override {
    return evaluator_.evaluate(configuration, incumbent);
  }
  Rounds race(const std::vector<Configuration>& configurations, int rounds,
              std::uint64_t seed) override {
    return evaluator_.race(configurations, rounds, seed);
  }

 private:
  Evaluator& evaluator_;
};

std::string place(std::size_t input, const std::string& name) {
  return fmt::format("--problem number {} ({})", input + 1, name);
}

/// One space is searched: what all inputs allow.
void share_space(InputSet& set) {
  std::vector<SearchSpace> spaces;
  std::vector<Facts> facts;
  for (const auto& input : set.inputs) {
    spaces.push_back(*input->space);
    facts.push_back(input->facts);
    facts.back().merge(machine_facts(input->roofline.machine, input->roofline.threads));
  }
  const SearchSpace common = common_space(spaces, facts);
  for (const auto& input : set.inputs) {
    input->space = common;
    input->evaluator->use(common);
  }
}

void require_different(const InputSet& set) {
  for (std::size_t i = 0; i < set.inputs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (set.inputs[i]->header.id == set.inputs[j]->header.id)
        throw Error(fmt::format("is the same input as number {}", j + 1), place(i, set.names[i]),
                    "name every input once");
}

StudyHeader common_header(const InputSet& set) {
  LabelledHash hash;
  hash.add("objective", to_text(set.objective->aim()));
  Json problems = Json::array();
  for (std::size_t i = 0; i < set.inputs.size(); ++i) {
    hash.add(fmt::format("input {}", i + 1), set.inputs[i]->header.id);
    problems.push_back(set.inputs[i]->header.problem);
  }
  StudyHeader header = set.first().header;
  header.id = hash.hex().substr(0, 16);
  header.problem = problems;
  header.explanation = hash.dump();
  for (std::size_t i = 0; i < set.inputs.size(); ++i)
    header.explanation +=
        fmt::format("\n-- input {}\n{}", i + 1, set.inputs[i]->header.explanation);
  return header;
}

std::optional<LeastTime> least_of_all(const InputSet& set, const std::vector<LeastTimeOf>& all,
                                      const Configuration& configuration) {
  const bool mean = set.objective->aim() == Objective::Aim::mean;
  std::vector<double> seconds;
  LeastTime worst;
  double largest = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto least = all[i] ? all[i](configuration) : std::nullopt;
    if (!least && mean) return std::nullopt;
    seconds.push_back(least ? least->time.value() : 0);
    const double gap = seconds.back() / set.objective->bounds()[i];
    if (gap <= largest) continue;
    largest = gap;
    worst.because = fmt::format("{} of all inputs; on {}: {}", described(set.objective->aim()),
                                set.names[i], least->because);
  }
  if (largest == 0) return std::nullopt;
  worst.time = Seconds(set.objective->time(seconds));
  return worst;
}

}  // namespace

InputSet ready_inputs(const StudyOptions& options, const std::string& objective, bool elsewhere) {
  const auto problems = problem_inputs(options.problem);
  if (problems.size() < 2 && !objective.empty())
    throw Error("there is one input, and so nothing to weigh", "--objective",
                "give --problem once for every input");
  const auto wanted = aim(objective.empty() ? to_text(Objective::Aim::mean) : objective);
  InputSet set;
  std::vector<double> bounds;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    StudyOptions one = options;
    if (problems.size() > 1) one.problem = {options.problem[i]};
    set.inputs.push_back(
        std::make_unique<ReadyStudy>(ready_study(one, elsewhere, problems.size())));
    set.made_from.push_back(one);
    set.names.push_back(problems.size() > 1 ? options.problem[i] : std::string());
    bounds.push_back(set.inputs.back()->bound->time.value());
  }
  set.header = set.first().header;
  set.bound = bounds.front();
  if (problems.size() < 2) return set;
  require_different(set);
  share_space(set);
  set.objective.emplace(wanted, bounds);
  set.bound = set.objective->bound();
  set.header = common_header(set);
  return set;
}

std::unique_ptr<Evaluator> evaluator_of(const InputSet& set, const History& history) {
  if (!set.objective) return std::make_unique<Forwarded>(*set.first().evaluator);
  std::vector<EvaluatedInput> inputs;
  for (std::size_t i = 0; i < set.inputs.size(); ++i)
    inputs.push_back({set.names[i], set.inputs[i]->evaluator.get()});
  return std::make_unique<ManyInputs>(*set.objective, std::move(inputs), history);
}

Knowledge known_of(const InputSet& set) {
  Knowledge all = study_knowledge(set.first());
  for (const auto& input : set.inputs) all.binding.merge(study_knowledge(*input).binding);
  return all;
}

LeastTimeOf least_times(const InputSet& set) {
  if (!set.objective) return least_times(set.first());
  std::vector<LeastTimeOf> all;
  for (const auto& input : set.inputs) all.push_back(least_times(*input));
  if (std::none_of(all.begin(), all.end(), [](const LeastTimeOf& least) { return bool(least); }))
    return {};
  return [&set, all](const Configuration& configuration) {
    return least_of_all(set, all, configuration);
  };
}

Json setup_record(const InputSet& set, const std::vector<std::string>& argv) {
  Json setup = setup_record(set.first(), argv);
  if (!set.objective) return setup;
  setup["objective"] = to_text(set.objective->aim());
  for (std::size_t i = 0; i < set.inputs.size(); ++i)
    setup["inputs"].push_back({{"name", set.names[i]},
                               {"problem", set.inputs[i]->header.problem},
                               {"facts", setup_record(*set.inputs[i], argv).at("facts")},
                               {"bound", set.inputs[i]->bound->time.value()}});
  return setup;
}

}  // namespace rooftune
