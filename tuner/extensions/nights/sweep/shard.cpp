#include "sweep/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace rooftune::sweep {
namespace {

/// 0 for anything but a number.
std::size_t number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size() ? value : 0;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  Shard shard{0, 0};
  if (slash != std::string::npos)
    shard = {number(std::string_view(text).substr(0, slash)),
             number(std::string_view(text).substr(slash + 1))};
  if (shard.index < 1 || shard.index > shard.count)
    throw Error(fmt::format("\"{}\" is no shard", excerpt(text)), "--shard",
                "which of how many, counted from 1: 1/8 to 8/8");
  return shard;
}

std::vector<std::string> machines_of(const Plan& plan) {
  std::vector<std::string> names;
  for (const PlannedStudy& study : plan.studies)
    if (std::find(names.begin(), names.end(), study.spec.machine) == names.end())
      names.push_back(study.spec.machine);
  return names;
}

std::vector<std::size_t> studies_of(const Plan& plan, const std::string& machine,
                                    const Shard& shard) {
  std::vector<std::size_t> all, mine;
  for (std::size_t i = 0; i < plan.studies.size(); ++i)
    if (machine.empty() || plan.studies[i].spec.machine == machine) all.push_back(i);
  if (all.empty())
    throw Error(fmt::format("no study of plan \"{}\" is on machine \"{}\"", plan.name, machine),
                "--machine", did_you_mean(machine, machines_of(plan)));
  // Dealt by priority: urgent studies begin at once on several nodes.
  std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
    return plan.studies[a].priority > plan.studies[b].priority;
  });
  if (plan.budget && (shard.count > 1 || all.size() < plan.studies.size()))
    throw Error(fmt::format("plan \"{}\" divides one time among all its studies as their gaps "
                            "change, which one process must do",
                            plan.name),
                "--shard", "1/1 and one machine, or studies with budgets of their own");
  for (std::size_t i = shard.index - 1; i < all.size(); i += shard.count) mine.push_back(all[i]);
  return mine;
}

void require_run_of(const Plan& plan, const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory))
    throw Error("there is no such folder", directory.string(),
                "leave --sweep out to continue the newest unfinished run of the plan");
  if (directory.extension() != "." + plan.key)
    throw Error(
        fmt::format("is no run of plan \"{}\" as it is now (its key is {})", plan.name, plan.key),
        directory.string(), "a plan that was changed is another sweep: start it with tune sweep");
}

}  // namespace rooftune::sweep
