// Every member of a study that people may set is one of a plan, and the published schema of plans
// has it: by the list of StudySpec, so that none can be forgotten.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "core/file.h"
#include "os/temporary_directory.h"
#include "support/golden.h"
#include "sweep/plan.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// What the schema says of a member, and values that a plan takes and refuses.
struct Described {
  Json schema, good, bad;
};

Json words_json(Words words) {
  Json list = Json::array();
  for (const char* const word : words) list.push_back(word);
  return list;
}

Json number_schema(const char* type, const Option& option) {
  Json schema{{"type", type}};
  if (std::isfinite(option.least)) schema["minimum"] = static_cast<int>(option.least);
  if (std::isfinite(option.most)) schema["maximum"] = static_cast<int>(option.most);
  return schema;
}

template <class T>
Described described(const T& member, const Option& option) {
  if constexpr (std::same_as<T, std::optional<Program>>) {
    return {{{"$ref", "#/definitions/program"}}, {{"command", "app"}, {"space", "app.json"}}, 7};
  } else if constexpr (fields_detail::is<T, std::map>) {
    return {
        {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}}, Json::object(), 7};
  } else if constexpr (fields_detail::is<T, std::optional>) {
    return described(typename T::value_type{}, option);
  } else if constexpr (std::same_as<T, bool>) {
    return {{{"type", "boolean"}}, !member, "yes"};
  } else if constexpr (std::integral<T>) {
    Option limits = option;
    if (std::unsigned_integral<T>) limits.least = 0;
    return {number_schema("integer", limits), member + 1, 1.5};
  } else if constexpr (std::floating_point<T>) {
    return {number_schema("number", option), member + 1, "much"};
  } else if constexpr (HasWords<T>) {
    return {{{"enum", words_json(words(T{}))}}, words(T{}).back(), "no_such_word"};
  } else if constexpr (ReadsText<T>) {
    const bool share = std::same_as<T, Fraction>;
    return {{{"type", {"string", "number"}}}, share ? Json("5%") : Json("40,10min"), "soon"};
  } else if constexpr (std::same_as<T, std::vector<InputSpec>>) {
    return {{{"$ref", "#/definitions/problem"}}, {{"n", 3}}, 7};
  } else if constexpr (std::same_as<T, std::vector<Facts>>) {
    return {{{"type", "array"}, {"items", {{"type", "object"}}}}, Json::array({{{"tile", 8}}}), 7};
  } else if constexpr (std::same_as<T, std::vector<std::string>>) {
    return {{{"type", "array"}, {"items", {{"type", "string"}}}}, Json::array({"text"}), 7};
  } else {
    return {{{"type", "string"}}, "text", 7};
  }
}

/// Calls `look(name, described, option, spec)` for every member that people may set.
void each_member(
    const std::function<void(const std::string&, const Described&, const Option&)>& look) {
  StudySpec spec;
  const auto visit = [&](const char* name, const auto& member, const Option& option) {
    look(name, described(member, option), option);
  };
  StudySpec::fields(spec, visit);
}

Json plan_of(Json study) {
  if (!study.contains("program")) study["kernel"] = study.value("kernel", Json("triad"));
  return {{"schema", "rooftune-sweep-1"}, {"studies", Json::array({study})}};
}

/// All members in one text, to tell whether a plan set one.
std::string text_of(const StudySpec& spec) {
  std::string text;
  const auto visit = [&]<class T>(const char*, const T& member, const Option&) {
    if constexpr (std::same_as<T, std::vector<InputSpec>>)
      for (const InputSpec& input : member) text += input.name;
    else if constexpr (fields_detail::is<T, std::optional>)
      text += member ? "set" : "";
    else if constexpr (HasWords<T>)
      text += word(member);
    else if constexpr (std::same_as<T, std::vector<Facts>>)
      text += json_text(encode(member));
    else if constexpr (std::same_as<T, Budget>)
      text += member.evaluations ? "evaluations" : "";
    else if constexpr (std::same_as<T, std::filesystem::path>)
      text += member.string();
    else
      text += json_text(member);
    text += "\n";
  };
  StudySpec::fields(spec, visit);
  return text;
}

Plan read(const Json& plan) {
  const TemporaryDirectory folder;
  write_atomically(folder.path() / "plan.json", json_text(plan));
  return read_plan(folder.path() / "plan.json");
}

