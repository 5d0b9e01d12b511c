#include "sweep/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/file.h"
#include "os/file_lock.h"
#include "report/figures.h"
#include "sweep/sweep.h"

namespace rooftune::sweep {
namespace {

double age_of(const std::filesystem::path& file) {
  std::error_code none;
  const auto written = std::filesystem::last_write_time(file, none);
  if (none) return 0;
  // A clock set back makes no study younger than now.
  return std::max(
      0.0, std::chrono::duration<double>(std::filesystem::file_time_type::clock::now() - written)
               .count());
}

/// Larger: more to gain, or longer not looked at.
double claim(const PlannedStudy& study, const std::map<std::string, LastNight>& last) {
  const auto found = last.find(study.name);
  if (found == last.end()) return std::numeric_limits<double>::infinity();
  // A study without a bound, or at its target, still grows old.
  constexpr double least = 0.05;
  const double gap = found->second.gap.value_or(1);
  return std::max(least, std::log(gap / study.spec.target_gap)) * found->second.age;
}

}  // namespace

std::vector<std::filesystem::path> folders_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> folders;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    if (entry.is_directory()) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<std::filesystem::path> outcome_files(const std::filesystem::path& run) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(run, none))
    if (entry.path().extension() == ".json" && !is_own_file(entry.path().filename().string()))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::map<std::string, LastNight> last_nights(const std::filesystem::path& root) {
  std::map<std::string, LastNight> last;
  for (const auto& run : folders_in(root))
    for (const auto& file : outcome_files(run)) {
      const auto outcome = outcome_of(file.stem().string(), run);
      if (!outcome || outcome->state != StudyOutcome::State::done) continue;
      last[outcome->name] = {run.filename().string(), age_of(file), outcome->seconds,
                             outcome->gap()};
    }
  return last;
}

std::vector<std::size_t> in_order(const Plan& plan, const std::map<std::string, LastNight>& last) {
  std::vector<std::size_t> order(plan.studies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const PlannedStudy &one = plan.studies[a], &other = plan.studies[b];
    if (one.priority != other.priority) return one.priority > other.priority;
    return plan.total && claim(one, last) > claim(other, last);
  });
  return order;
}

std::optional<double> expected_seconds(const PlannedStudy& study,
                                       const std::map<std::string, LastNight>& last) {
  if (const auto found = last.find(study.name); found != last.end() && found->second.seconds > 0)
    return found->second.seconds;
  if (study.spec.budget.time) return study.spec.budget.time->value();
  return std::nullopt;
}

std::string reason_of_turn(const Plan& plan, std::size_t position,
                           const std::map<std::string, LastNight>& last) {
  const PlannedStudy& study = plan.studies[position];
  const std::string own = study.priority == 0 ? "" : fmt::format("priority {:g}, ", study.priority);
  if (!plan.total) return own + "in the order of the plan";
  const auto before = last.find(study.name);
  if (before == last.end()) return own + "never measured";
  return fmt::format(
      "{}{}measured {} ago", own,
      before->second.gap ? fmt::format("gap {}, ", significant(*before->second.gap, 3)) : "",
      duration_text(before->second.age));
}

std::string time_to_go(const Plan& plan, const std::vector<std::size_t>& left,
                       const std::map<std::string, LastNight>& last) {
  double seconds = 0;
  bool all_known = true;
  for (const std::size_t position : left) {
    const auto expected = expected_seconds(plan.studies[position], last);
    all_known = all_known && expected;
    seconds += expected.value_or(0);
  }
  if (!(seconds > 0)) return {};
  return fmt::format(", {} {} to go", all_known ? "about" : "over", duration_text(seconds));
}

RunStatus latest_run(const std::filesystem::path& root) {
  RunStatus status;
  for (const auto& run : folders_in(root)) status.run = run;
  if (status.run.empty()) return status;
  for (const auto& file : outcome_files(status.run))
    if (const auto outcome = outcome_of(file.stem().string(), status.run)) {
      ++status.ended;
      status.failed += outcome->state == StudyOutcome::State::failed;
    }
  for (const auto& file : std::filesystem::directory_iterator(status.run))
    if (const std::string study = file.path().stem().string();
        file.path().extension() == started_suffix && !outcome_of(study, status.run))
      status.in_flight.push_back(study);
  std::sort(status.in_flight.begin(), status.in_flight.end());
  std::string holder;
  if (std::filesystem::exists(status.run / summary_file))
    status.state = "ended: " + read_json(status.run / summary_file).value("state", "none");
  else if (!FileLock::take(root / "lock", holder))
    status.state = "runs now: " + holder;
  else
    status.state = "was cut short; the same command goes on";
  return status;
}

}  // namespace rooftune::sweep
