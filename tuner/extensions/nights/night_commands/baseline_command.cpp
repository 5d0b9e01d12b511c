// tune baseline: the accepted results, with who accepted them and why.
#include "night_commands/baseline_command.h"

#include <fmt/format.h>

#include "cli/console.h"
#include "cli/export_choice.h"
#include "cli/study_files.h"
#include "core/fields.h"
#include "core/file.h"
#include "core/list.h"
#include "host/host_platform.h"
#include "os/paths.h"
#include "report/figures.h"

namespace rooftune::night_commands {
namespace {

std::string user() {
  for (const char* const name : {"USER", "LOGNAME"})
    if (std::string value = environment_text(name); !value.empty()) return value;
  return "unknown";
}

int accept_best(const BaselineOptions& options, const fs::path& results) {
  if (options.why.empty())
    throw Error("a baseline is accepted for a reason", "--why",
                "for example --why \"new compiler, checked by hand\"");
  ExportChoices choices = best_studies(results, typed_filter(options.spec, options.study));
  const ExportChoice& choice = only(choices);
  for (const std::string& remark : remarks(choice)) print_note(remark);
  const Baseline accepted = accept(results, choice.study, choice.result,
                                   options.who.empty() ? user() : options.who, options.why);
  fmt::print("accepted study {}, {}, as the baseline of {}\n", accepted.accepted.study,
             seconds_interval(accepted.accepted.seconds), accepted.key);
  return 0;
}

bool is_wanted(const Baseline& baseline, const BaselineOptions& choice) {
  const std::string kernel = file_name(choice.spec.kernel);
  return (kernel.empty() || baseline.header.kernel == kernel) &&
         (choice.spec.backend.empty() || baseline.header.backend == choice.spec.backend) &&
         baseline.accepted.study.starts_with(choice.study);
}

void print_acceptance(const std::string& name, const Acceptance& accepted) {
  fmt::print("{}\n  {}, accepted {} by {}: {} (study {})\n", name,
             seconds_interval(accepted.seconds), accepted.date, accepted.who, accepted.why,
             accepted.study);
}

}  // namespace

int baseline_command(const BaselineOptions& options) {
  const auto results = fs::absolute(options.spec.results);
  if (options.action == accept_action) return accept_best(options, results);
  Texts faults;
  Baselines all = read_baselines(results, faults);
  std::erase_if(all, [&](const Baseline& one) { return !is_wanted(one, options); });
  if (options.json) {
    const Json json = members(all, [](const Baseline& one) {
      FieldWriter row;
      ROOFTUNE_EACH(row, one, key, accepted, configuration, earlier);
      return row.json;
    });
    fmt::print("{}\n", json_text(json, 2));
  } else if (all.empty()) {
    fmt::print(
        "no baseline was accepted; the first best of a series in a sweep becomes one, "
        "`tune baseline accept` takes another\n");
  } else {
    for (const Baseline& one : all) {
      print_acceptance(one.key, one.accepted);
      for (const Acceptance& before : one.earlier) print_acceptance("  before", before);
    }
  }
  for (const std::string& fault : faults) fmt::print(stderr, "warning: {}\n", fault);
  return faults.empty() ? 0 : int(ExitCode::failure);
}

}  // namespace rooftune::night_commands
