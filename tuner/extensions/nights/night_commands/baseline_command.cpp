// tune baseline: the accepted results, with who accepted them and why.
#include "night_commands/baseline_command.h"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/console.h"
#include "cli/export_choice.h"
#include "cli/study_files.h"
#include "core/fields.h"
#include "core/file.h"
#include "core/list.h"
#include "host/host_platform.h"
#include "report/figures.h"

namespace rooftune::night_commands {
namespace {

std::string user() {
  for (const char* const name : {"USER", "LOGNAME"})
    if (const char* const value = std::getenv(name); value && *value) return value;
  return "unknown";
}

int accept_best(const BaselineOptions& options, const fs::path& results) {
  if (options.why.empty())
    throw Error("a baseline is accepted for a reason", "--why",
                "for example --why \"new compiler, checked by hand\"");
  if (options.spec.kernel.empty() && options.study.empty())
    throw Error("no study named", "--kernel", "tune baseline accept --kernel NAME, or --study ID");
  const RecordFilter filter = filter_of(options.spec, options.study);
  std::vector<ExportChoice> choices = best_studies(results, filter);
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
  std::vector<Baseline> all = read_baselines(results, faults);
  std::erase_if(all, [&](const Baseline& one) { return !is_wanted(one, options); });
  if (options.json) {
    Json json = Json::array();
    for (const Baseline& one : all)
      json.push_back({{"key", one.key},
                      {"accepted", encode(one.accepted)},
                      {"configuration", to_json(one.configuration)},
                      {"earlier", encode(one.earlier)}});
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