std::string fault_of(const Json& plan) {
  try {
    read(plan);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a plan has every member of a study, and says who chooses those of the sweep") {
  const std::string usual = text_of(read(plan_of(Json::object())).studies.at(0).spec);
  int of_plans = 0;
  each_member([&](const std::string& name, const Described& member, const Option& option) {
    INFO(name);
    const Json good = name == "strategy" ? Json("random") : member.good;
    if (option.refused_in_files) {
      CHECK_THAT(fault_of(plan_of({{name, good}})), Contains("/studies/0/" + name + ": is "));
      return;
    }
    ++of_plans;
    CHECK(text_of(read(plan_of({{name, good}})).studies.at(0).spec) != usual);
    CHECK_THAT(fault_of(plan_of({{name, member.bad}})), Contains("/studies/0/" + name + ": "));
    const Json in_defaults{{"schema", "rooftune-sweep-1"},
                           {"defaults", plan_of({{name, good}}).at("studies").at(0)},
                           {"studies", Json::array({Json::object()})}};
    CHECK(text_of(read(in_defaults).studies.at(0).spec) != usual);
    Json axes{{"kernel", Json::array({"triad"})}};
    if (name == "program") axes.clear();
    axes[name] = Json::array({good});
    CHECK(text_of(read({{"schema", "rooftune-sweep-1"}, {"matrix", axes}}).studies.at(0).spec) !=
          usual);
  });
  CHECK(of_plans >= 20);
}

TEST_CASE("a number outside its range is a fault that names the range") {
  CHECK_THAT(fault_of(plan_of({{"builders", 70000}})),
             Contains("/studies/0/builders: must be 0 to 65536"));
  CHECK_THAT(fault_of(plan_of({{"target_gap", 0.5}})), Contains("must be at least 1"));
}

TEST_CASE("the schema of plans has the members of the list") {
  const auto file = std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "docs/schema/plan.schema.json";
  Json schema = read_json(file);
  Json members = Json::object(), axes = Json::object();
  each_member([&](const std::string& name, const Described& member, const Option& option) {
    if (option.refused_in_files) return;
    members[name] = member.schema;
    members[name]["description"] = option.about;
    axes[name] = {{"type", "array"}, {"items", member.schema}, {"minItems", 1}};
  });
  Json& definitions = schema.at("definitions");
  Json of_program = Json::object();
  Program program;
  const auto visit = [&](const char* name, const auto& member, const Option& option) {
    of_program[name] = described(member, option).schema;
    of_program[name]["description"] = option.about;
  };
  Program::fields(program, visit);
  definitions["program"] = {{"type", "object"},
                            {"required", {"command", "space"}},
                            {"additionalProperties", false},
                            {"properties", of_program}};
  Json& matrix = schema.at("properties").at("matrix").at("properties");
  const Json own{{"problem", matrix.at("problem")}, {"exclude", matrix.at("exclude")}};
  axes.update(own);
  matrix = axes;
  definitions.at("defaults").at("properties") = members;
  members["name"] = {{"$ref", "#/definitions/file_name"}};
  members["priority"] = {{"type", "number"}};
  definitions.at("study").at("properties") = members;
  sample::check_approved("docs/schema/plan.schema.json", json_text(schema, 1) + "\n");
}

TEST_CASE("a study of a plan tunes a kernel or a program, whole") {
  const Json program{{"command", "./app {x}"}, {"space", "./app.json"}, {"run_limit", "30s"}};
  const StudySpec spec = read(plan_of({{"program", program}})).studies.at(0).spec;
  REQUIRE(spec.program);
  CHECK(spec.program->run_limit.seconds == 30);
  CHECK(spec.program->command.ends_with("/app {x}"));
  CHECK(spec.program->space.is_absolute());
  CHECK(read(plan_of({{"program", program}})).studies.at(0).name == "app");
  CHECK_THAT(fault_of(plan_of({{"program", program}, {"kernel", "triad"}})),
             Contains("/studies/0/kernel: is of no use beside a \"program\""));
  CHECK_THAT(fault_of(plan_of({{"program", {{"command", "./app"}}}})),
             Contains("/studies/0/program: has no \"space\""));
  CHECK_THAT(fault_of(plan_of({{"program", {{"comand", "./app"}}}})), Contains("did you mean"));
  CHECK_THAT(fault_of(plan_of({{"program", {{"command", "a"}, {"run_limit", "soon"}}}})),
             Contains("/studies/0/program/run_limit: "));
}
