// Spaces in the plain form of the field, and T1 as the space of a program.
#include <catch2/catch.hpp>

#include "core/error.h"
#include "replay/t1_space.h"
#include "space/space_reader.h"
#include "support/scratch_folder.h"
#include "support/with_extensions.h"

using namespace rooftune;

namespace {

template <typename Act>
std::string plain_fault(Act act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the space of a program may be a T1 file") {
  const testing::ScratchFolder folder;
  const auto t1 = folder.write("t1.json", R"json({"ConfigurationSpace": {"TuningParameters": [
    {"Name": "a", "Type": "int", "Values": "[1, 2]", "Default": 2}], "Conditions": []}})json");
  CHECK(space_from_json(read_command_space(t1, "app"), "t1.json", {}).size() == 2);
}

TEST_CASE("spaces as plain data") {
  const Json json = parse_json(
      R"json({"name": "g", "parameters": [{"name": "M", "values": [16, 32]}, {"name": "V", "values": [1, 2]}],
          "constraints": ["M % (V * 16) == 0"], "valid_count": 3})json",
      "g.json");
  const SearchSpace space = plain_space_from_json(json, "g.json");
  CHECK(space.name() == "g");
  CHECK(space.size() == 3);
  CHECK(plain_fault([&] {
          plain_space_from_json(
              parse_json(R"json({"parameters": [{"name": "M", "values": []}, {"values": [null]}],
                             "constraints": ["M +"]})json",
                         "g.json"),
              "g.json");
        }) == R"json(5 faults
g.json: /name: is missing (a text)
g.json: /parameters/0/values: expected a list of values
g.json: /parameters/1/name: is missing (a text)
g.json: /parameters/1/values/0: expected a number, text or truth
g.json: /constraints/0: expected a value, found the end at column 4 of "M +")json");
}

TEST_CASE("faults of plain spaces name the file and the knob or constraint") {
  const auto fault = [](const std::string& values, const std::string& constraint) {
    return plain_fault([&] {
      plain_space_from_json(
          parse_json(R"json({"name": "g", "parameters": [{"name": "M", "values": )json" + values +
                         R"json(}], "constraints": [")json" + constraint + R"json("]})json",
                     "g.json"),
          "g.json");
    });
  };
  CHECK(fault("[1, 2, 1]", "M > 0") == "g.json: knob \"M\": value 1 appears twice");
  CHECK(fault("[1, 2]", "N > 0") == "g.json: constraint \"N > 0\": unknown name \"N\"");
  CHECK(fault("[1, 2]", "M // 0 == 1") ==
        "g.json: no configuration satisfies this constraint:\n  \"M // 0 == 1\"\n"
        "hint: no values of its knobs make it true; division by zero in \"//\" at column 3 of "
        "\"M // 0 == 1\" with M=1");
}
