#include "sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "core/file.h"
#include "core/hash.h"
#include "core/units.h"
#include "core/value.h"
#include "sweep/matrix.h"

namespace rooftune::sweep {
namespace {

std::string resolved(const std::string& text, const std::filesystem::path& folder) {
  if (!text.starts_with("./") && !text.starts_with("../")) return text;
  return (std::filesystem::absolute(folder) / text).lexically_normal().string();
}

void read_budget(ObjectReader& reader, Budget& budget) {
  if (!reader.has("budget")) return;
  try {
    budget = parse_budget(reader.formula("budget", ""));
  } catch (const Error& error) {
    reader.fault("budget", error.message(), error.hint());
  }
}

/// Adds the parameters of one input.
void read_input(ObjectReader& problem, Facts& parameters, const std::filesystem::path& folder) {
  for (const auto& [name, json] : problem.json().items()) {
    problem.know(name);
    if (!json.is_primitive() || json.is_null()) {
      problem.fault(name, "must be a number, text or truth");
      continue;
    }
    const Value value = value_from_json(json);
    parameters.insert_or_assign(name,
                                value.is_text() ? Value(resolved(value.text(), folder)) : value);
  }
}

/// "n=1000,steps=4", for people.
std::string name_of(const Facts& parameters) {
  std::string name;
  for (const auto& [key, value] : parameters)
    name += (name.empty() ? "" : ",") + key + "=" + to_text(value);
  return name;
}

/// One object, or a list of them for one configuration for several inputs; each over the one of the
/// defaults.
void read_problem(ObjectReader& reader, StudySpec& spec, const std::filesystem::path& folder) {
  const Facts base = spec.inputs.size() == 1 ? spec.inputs.front().parameters : Facts();
  const auto add = [&](ObjectReader& problem) {
    Facts parameters = base;
    read_input(problem, parameters, folder);
    spec.inputs.push_back({name_of(parameters), std::move(parameters)});
  };
  if (reader.has("problem")) spec.inputs.clear();
  if (!reader.has("problem") || !reader.json().at("problem").is_array()) {
    reader.object("problem", add);
  } else {
    reader.each("problem", add);
    if (spec.inputs.size() < 2)
      reader.fault("problem", "a list holds several inputs", "one input is an object");
  }
  if (!reader.has("objective")) return;
  try {
    set_objective(spec, reader.text("objective"));
  } catch (const Error&) {
    reader.fault("objective", "must be time, energy, mean or minimax");
  }
}

void read_cache(ObjectReader& reader, std::optional<bool>& warm) {
  if (!reader.has("cache")) return;
  const std::string cache = reader.text("cache");
  warm = cache == "warm";
  if (cache != "warm" && cache != "cold") reader.fault("cache", "must be warm or cold");
}

/// Reads present members; absent ones keep their value, so defaults and studies share this.
void read_spec(ObjectReader& reader, StudySpec& spec, const std::filesystem::path& folder) {
  spec.kernel = resolved(reader.text("kernel", spec.kernel), folder);
  spec.machine = reader.text("machine", spec.machine);
  spec.backend = reader.text("backend", spec.backend);
  spec.strategy = reader.text("strategy", spec.strategy);
  read_cache(reader, spec.warm);
  read_budget(reader, spec.budget);
  spec.target_gap = reader.real("target_gap", spec.target_gap);
  if (!(spec.target_gap >= 1)) reader.fault("target_gap", "must be at least 1");
  const std::int64_t seed = reader.integer("seed", static_cast<std::int64_t>(spec.seed));
  if (seed < 0) reader.fault("seed", "must not be negative");
  spec.seed = static_cast<std::uint64_t>(seed);
  const std::int64_t threads = reader.integer("threads", spec.threads);
  if (threads < 0 || threads > 65536) reader.fault("threads", "must be 0 (all) to 65536");
  spec.threads = static_cast<int>(threads);
  const std::int64_t builders = reader.integer("builders", spec.builders);
  if (builders < 0 || builders > 65536) reader.fault("builders", "must be 0 (all CPUs) to 65536");
  spec.builders = static_cast<int>(builders);
  read_problem(reader, spec, folder);
}

/// A duration above 0 [s]; 0 and a fault for anything else.
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

void read_total_budget(ObjectReader& reader, Plan& plan) {
  reader.object("budget", [&](ObjectReader& object) {
    const double total = read_seconds(object, "total", object.text("total"));
    if (object.has("by")) {
      if (object.text("by") != "gap")
        object.fault("by", "must be \"gap\"", "without it studies begin until the total is spent");
      plan.budget.emplace().total = total;
      if (object.has("slice"))
        plan.budget->slice = read_seconds(object, "slice", object.text("slice"));
    } else {
      plan.total = total;
    }
    object.finish();
  });
}

/// "3%" or 0.03.
void read_threshold(ObjectReader& reader, double& threshold) {
  if (!reader.has("threshold")) return;
  const std::string text = reader.formula("threshold", "");
  char* end = nullptr;
  threshold = std::strtod(text.c_str(), &end);
  if (std::string_view(end) == "%")
    threshold /= 100;
  else if (*end)
    threshold = 0;
  if (!(threshold > 0 && threshold < 1))
    reader.fault("threshold", "must be a share above 0, as \"3%\"");
}

void read_notify(ObjectReader& reader, std::vector<std::vector<std::string>>& commands) {
  const Json& list = reader.member("notify");
  if (list.is_null()) return;
  const auto is_command = [](const Json& command) {
    return command.is_array() && !command.empty() &&
           std::all_of(command.begin(), command.end(),
                       [](const Json& word) { return word.is_string(); });
  };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_command))
    return reader.fault("notify", "must be a list of commands, each a list of words",
                        "[[\"mail\", \"-s\", \"sweep\", \"me@example.org\"]]");
  commands = list.get<std::vector<std::vector<std::string>>>();
}

