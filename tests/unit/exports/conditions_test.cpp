#include <catch2/catch.hpp>

#include "exports/kernel_library.h"
#include "support/sample_machine.h"

using namespace rooftune;

namespace {

Kernel two_sizes() {
  Kernel result;
  for (const char* name : {"rows", "cols"}) {
    Argument argument;
    argument.name = name;
    argument.type = Argument::Type::int64;
    argument.value = Expression::parse(name);
    result.arguments.push_back(argument);
  }
  return result;
}

StudyRecord study_with(const Json& constraints, const Json& more = Json::array()) {
  StudySetup setup;
  setup.machine = sample::machine();
  Json knobs = Json::parse(R"([
    {"name": "form", "kind": "compile", "values": ["rows", "half"], "default": "rows",
     "breaks": ["compulsory"],
     "applicable": {"if": "symmetric > 0", "reason": "it is not symmetric"}},
    {"name": "band", "kind": "compile", "values": [0, 64], "default": 0, "breaks": ["tlb"]},
    {"name": "fixed", "kind": "compile", "values": "=[0, rows]", "default": 0, "breaks": ["ilp"]}
  ])");
  for (const Json& knob : more) knobs.push_back(knob);
  setup.space = {"space.json",
                 {{"schema", "rooftune-space-1"},
                  {"kernel", "k"},
                  {"backend", "openmp"},
                  {"knobs", knobs},
                  {"constraints", constraints}}};
  InputModel input;
  input.problem = {{"rows", 1000}, {"cols", 1000}};
  input.facts = {{"symmetric", 1}, {"fill", 1.5}};
  setup.inputs.push_back(input);
  StudyRecord record;
  record.header.threads = 2;
  record.setup = setup;
  return record;
}

Configuration chosen(const std::string& form, int band, int fixed) {
  Configuration configuration;
  configuration.set("form", form);
  configuration.set("band", band);
  configuration.set("fixed", fixed);
  return configuration;
}

}  // namespace

TEST_CASE("the defaults ask for nothing") {
  const Json constraints{{{"expression", "band == 0 or band < cols"}, {"reason", "one band"}}};
  CHECK(conditions_of(study_with(constraints), two_sizes(), chosen("rows", 0, 0)).empty());
}

TEST_CASE("what arguments tell is checked in the library, in any order of the words") {
  for (const char* expression : {"band == 0 or band < cols", "band < cols or band == 0",
                                 "not (band > 0 and cols <= band)"}) {
    const auto conditions =
        conditions_of(study_with({{{"expression", expression}, {"reason", "one band"}}}),
                      two_sizes(), chosen("rows", 64, 0));
    INFO(expression);
    REQUIRE(conditions.size() == 1);
    CHECK(conditions[0].check.find("double(cols)") != std::string::npos);
    CHECK(conditions[0].check.find("band") == std::string::npos);
  }
}

TEST_CASE("what no argument tells is a promise") {
  const auto conditions =
      conditions_of(study_with(Json::array()), two_sizes(), chosen("half", 0, 0));
  REQUIRE(conditions.size() == 1);
  CHECK(conditions[0].expression == "symmetric > 0");
  CHECK(conditions[0].reason == "it is not symmetric");
  CHECK(conditions[0].check.empty());

  const Json knob = Json::parse(R"([{"name": "order", "kind": "compile", "values": [0, 1],
    "default": 0, "breaks": ["tlb"], "promise": "x stays"}])");
  Configuration ordered = chosen("rows", 0, 0);
  ordered.set("order", 1);
  const auto promised = conditions_of(study_with(Json::array(), knob), two_sizes(), ordered);
  REQUIRE(promised.size() == 1);
  CHECK(promised[0].expression == "x stays");
}

TEST_CASE("a value that was made for a problem is right on that problem") {
  const auto conditions =
      conditions_of(study_with(Json::array()), two_sizes(), chosen("rows", 0, 1000));
  REQUIRE(conditions.size() == 1);
  CHECK(conditions[0].expression == "rows == 1000");
  CHECK(conditions[0].check == "(double(rows) == 1000.0)");
}

TEST_CASE("conditions about speed ask for nothing") {
  const Json constraints{
      {{"expression", "band == 0 or fill <= 2"}, {"reason", "dense"}, {"about", "speed"}}};
  CHECK(conditions_of(study_with(constraints), two_sizes(), chosen("rows", 64, 0)).empty());
}
