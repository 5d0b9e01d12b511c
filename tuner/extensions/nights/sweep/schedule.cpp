#include "sweep/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/error.h"
#include "core/folder.h"
#include "core/list.h"
#include "core/number.h"
#include "sweep/outcome.h"

namespace rooftune::sweep {
namespace {

double age_of(const fs::path& file) {
  std::error_code none;
  const auto written = fs::last_write_time(file, none);
  if (none) return 0;
  // If the clock was set back, no study is younger than now.
  return std::max(
      0.0, std::chrono::duration<double>(fs::file_time_type::clock::now() - written).count());
}

/// How urgent a study is: larger if there is more to gain, or if nobody looked at it for longer.
double claim(const PlannedStudy& study, const ByName<LastNight>& last) {
  auto* found = value_at(last, study.name);
  if (!found) return HUGE_VAL;
  // A study without a bound, or at its target, still grows old.
  constexpr double least = 0.05;
  const double gap = found->gap.value_or(1);
  return std::max(least, std::log(gap / study.spec.target_gap)) * found->age;
}

}  // namespace

Paths folders_in(const fs::path& folder) {
  return filtered(entries_of(folder), [](const fs::path& one) { return fs::is_directory(one); });
}

Paths outcome_files(const fs::path& run) {
  return filtered(files_in(run, ".json"),
                  [](const fs::path& file) { return file.filename() != summary_file; });
}

ByName<LastNight> last_nights(const fs::path& root, const Plan& plan) {
  ByName<LastNight> last;
  auto runs = folders_in(root);
  // The newest first, and no further than needed: reading a year of nights is a thousand times the
  // work.
  for (auto run = runs.rbegin(); run != runs.rend() && last.size() < plan.studies.size(); ++run)
    for (const PlannedStudy& study : plan.studies) {
      if (last.contains(study.name)) continue;
      const auto outcome = outcome_of(study.name, *run);
      if (!outcome || outcome->state != StudyOutcome::State::done) continue;
      last[study.name] = {run->filename().string(), age_of(outcome_file(study.name, *run)),
                          outcome->seconds, outcome->gap()};
    }
  return last;
}

Indices in_order(const Plan& plan, const ByName<LastNight>& last) {
  Indices order = all_places(plan.studies.size());
  stable_sort(order, [&](size_t a, size_t b) {
    const PlannedStudy &one = plan.studies[a], &other = plan.studies[b];
    if (one.priority != other.priority) return one.priority > other.priority;
    return plan.total && claim(one, last) > claim(other, last);
  });
  return order;
}

std::optional<double> expected_seconds(const PlannedStudy& study, const ByName<LastNight>& last) {
  if (auto* found = value_at(last, study.name); found && found->seconds > 0) return found->seconds;
  if (study.spec.budget.time) return study.spec.budget.time->value();
  return std::nullopt;
}

Shard parse_shard(const std::string& text) {
  const size_t slash = text.find('/');
  Shard shard{0, 0};
  if (slash != std::string::npos)
    shard = {number_in<size_t>(text.substr(0, slash)).value_or(0),
             number_in<size_t>(text.substr(slash + 1)).value_or(0)};
  if (shard.index < 1 || shard.index > shard.count)
    throw Error(fmt::format("\"{}\" is no shard", excerpt(text)), "--shard",
                "which of how many, counted from 1: 1/8 to 8/8");
  return shard;
}

Texts machines_of(const Plan& plan) {
  Texts names;
  for (const PlannedStudy& study : plan.studies) add_once(names, study.spec.machine);
  return names;
}

Indices studies_of(const Plan& plan, const std::string& machine, const Shard& shard) {
  Indices mine, all = filtered(indices(plan.studies), [&](size_t i) {
                  return machine.empty() || plan.studies[i].spec.machine == machine;
                });
  if (all.empty())
    throw Error(fmt::format("no study of plan \"{}\" is on machine \"{}\"", plan.name, machine),
                "--machine", did_you_mean(machine, machines_of(plan)));
  // Dealt out by priority, so urgent studies begin at once on several nodes.
  stable_sort(all, std::greater(), [&](size_t i) { return plan.studies[i].priority; });
  for (size_t i = shard.index - 1; i < all.size(); i += shard.count) mine.push_back(all[i]);
  return mine;
}

void require_run_of(const Plan& plan, const fs::path& directory) {
  if (!fs::is_directory(directory))
    throw Error("there is no such folder", directory,
                "leave --sweep out to continue the newest unfinished run of the plan");
  if (directory.extension() != "." + plan.key)
    throw Error(
        fmt::format("is no run of plan \"{}\" as it is now (its key is {})", plan.name, plan.key),
        directory, "a plan that was changed is another sweep: start it with tune sweep");
}

}  // namespace rooftune::sweep
