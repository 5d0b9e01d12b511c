#include "sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/fields.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/text.h"

namespace rooftune::sweep {
namespace {

std::string resolved(const std::string& text, const std::filesystem::path& folder) {
  if (!text.starts_with("./") && !text.starts_with("../")) return text;
  return (std::filesystem::absolute(folder) / text).lexically_normal().string();
}

void resolve(StudySpec& spec, const std::filesystem::path& folder) {
  spec.kernel = resolved(spec.kernel, folder);
  if (spec.program) {
    spec.program->space = resolved(spec.program->space.string(), folder);
    for (std::string& file : spec.program->templates) file = resolved(file, folder);
    std::string& command = spec.program->command;
    const std::size_t end = std::min(command.find(' '), command.size());
    // The folder may hold a blank.
    const std::string first = command.substr(0, end), full = resolved(first, folder);
    if (full != first) command = shell_word(full) + command.substr(end);
  }
  for (InputSpec& input : spec.inputs)
    for (auto& [name, value] : input.parameters)
      if (value.is_text()) value = resolved(value.text(), folder);
}

/// Each input over the one of the defaults.
void complete(std::vector<InputSpec>& inputs, const std::vector<InputSpec>& defaults) {
  for (InputSpec& input : inputs) {
    if (defaults.size() == 1) input.parameters.merge(Facts(defaults.front().parameters));
    input.name = name_of(input.parameters);
  }
}

void require_certainty(ObjectReader& reader, const StudySpec& spec) {
  try {
    certainty(spec);
  } catch (const Error& error) {
    reader.fault(spec.until_within ? "until_within" : "confidence", error.message(), error.hint());
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

/// "budget": the time of a night.
struct Total {
  RunLimit total;
  static void fields(auto& self, auto& visit) { visit("total", self.total); }
};

/// Members as the options of `tune records gc`.
struct Retention {
  std::optional<RunLimit> older_than;
  std::optional<std::uint64_t> keep;
  static void fields(auto& self, auto& visit) {
    visit.defaulted("older_than", self.older_than).defaulted("keep", self.keep);
    visit.check("older_than", self.older_than || self.keep, "is missing",
                "it, \"keep\" or both say what is old");
  }
};

void require_file_name(ObjectReader& reader, const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos || name.front() == '.')
    reader.fault("name", "must be a file name without '/' and not start with '.'");
}

std::string subject(ObjectReader& reader, const StudySpec& spec) {
  try {
    return spec.subject();
  } catch (const Error& error) {
    reader.fault("program", error.message(), error.hint());
    return "program";
  }
}

/// Its own name, or one of no other study of the plan.
void choose_name(ObjectReader& reader, PlannedStudy& study, const Plan& plan) {
  const auto is_taken = [&plan](const std::string& name) {
    return std::any_of(plan.studies.begin(), plan.studies.end(),
                       [&name](const PlannedStudy& other) { return other.name == name; });
  };
  const std::string stem = subject(reader, study.spec);
  if (!reader.has("name"))
    study.name = is_taken(stem) ? fmt::format("{}-{}", stem, plan.studies.size() + 1) : stem;
  require_file_name(reader, study.name);
  if (study.name + ".json" == summary_file)
    reader.fault("name", fmt::format("\"{}\" is a file of the sweep itself", study.name),
                 "give the study another \"name\"");
  if (is_taken(study.name)) reader.fault("name", "is used twice: \"" + study.name + "\"");
}

PlannedStudy read_study(ObjectReader& reader, const Plan& plan, const PlannedStudy& defaults,
                        const std::filesystem::path& folder, Faults& faults) {
  PlannedStudy study = defaults;
  decode_options(reader.json(), Place(reader.where(), faults), study);
  complete(study.spec.inputs, defaults.spec.inputs);
  resolve(study.spec, folder);
  require_certainty(reader, study.spec);
  if (study.spec.program)
    require_whole(reader, study.spec);
  else if (study.spec.kernel.empty())
    reader.fault("kernel", "is missing", "name a kernel or its folder, or a \"program\"");
  choose_name(reader, study, plan);
  return study;
}

}  // namespace

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
  if (reader.has("budget")) plan.total = reader.get<Total>("budget").total.seconds;
  plan.threshold = reader.get("threshold", Fraction{plan.threshold}).value;
  plan.watch = reader.truth("watch", plan.watch);
  if (const std::string busy = reader.text("when_busy", "wait"); busy == "skip")
    plan.wait = false;
  else if (busy != "wait")
    reader.fault("when_busy", "must be wait or skip");
  plan.exports = resolved(reader.text("exports", ""), folder);
  plan.update_exports = reader.truth("update_exports", false);
  plan.notify = reader.get<std::vector<std::vector<std::string>>>("notify");
  if (std::ranges::any_of(plan.notify, &std::vector<std::string>::empty))
    reader.fault("notify", "holds an empty command", "[[\"mail\", \"me@example.org\"]]");
  if (reader.has("retention")) {
    const auto [older_than, keep] = reader.get<Retention>("retention");
    OldRecordsRule& rule = plan.retention.emplace();
    if (older_than) rule.older_than = std::chrono::seconds(std::llround(older_than->seconds));
    rule.keep = keep;
  }
  PlannedStudy defaults;
  reader.object("defaults", [&](ObjectReader& object) {
    decode_options(object.json(), Place(object.where(), faults), defaults.spec);
    resolve(defaults.spec, folder);
  });
  const auto add = [&](ObjectReader& object) {
    plan.studies.push_back(read_study(object, plan, defaults, folder, faults));
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

}  // namespace rooftune::sweep
