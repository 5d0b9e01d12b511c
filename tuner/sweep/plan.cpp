#include "sweep/plan.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "core/file.h"
#include "core/hash.h"
#include "core/units.h"
#include "core/value.h"

namespace rooftune {
namespace {

std::string resolved(const std::string& text, const std::filesystem::path& folder) {
  if (!text.starts_with("./") && !text.starts_with("../")) return text;
  return (std::filesystem::absolute(folder) / text).lexically_normal().string();
}

void check_budget(ObjectReader& reader, const std::string& budget) {
  try {
    if (parse_duration(budget).value() <= 0) reader.fault("budget", "must be above 0");
  } catch (const Error& error) {
    reader.fault("budget", error.message(), "evaluations (40) or wall time (\"90s\", \"10min\")");
  }
}

/// Adds the parameters of one input to `words`.
void read_input(ObjectReader& problem, std::map<std::string, std::string>& words,
                const std::filesystem::path& folder) {
  for (const auto& [name, value] : problem.json().items()) {
    problem.know(name);
    if (value.is_primitive() && !value.is_null())
      words[name] = resolved(to_text(value_from_json(value)), folder);
    else
      problem.fault(name, "must be a number, text or truth");
  }
}

/// One object, or a list of them for one configuration for several inputs.
void read_problem(ObjectReader& reader, PlannedStudy& study, const std::filesystem::path& folder) {
  if (!reader.has("problem") || !reader.json().at("problem").is_array()) {
    reader.object("problem",
                  [&](ObjectReader& problem) { read_input(problem, study.problem, folder); });
  } else {
    study.inputs.clear();
    reader.each("problem", [&](ObjectReader& problem) {
      study.inputs.push_back(study.problem);
      read_input(problem, study.inputs.back(), folder);
    });
    if (study.inputs.size() < 2)
      reader.fault("problem", "a list holds several inputs", "one input is an object");
  }
  study.objective = reader.text("objective", study.objective);
  if (!study.objective.empty() && study.objective != "mean" && study.objective != "minimax")
    reader.fault("objective", "must be mean or minimax");
}

/// Fills what is present; what is absent keeps its value, so that defaults and studies share this.
void read_study_members(ObjectReader& reader, PlannedStudy& study,
                        const std::filesystem::path& folder) {
  study.kernel = resolved(reader.text("kernel", study.kernel), folder);
  study.machine = reader.text("machine", study.machine);
  study.backend = reader.text("backend", study.backend);
  study.strategy = reader.text("strategy", study.strategy);
  study.cache = reader.text("cache", study.cache);
  if (!study.cache.empty() && study.cache != "warm" && study.cache != "cold")
    reader.fault("cache", "must be warm or cold");
  study.budget = reader.formula("budget", study.budget);
  check_budget(reader, study.budget);
  study.target_gap = reader.real("target_gap", study.target_gap);
  if (!(study.target_gap >= 1)) reader.fault("target_gap", "must be at least 1");
  const std::int64_t seed = reader.integer("seed", static_cast<std::int64_t>(study.seed));
  if (seed < 0) reader.fault("seed", "must not be negative");
  study.seed = static_cast<std::uint64_t>(seed);
  const std::int64_t threads = reader.integer("threads", study.threads);
  if (threads < 0 || threads > 65536) reader.fault("threads", "must be 0 (all) to 65536");
  study.threads = static_cast<int>(threads);
  read_problem(reader, study, folder);
}

/// A duration above 0 [s]; 0 and a fault for what is none.
double read_seconds(ObjectReader& reader, const std::string& member, const std::string& text) {
  try {
    const double seconds = parse_duration(text).value();
    if (seconds > 0 && std::isfinite(seconds)) return seconds;
    reader.fault(member, "must be above 0");
  } catch (const Error& error) {
    reader.fault(member, error.message(), "wall time, for example \"30min\"");
  }
  return 0;
}

/// Of all time this share is first given to all studies alike.
constexpr double first_share = 0.25;

void read_shared_budget(ObjectReader& reader, std::optional<SharedBudget>& budget) {
  reader.object("budget", [&](ObjectReader& object) {
    SharedBudget shared;
    shared.total = read_seconds(object, "total", object.text("total"));
    if (object.text("by") != "gap")
      object.fault("by", "must be \"gap\"", "studies with budgets of their own need no total");
    if (object.has("slice")) shared.slice = read_seconds(object, "slice", object.text("slice"));
    object.finish();
    budget = shared;
  });
}

void check_shared_budget(ObjectReader& reader, Plan& plan) {
  if (!plan.budget || plan.studies.empty() || !(plan.budget->total > 0)) return;
  SharedBudget& budget = *plan.budget;
  const double each = budget.total / static_cast<double>(plan.studies.size());
  if (!reader.json().at("budget").contains("slice")) budget.slice = first_share * each;
  if (budget.slice > each)
    reader.fault("budget",
                 fmt::format("a slice of {} for each of {} studies is more than {}",
                             to_text(Seconds(budget.slice)), plan.studies.size(),
                             to_text(Seconds(budget.total))),
                 "a smaller \"slice\", a larger \"total\" or fewer studies");
}

void refuse_own_budget(ObjectReader& reader, const Plan& plan) {
  if (plan.budget && reader.has("budget"))
    reader.fault("budget",
                 "the plan's total is divided by gap, so a study has no budget of its own",
                 "leave one of the two out");
}

}  // namespace

Plan read_plan(const std::filesystem::path& file) {
  const std::string text = read_text(file, std::size_t{1} << 26);
  const Json json = parse_json(text, file.string());
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  Faults faults;
  ObjectReader reader(json, file.string(), faults);
  if (reader.text("schema", "") != "rooftune-sweep-1")
    reader.fault("schema", "must be \"rooftune-sweep-1\"", "docs/formats.md shows a plan");
  Plan plan;
  plan.name = reader.text("name", file.stem().string());
  if (plan.name.empty() || plan.name.find('/') != std::string::npos || plan.name.front() == '.')
    reader.fault("name", "must be a file name without '/' and not start with '.'");
  plan.key = hash_hex(text).substr(0, 16);
  read_shared_budget(reader, plan.budget);
  PlannedStudy defaults;
  reader.object("defaults", [&](ObjectReader& object) {
    refuse_own_budget(object, plan);
    read_study_members(object, defaults, folder);
    object.finish();
  });
  std::set<std::string> names;
  reader.each("studies", [&](ObjectReader& object) {
    PlannedStudy study = defaults;
    refuse_own_budget(object, plan);
    read_study_members(object, study, folder);
    if (study.kernel.empty()) object.fault("kernel", "is missing", "name a kernel or its folder");
    const std::string stem = std::filesystem::path(study.kernel).filename().string();
    study.name = object.text(
        "name", names.count(stem) ? fmt::format("{}-{}", stem, plan.studies.size() + 1) : stem);
    if (study.name.empty() || study.name.find('/') != std::string::npos ||
        study.name.front() == '.')
      object.fault("name", "must be a file name without '/' and not start with '.'");
    if (!names.insert(study.name).second)
      object.fault("name", "is used twice: \"" + study.name + "\"");
    object.finish();
    plan.studies.push_back(std::move(study));
  });
  if (plan.studies.empty() && faults.empty()) reader.fault("studies", "holds no study");
  check_shared_budget(reader, plan);
  reader.finish();
  faults.raise();
  return plan;
}

}  // namespace rooftune
