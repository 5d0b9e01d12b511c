// tune export: the best validated configuration with its provenance, for an application to load, or
// as the code itself; with --sizes, a size without a study gets one, which races the bests from the
// others.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/console.h"
#include "cli/export_choice.h"
#include "cli/options.h"
#include "cli/study_files.h"
#include "core/file.h"
#include "core/list.h"
#include "core/split.h"
#include "kernel/kernel.h"
#include "report/exporter.h"
#include "report/figures.h"
#include "store/study_store.h"
#include "study/find_study.h"
#include "study/prepare.h"

namespace rooftune::cli {

namespace {

/// Writes every trial from the latest study, in a form that the field uses.
int export_record(const ExportForm& form, const RecordFilter& filter,
                  const ExportOptions& options) {
  const StudyRecord study = find_study(fs::absolute(options.spec.results), filter);
  write_output(options.output.empty() ? "-" : options.output, form.write_record(study));
  if (!options.output.empty() && !is_stdout(options.output))
    fmt::print("wrote {} (study {}, {} trials)\n", options.output, study.header.id,
               study.history.size());
  return 0;
}

void check(ExportChoice& choice, const ExportOptions& options) {
  for (const std::string& remark : remarks(choice)) print_note(remark);
  if (choice.result.busy && !options.as_recorded)
    throw Error("the machine was busy, and the study decides nothing: " +
                    joined(choice.result.inconclusive, "; "),
                choice.study.header.kernel, "tune it again, or say --as-recorded for its baseline");
  for (const std::string& reason : choice.result.inconclusive)
    print_note("not conclusive: " + reason);
  for (const std::string& note : choice.study.notes) print_note("note: " + note);
  if (!options.as_recorded)
    print_note(fmt::format("study {}: {}", choice.study.header.id.substr(0, 8), verified(choice)));
}

constexpr const char* sizes_option = "--sizes";

/// The kernel's only integer parameter, where none is named.
std::string only_integer(const Kernel& kernel) {
  Texts names;
  for (const Parameter& parameter : kernel.parameters)
    if (parameter.type == Parameter::Type::integer) names.push_back(parameter.name);
  if (names.size() == 1) return names.front();
  throw Error(fmt::format("{} has {} parameters that are integers", kernel.name, names.size()),
              sizes_option,
              fmt::format("name the one that varies, as in {} n=1e4,1e6{}", sizes_option,
                          names.empty() ? "" : ": " + joined(names)));
}

/// The problems that "n=1e4,1e6" stands for: `problem` with other values for the parameter.
FactsList problems_of(const std::string& option, const Kernel& kernel, const Facts& problem) {
  const size_t equals = option.find('=');
  const bool named = equals != std::string::npos;
  const std::string name = named ? option.substr(0, equals) : only_integer(kernel);
  FactsList all;
  for (const std::string& word : split(named ? option.substr(equals + 1) : option, ',')) {
    Facts chosen = problem;
    chosen[name] = Value(word);
    Facts whole = problem_parameters(kernel, chosen);
    add_once(all, std::move(whole));
  }
  if (all.empty()) throw Error("names no size", sizes_option, "for example --sizes 1e4,1e6,1e8");
  return all;
}

/// Races the bests from all studies at another problem: a study like any other, which the same
/// command continues.
void race_bests(const StudyRecord& like, const Facts& problem, size_t bests,
                const fs::path& results) {
  StudySpec spec = spec_of(like);
  spec.inputs = {{name_of(problem), problem}};
  spec.results = results;
  spec.budget = {.evaluations = bests + 1};
  spec.anchors = spec.staircase = false;
  spec.wait = true;
  print_note(fmt::format("note: no study of {}: the bests of the others are raced there",
                         facts_text(problem)));
  const TunedStudy tuned = tune(spec, Shown::waits);
  if (!tuned.result.best)
    throw Error("no best of the other studies runs at " + facts_text(problem), sizes_option,
                "tune that size, or leave it out", ExitCode::failure);
}

}  // namespace

int export_command(const ExportOptions& options) {
  const ExportForm* const form = first_with(export_formats(), &ExportForm::name, options.format);
  if (!form)
    throw Error("unknown export format \"" + options.format + "\"", "--format",
                did_you_mean(options.format, members(export_formats(), &ExportForm::name)));
  const bool folder = form->write_best;
  if (!folder && !options.sizes.empty())
    throw Error("only a library has variants for several sizes", "--sizes", "--format library");
  if (!folder && !options.name.empty())
    throw Error("only a library has functions to name", "--name", "--format library");
  if (!folder) require_output(options.output);
  const RecordFilter filter = typed_filter(options.spec, options.study);
  if (form->write_record) return export_record(*form, filter, options);
  ExportChoices choices = options.sizes.empty()
                              ? best_studies(options.spec.results, filter)
                              : best_at_sizes(options.spec.results, filter, options.sizes);
  if (!folder) only(choices);
  // Entries that join other machines' entries only start studies, which try them: only variants for
  // an application are checked again.
  if (folder || !form->joined)
    for (ExportChoice& choice : choices) check(choice, options);
  if (folder) return form->write_best(choices, options);
  const ExportChoice& choice = choices.front();
  std::string text = form->write(choice.result, flags_of(choice.study, choice.result));
  if (form->joined && is_file(options.output)) text = form->joined(options.output, text);
  write_output(options.output.empty() ? "-" : options.output, text);
  if (options.output.empty() || is_stdout(options.output)) return 0;
  fmt::print("wrote {} (study {}, {})\n", options.output, choice.study.header.id,
             choice.result.best->configuration.key());
  return 0;
}

ExportChoices best_at_sizes(const fs::path& results, RecordFilter filter,
                            const std::string& sizes) {
  ExportChoices choices = best_studies(results, filter);
  const ExportChoice& like = choices.front();
  if (like.study.header.backend == command_backend)
    throw Error("a program has no sizes that are known here", sizes_option,
                "tune it with each, and export each");
  const Kernel kernel = read_kernel(like.study.require_setup().kernel_folder);
  const FactsList wanted = problems_of(sizes, kernel, like.result.problem);
  const auto problem_of = [](const ExportChoice& choice) { return choice.result.problem; };
  for (const Facts& problem : wanted)
    if (!contains(choices, problem, problem_of))
      race_bests(like.study, problem, choices.size(), results);
  // A typed problem sets what is no size; it has chosen the first studies and is done.
  filter.inputs.clear();
  choices = best_studies(results, filter);
  ExportChoices chosen;
  for (const Facts& problem : wanted)
    std::ranges::copy_if(choices, std::back_inserter(chosen), [&](const ExportChoice& choice) {
      return choice.result.problem == problem;
    });
  return chosen;
}

}  // namespace rooftune::cli