void require_file_name(ObjectReader& reader, const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos || name.front() == '.')
    reader.fault("name", "must be a file name without '/' and not start with '.'");
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

bool is_own_file(const std::string& name) { return name == summary_file || name == slices_file; }

Plan read_plan(const std::filesystem::path& file) {
  const std::string text = read_text(file, std::size_t{1} << 26);
  const Json json = parse_json(text, file.string());
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  Faults faults;
  ObjectReader reader(json, file.string(), faults);
  if (reader.text("schema", "") != "rooftune-sweep-1")
    reader.fault("schema", "must be \"rooftune-sweep-1\"", "docs/sweeps.md shows a plan");
  Plan plan;
  plan.name = reader.text("name", file.stem().string());
  require_file_name(reader, plan.name);
  plan.key = hash_hex(text).substr(0, 16);
  read_total_budget(reader, plan);
  read_threshold(reader, plan.threshold);
  plan.watch = reader.truth("watch", plan.watch);
  if (const std::string busy = reader.text("when_busy", "wait"); busy == "skip")
    plan.wait = false;
  else if (busy != "wait")
    reader.fault("when_busy", "must be wait or skip");
  plan.ceilings = reader.texts("ceilings");
  plan.exports = resolved(reader.text("exports", ""), folder);
  plan.update_exports = reader.truth("update_exports", false);
  read_notify(reader, plan.notify);
  PlannedStudy defaults;
  reader.object("defaults", [&](ObjectReader& object) {
    refuse_own_budget(object, plan);
    read_spec(object, defaults.spec, folder);
    object.finish();
  });
  std::set<std::string> names;
  const auto add = [&](ObjectReader& object) {
    PlannedStudy study = defaults;
    refuse_own_budget(object, plan);
    read_spec(object, study.spec, folder);
    study.priority = object.real("priority", 0);
    if (study.spec.kernel.empty())
      object.fault("kernel", "is missing", "name a kernel or its folder");
    const std::string stem = std::filesystem::path(study.spec.kernel).filename().string();
    study.name = object.text(
        "name", names.count(stem) ? fmt::format("{}-{}", stem, plan.studies.size() + 1) : stem);
    require_file_name(object, study.name);
    if (is_own_file(study.name + ".json"))
      object.fault("name", fmt::format("\"{}\" is a file of the sweep itself", study.name),
                   "give the study another \"name\"");
    if (!names.insert(study.name).second)
      object.fault("name", "is used twice: \"" + study.name + "\"");
    object.finish();
    plan.studies.push_back(std::move(study));
  };
  reader.object("matrix", [&](ObjectReader& matrix) {
    for (const Json& study : expanded(matrix)) {
      ObjectReader object(study, matrix.where() + ": " + shown(study), faults);
      add(object);
    }
  });
  reader.each("studies", add);
  if (plan.studies.empty() && faults.empty()) reader.fault("studies", "holds no study");
  check_shared_budget(reader, plan);
  reader.finish();
  faults.raise();
  return plan;
}

}  // namespace rooftune::sweep
