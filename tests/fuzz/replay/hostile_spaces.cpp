// Files that somebody wrote to make a reader suffer: each ends in a short Error that names a place.
#include <catch2/catch.hpp>
#include <functional>

#include "core/error.h"
#include "core/json.h"
#include "replay/t1_space.h"
#include "support/recorded_text.h"

using namespace rooftune;

namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string plain(const std::string& values, const std::string& condition) {
  return R"({"name": "s", "parameters": [{"name": "a", "values": )" + values +
         R"(}, {"name": "b", "values": [0, 1]}], "constraints": [")" + condition + R"("]})";
}

std::string t1(const std::string& values, const std::string& condition) {
  return R"({"ConfigurationSpace": {"TuningParameters": [
    {"Name": "a", "Type": "int", "Values": ")" +
         values + R"("}], "Conditions": [{"Expression": ")" + condition +
         R"(", "Parameters": ["a"]}]}, "KernelSpecification": {"Language": "CUDA",
    "KernelName": "k", "KernelFile": "k.cu"}})";
}

std::string cachefile(const std::string& entries) {
  return R"({"device_name": "d", "kernel_name": "k", "problem_size": 1, "objective": "time",
    "tune_params_keys": ["a"], "tune_params": {"a": [1, 2]}, "cache": {)" +
         entries + "}}";
}

/// As `tune space` and `tune replay` read it.
void read(const std::string& text) {
  const Json json = parse_json(text, "evil.json");
  if (is_t1(json))
    t1_from_json(json, "evil.json");
  else if (json.is_object() && json.contains("parameters"))
    plain_space_from_json(json, "evil.json");
  else
    test::recording_from_text(text, "evil.json").space();
}

struct Hostile {
  const char* what;
  std::function<std::string()> text;
  const char* words;  ///< in the Error
};

const std::vector<Hostile>& hostile() {
  static const std::vector<Hostile> all{
      {"nested parentheses",
       [] { return plain("[1]", repeated("(", 10000) + "a" + repeated(")", 10000)); },
       "/constraints/0: nested deeper"},
      {"nested lists",
       [] { return plain("[1]", "a in " + repeated("[", 10000) + repeated("]", 10000)); },
       "/constraints/0: nested deeper"},
      {"many signs", [] { return plain("[1]", repeated("-", 90000) + "a > 0"); },
       "/constraints/0: nested deeper"},
      {"a tower of powers", [] { return plain("[1]", "a" + repeated("**a", 30000)); },
       "/constraints/0"},
      {"a long expression", [] { return plain("[1]", repeated("a + ", 100000) + "a"); },
       "/constraints/0: expression of"},
      {"an overflow everywhere", [] { return plain("[1, 2]", "2 ** (a * 1000) > 5"); },
       "no configuration satisfies"},
      {"divisions by zero only", [] { return plain("[1, 2]", "a // (b - b) == 1"); },
       "no configuration satisfies"},
      {"an integer of 30 digits", [] { return plain(repeated("9", 30).insert(0, "[") + "]", "a"); },
       "evil.json:1:"},
      {"not a number", [] { return plain("[NaN]", "a"); }, "evil.json:1:"},
      {"infinity", [] { return plain("[1e999]", "a"); }, "evil.json:1:"},
      {"invalid UTF-8", [] { return plain("[\"\xff\xfe\"]", "a"); }, "evil.json:1:"},
      {"a name of a megabyte",
       [] {
         return R"({"name": "s", "parameters": [{"name": ")" + std::string(1000000, 'x') +
                R"(", "values": [1]}], "constraints": []})";
       },
       "has a name of 1000000 bytes"},
      {"a value of a megabyte",
       [] { return plain("[\"" + std::string(1000000, 'x') + "\"]", "b > 0"); },
       "has a value of 1000000 bytes"},
      {"many values",
       [] {
         std::string values = "[0";
         for (int i = 1; i < 200000; ++i) values += "," + std::to_string(i);
         return plain(values + "]", "b > 0");
       },
       "has 200000 values; at most"},
      {"nested arrays", [] { return repeated("[", 1000000); }, "nested deeper than 200"},
      {"nested objects", [] { return repeated("{\"a\":", 100000); }, "nested deeper than 200"},
      {"keys twice", [] { return std::string(R"({"parameters": [], "parameters": []})"); },
       "appears twice"},
      {"a huge range", [] { return t1("range(10**12)", "a > 0"); },
       "Parameters/0/Values: parameter \"a\": lists"},
      {"a huge range below", [] { return t1("[1, 2]", "a in range(10**15)"); }, "lists of more"},
      {"a huge sum", [] { return t1("[1, 2]", "sum(range(10**12)) > a"); }, "lists of more"},
      {"a comprehension", [] { return t1("[x for x in range(10**9)]", "a > 0"); }, "lists of more"},
      {"a text times a number", [] { return t1("['a' * 10**10]", "a"); }, "cannot apply"},
      {"a call of the system", [] { return t1("__import__('os').system('true')", "a"); },
       "unknown function"},
      {"a negative time", [] { return cachefile(R"("1": {"a": 1, "time": -1})"); },
       "/cache/1/time"},
      {"no time at all", [] { return cachefile(R"("1": {"a": 1})"); }, "/cache/1/time"},
      {"a configuration twice",
       [] { return cachefile(R"("1": {"a": 1, "time": 1}, "x": {"a": 1, "time": 2})"); },
       "the same configuration"},
      {"an unknown outcome",
       [] { return cachefile(R"("1": {"a": 1, "time": 1, "rooftune_outcome": "fine"})"); },
       "/cache/1/rooftune_outcome"},
  };
  return all;
}

}  // namespace

TEST_CASE("hostile files end in a short error with a place") {
  for (const Hostile& file : hostile()) {
    INFO(file.what);
    std::string fault = "no error";
    try {
      read(file.text());
    } catch (const Error& error) {
      fault = error.what();
    }
    CHECK_THAT(fault, Catch::Contains(file.words));
    CHECK(fault.find("evil.json") != std::string::npos);
    CHECK(fault.size() < 5000);
  }
}
