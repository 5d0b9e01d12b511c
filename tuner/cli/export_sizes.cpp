// tune export --sizes: a study at each size, where there is none of the bests of the others.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "cli/console.h"
#include "cli/export_choice.h"
#include "kernel/kernel.h"
#include "report/figures.h"
#include "study/prepare.h"

namespace rooftune::cli {
namespace {

constexpr const char* sizes_option = "--sizes";

/// The kernel's only integer, where none is named.
std::string only_integer(const Kernel& kernel) {
  std::vector<std::string> names;
  for (const Parameter& parameter : kernel.parameters)
    if (parameter.type == Parameter::Type::integer) names.push_back(parameter.name);
  if (names.size() == 1) return names.front();
  throw Error(fmt::format("{} has {} parameters that are integers", kernel.name, names.size()),
              sizes_option,
              fmt::format("name the one that varies, as in {} n=1e4,1e6{}", sizes_option,
                          names.empty() ? "" : fmt::format(": {}", fmt::join(names, ", "))));
}

/// The problems of "n=1e4,1e6": this one with other values of the parameter.
std::vector<Facts> problems_of(const std::string& option, const Kernel& kernel,
                               const Facts& problem) {
  const std::size_t equals = option.find('=');
  const bool named = equals != std::string::npos;
  const std::string name = named ? option.substr(0, equals) : only_integer(kernel);
  std::istringstream words(named ? option.substr(equals + 1) : option);
  std::vector<Facts> all;
  for (std::string word; std::getline(words, word, ',');) {
    Facts chosen = problem;
    chosen[name] = Value(word);
    Facts whole = problem_parameters(kernel, chosen);
    if (std::ranges::find(all, whole) == all.end()) all.push_back(std::move(whole));
  }
  if (all.empty()) throw Error("names no size", sizes_option, "for example --sizes 1e4,1e6,1e8");
  return all;
}

/// The bests of all studies, raced at another problem than theirs: a study as any other, which the
/// same words go on with.
void race_bests(const StudyRecord& like, const Facts& problem, std::size_t bests,
                const std::filesystem::path& results) {
  StudySpec spec = spec_of(like);
  spec.inputs = {{name_of(problem), problem}};
  spec.results = results;
  spec.budget = {.evaluations = bests + 1};
  spec.anchors = spec.ablation = false;
  spec.wait = true;
  print_note(fmt::format("note: no study of {}: the bests of the others are raced there",
                         facts_text(problem)));
  const TunedStudy tuned = tune(spec, Shown::waits);
  if (!tuned.result.best)
    throw Error(fmt::format("no best of the other studies runs at {}", facts_text(problem)),
                sizes_option, "tune that size, or leave it out", ExitCode::failure);
}

}  // namespace

std::vector<ExportChoice> best_at_sizes(const std::filesystem::path& results, RecordFilter filter,
                                        const std::string& sizes) {
  std::vector<ExportChoice> choices = best_studies(results, filter);
  const ExportChoice& like = choices.front();
  if (like.study.header.backend == command_backend)
    throw Error("a program has no sizes that are known here", sizes_option,
                "tune it with each, and export each");
  const Kernel kernel = read_kernel(like.study.require_setup().kernel_folder);
  const std::vector<Facts> wanted = problems_of(sizes, kernel, like.result.problem);
  const auto problem_of = [](const ExportChoice& choice) { return choice.result.problem; };
  for (const Facts& problem : wanted)
    if (std::ranges::find(choices, problem, problem_of) == choices.end())
      race_bests(like.study, problem, choices.size(), results);
  // A typed problem says what is no size; it chose the studies to begin with.
  filter.inputs.clear();
  choices = best_studies(results, filter);
  std::vector<ExportChoice> chosen;
  for (const Facts& problem : wanted)
    std::ranges::copy_if(choices, std::back_inserter(chosen), [&](const ExportChoice& choice) {
      return choice.result.problem == problem;
    });
  return chosen;
}

}  // namespace rooftune::cli
