#include "sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/fields.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/list.h"
#include "core/text.h"
#include "search/strategy.h"
#include "store/record_reader.h"
#include "study/spec.h"

namespace rooftune::sweep {
namespace {

std::string resolved(const std::string& text, const fs::path& folder) {
  if (!text.starts_with("./") && !text.starts_with("../")) return text;
  return (fs::absolute(folder) / text).lexically_normal().string();
}

void resolve(StudySpec& spec, const fs::path& folder) {
  spec.kernel = resolved(spec.kernel, folder);
  if (spec.program) {
    spec.program->space = resolved(spec.program->space.string(), folder);
    for (std::string& file : spec.program->templates) file = resolved(file, folder);
    std::string& command = spec.program->command;
    const size_t end = std::min(command.find(' '), command.size());
    // The folder's name may hold a blank.
    const std::string first = command.substr(0, end), full = resolved(first, folder);
    if (full != first) command = shell_word(full) + command.substr(end);
  }
  for (InputSpec& input : spec.inputs)
    for (auto& [name, value] : input.parameters)
      if (value.is_text()) value = resolved(value.text(), folder);
}

/// Completes each input from the defaults' only input.
void complete(std::vector<InputSpec>& inputs, const std::vector<InputSpec>& defaults) {
  for (InputSpec& input : inputs) {
    if (defaults.size() == 1) input.parameters.merge(Facts(defaults.front().parameters));
    input.name = name_of(input.parameters);
  }
}

void require_whole(ObjectReader& reader, const StudySpec& spec) {
  if (!spec.kernel.empty())
    reader.fault("kernel", "is of no use beside a \"program\"", "a study tunes one of them");
  if (spec.program->command.empty())
    reader.fault("program", "has no \"command\"", "the command line of a run");
  if (spec.program->space.empty())
    reader.fault("program", "has no \"space\"", "a file with its knobs (docs/programs.md)");
}

/// "when_busy": what a study does while others use its cores.
ROOFTUNE_ENUM(WhenBusy, wait, skip)

/// "budget": how long a night may take.
struct Total {
  RunLimit total;
  ROOFTUNE_FIELDS(total)
};

/// Members are named as the options for `tune records gc`.
struct Retention {
  RunLimit older_than;
  ROOFTUNE_FIELDS(older_than)
};

void require_file_name(ObjectReader& reader, const std::string& name) {
  if (name.empty() || contains(name, '/') || name.front() == '.')
    reader.fault("name", "must be a file name without '/' and not start with '.'");
}

/// Gives the study its own name, or a name that no other study in the plan has.
void choose_name(ObjectReader& reader, PlannedStudy& study, const Plan& plan) {
  const auto is_taken = [&plan](const std::string& name) {
    return contains(plan.studies, name, &PlannedStudy::name);
  };
  const std::string stem = reader.attempted(
      "program", [&] { return study.spec.subject(); }, "program");
  if (!reader.has("name"))
    study.name = is_taken(stem) ? fmt::format("{}-{}", stem, plan.studies.size() + 1) : stem;
  require_file_name(reader, study.name);
  if (study.name + ".json" == summary_file)
    reader.fault("name", fmt::format("\"{}\" is a file of the sweep itself", study.name),
                 "give the study another \"name\"");
  if (is_taken(study.name)) reader.fault("name", "is used twice: \"" + study.name + "\"");
}

PlannedStudy read_study(ObjectReader& reader, const Plan& plan, const PlannedStudy& defaults,
                        const fs::path& folder) {
  PlannedStudy study = defaults;
  decode_options(reader.place(), study);
  complete(study.spec.inputs, defaults.spec.inputs);
  resolve(study.spec, folder);
  reader.attempted("strategy", [&] { return &strategy_row(study.spec.strategy); });
  if (study.spec.program)
    require_whole(reader, study.spec);
  else if (study.spec.kernel.empty())
    reader.fault("kernel", "is missing", "name a kernel or its folder, or a \"program\"");
  choose_name(reader, study, plan);
  return study;
}

/// The members of a study in the order in which they vary, the first slowest.
std::vector<const char*> axis_names() {
  std::vector<const char*> names;
  const auto add = [&names](const char* name, auto&, const Option& option) {
    if (!option.refused_in_files) names.push_back(name);
  };
  StudySpec spec;
  StudySpec::fields(spec, add);
  return names;
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object()) return value.dump();
  std::string text;
  for (const auto& [key, member] : value.items())
    join(text, key + "=" + file_name(text_of(member)), ",");
  return text;
}

/// Faults are not reported here, but with the study.
std::string program_name(const Json& json) {
  Faults faults;
  Program program;
  decode(Place(json, "matrix", faults), program);
  try {
    return program.study_name();
  } catch (const Error&) {
    return "program";
  }
}

/// A study's name from the values that tell it apart in the plan, fit for a file name.
std::string name_of(const Json& study, const Texts& telling) {
  std::string name = study.contains("kernel") ? file_name(text_of(study.at("kernel")))
                                              : program_name(study.at("program"));
  for (const std::string& axis : telling)
    if (study.contains(axis)) name += "." + file_name(text_of(study.at(axis)));
  return name;
}

/// An axis' values, a kernel's own where it has them.
std::vector<Json> values_of(const Json& axis, const std::string& kernel) {
  const auto list = [](const Json& values) {
    return std::vector<Json>(values.begin(), values.end());
  };
  if (axis.is_array()) return list(axis);
  for (const std::string& key : {kernel, file_name(kernel), std::string("*")})
    if (axis.contains(key)) return list(axis.at(key));
  return {};
}

bool holds(const Json& study, const Json& members) {
  for (const auto& [name, wanted] : members.items()) {
    if (!study.contains(name)) return false;
    const Json& value = study.at(name);
    if (wanted.is_object() && value.is_object() ? !holds(value, wanted) : value != wanted)
      return false;
  }
  return true;
}

/// Checks the axes' shape; true when they can be expanded.
bool read_axes(ObjectReader& matrix, Json& axes) {
  bool good = true;
  const auto fault = [&](const char* name, const char* message, const char* hint) {
    matrix.fault(name, message, hint);
    good = false;
  };
  for (const char* const name : axis_names()) {
    const Json& axis = matrix.member(name);
    if (axis.is_null()) continue;
    const bool by_kernel = axis.is_object() && std::string(name) == "problem";
    if (by_kernel) {
      for (const auto& [kernel, list] : axis.items())
        if (!list.is_array() || list.empty())
          fault(name, "holds a list of problems for each kernel", "{\"spmv\": [{...}, {...}]}");
    } else if (!axis.is_array() || axis.empty()) {
      fault(name, "must be a list of values", "one value is a list of one");
    }
    axes[name] = axis;
  }
  if (!axes.contains("kernel") && !axes.contains("program"))
    fault("kernel", "is missing", "a list of kernels, or of programs as \"program\"");
  return good;
}

std::vector<Json> combined(const Json& axes) {
  std::vector<Json> studies{Json::object()};
  for (const auto& [name, axis] : axes.items()) {
    std::vector<Json> longer;
    for (const Json& study : studies) {
      const std::string kernel = study.contains("kernel") ? text_of(study.at("kernel")) : "";
      const std::vector<Json> values = values_of(axis, kernel);
      if (values.empty()) longer.push_back(study);
      for (const Json& value : values) {
        longer.push_back(study);
        longer.back()[name] = value;
      }
    }
    studies = std::move(longer);
  }
  return studies;
}

void exclude(ObjectReader& matrix, std::vector<Json>& studies) {
  matrix.each("exclude", [&](ObjectReader& object) {
    for (const auto& [name, value] : object.json().items()) object.know(name);
    const auto before = studies.size();
    std::erase_if(studies, [&](const Json& study) { return holds(study, object.json()); });
    if (studies.size() == before)
      object.fault("", "excludes nothing: " + json_text(object.json()),
                   "its values must be those of the axes");
  });
}

}  // namespace

