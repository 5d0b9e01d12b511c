// ObjectReader: typed members, and every fault collected with its pointer.
#include "core/object_reader.h"

#include <catch2/catch.hpp>

#include "core/json.h"

namespace rooftune {
namespace {

template <class T>
T needed(ObjectReader& reader, const std::string& key) {
  T value{};
  reader.need(key, value);
  return value;
}

std::string faults_of(const std::string& text, const std::function<void(ObjectReader&)>& read) {
  Faults faults;
  const Json json = parse_json(text, "m.json");
  ObjectReader reader(json, "m.json", faults);
  read(reader);
  reader.finish();
  try {
    faults.raise();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("members are read with their types and defaults") {
  const std::string text = R"({"t": "x", "i": 3, "e": 4e9, "r": 0.5, "b": true, "s": ["a", "b"],
                               "f": "2*n", "g": 8, "h": 0.5, "o": {"i": 1}, "a": [{"i": 1}, {"i": 2}]})";
  CHECK(faults_of(text, [](ObjectReader& r) {
          CHECK(r.text("t") == "x");
          CHECK(r.text("absent", "d") == "d");
          CHECK(needed<std::int64_t>(r, "i") == 3);
          CHECK(needed<std::int64_t>(r, "e") == 4'000'000'000);
          CHECK(r.get("absent", std::int64_t{7}) == 7);
          CHECK(needed<double>(r, "r") == 0.5);
          CHECK(needed<double>(r, "i") == 3.0);
          CHECK(r.get("absent", 1.5) == 1.5);
          CHECK(r.get("b", false));
          CHECK(r.get("absent", true));
          CHECK(r.get<Texts>("s") == std::vector<std::string>{"a", "b"});
          CHECK(r.get<Texts>("absent").empty());
          CHECK(r.formula("f", "") == "2*n");
          CHECK(r.formula("g", "") == "8");
          CHECK(r.formula("h", "") == "0.5");
          CHECK(r.formula("absent", "1") == "1");
          CHECK(r.member("absent").is_null());
          CHECK(r.has("o"));
          CHECK(r.object("o", [](ObjectReader& o) { CHECK(needed<std::int64_t>(o, "i") == 1); }));
          CHECK_FALSE(r.object("absent", [](ObjectReader&) { FAIL(); }));
          std::int64_t sum = 0;
          r.each("a", [&](ObjectReader& e) { sum += needed<std::int64_t>(e, "i"); });
          r.each("absent", [](ObjectReader&) { FAIL(); });
          CHECK(sum == 3);
        }) == "none");
}

TEST_CASE("all faults come at once, each at its pointer") {
  const std::string found = faults_of(
      R"({"i": 1.5, "t": 3, "b": 1, "s": ["a", 2], "f": true, "o": [], "a": [1, {"x/y~": 1}], "knbs": 0})",
      [](ObjectReader& r) {
        CHECK(r.get("i", std::int64_t{9}) == 9);
        CHECK(r.text("t").empty());
        r.get("b", false);
        r.get<Texts>("s");
        r.formula("f", "");
        r.object("o", [](ObjectReader&) { FAIL(); });
        r.each("a", [](ObjectReader& e) {
          e.fault("x/y~", "is odd");
          e.know("x/y~");
        });
        needed<double>(r, "missing");
        r.know("knobs");
      });
  CHECK(found == R"(10 faults
m.json: /i: expected an integer, got 1.5
m.json: /t: expected a text, got 3
m.json: /b: expected true or false, got 1
m.json: /s/1: expected a text, got 2
m.json: /f: expected a number or an expression, got true
m.json: /o: expected an object, got an array
m.json: /a/0: expected an object, got 1
m.json: /a/1/x~1y~0: is odd
m.json: /missing: is missing (a number)
m.json: /knbs: unknown member "knbs"
hint: did you mean "knobs"?)");
}

TEST_CASE("one fault keeps its place, message and hint apart") {
  Faults faults;
  const Json json = parse_json(R"({"memory": [{"rate": 1}]})", "machines/a100.json");
  ObjectReader reader(json, "machines/a100.json", faults);
  reader.each("memory", [](ObjectReader& m) {
    m.know("rate");
    m.fault("rate", "unknown unit \"KB/s\"", "kB/s or KiB/s");
  });
  CHECK(faults.size() == 1);
  try {
    faults.raise();
    FAIL();
  } catch (const Error& error) {
    CHECK(std::string(error.what()) ==
          "machines/a100.json: /memory/0/rate: unknown unit \"KB/s\"\nhint: kB/s or KiB/s");
    CHECK(error.where() == "machines/a100.json: /memory/0/rate");
    CHECK(error.message() == "unknown unit \"KB/s\"");
    CHECK(error.hint() == "kB/s or KiB/s");
    CHECK(error.code() == ExitCode::usage);
  }
}

TEST_CASE("a document that is no object is one fault") {
  CHECK(faults_of("[1]", [](ObjectReader& r) { r.text("t", "d"); }) ==
        "m.json: expected an object, got an array");
  CHECK(faults_of("{\"i\": 1e300}", [](ObjectReader& r) { needed<std::int64_t>(r, "i"); }) ==
        "m.json: /i: expected an integer, got 1e+300");
}

}  // namespace rooftune