Plan read_plan(const fs::path& file) {
  const std::string text = read_text(file, size_t{1} << 26);
  const Json json = parse_json(text, file.string());
  const fs::path folder = fs::absolute(file).parent_path();
  Faults faults;
  ObjectReader reader(json, file.string(), faults);
  if (reader.text("schema", "") != "rooftune-sweep-1")
    reader.fault("schema", "must be \"rooftune-sweep-1\"", "docs/sweeps.md shows a plan");
  Plan plan;
  plan.name = reader.text("name", file.stem().string());
  require_file_name(reader, plan.name);
  plan.key = hash_hex(text).substr(0, 16);
  if (reader.has("budget")) plan.total = reader.get<Total>("budget").total.seconds;
  plan.threshold = reader.get("threshold", Fraction{plan.threshold}).value;
  reader.read("watch", plan.watch);
  plan.wait = reader.get("when_busy", WhenBusy::wait) == WhenBusy::wait;
  reader.read("notify", plan.notify);
  if (any_of(plan.notify, &Texts::empty))
    reader.fault("notify", "holds an empty command", "[[\"mail\", \"me@example.org\"]]");
  if (reader.has("retention"))
    plan.retention = Seconds(reader.get<Retention>("retention").older_than.seconds);

  PlannedStudy defaults;
  reader.object("defaults", [&](ObjectReader& object) {
    decode_options(object.place(), defaults.spec);
    resolve(defaults.spec, folder);
  });
  const auto add = [&](ObjectReader& object) {
    plan.studies.push_back(read_study(object, plan, defaults, folder));
  };
  reader.object("matrix", [&](ObjectReader& matrix) {
    for (const Json& study : expanded(matrix)) {
      ObjectReader object(study, matrix.where() + ": " + shown(study), faults);
      add(object);
    }
  });
  reader.each("studies", add);
  if (plan.studies.empty() && faults.empty()) reader.fault("studies", "holds no study");
  reader.finish();
  faults.raise();
  return plan;
}

std::vector<Json> expanded(ObjectReader& matrix) {
  Json axes = Json::object();
  std::vector<Json> studies;
  if (read_axes(matrix, axes)) studies = combined(axes);
  exclude(matrix, studies);
  Texts telling;
  for (const auto& [name, axis] : axes.items())
    if (name != "kernel" && name != "program" && (axis.is_object() || axis.size() > 1))
      telling.push_back(name);
  for (Json& study : studies) study["name"] = name_of(study, telling);
  matrix.finish();
  return studies;
}

}  // namespace rooftune::sweep
