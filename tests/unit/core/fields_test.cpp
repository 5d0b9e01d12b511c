// One list of fields, from which JSON is written and read.
#include "core/fields.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace rooftune {
namespace {

enum class Shade { light, dark };
inline Words words(Shade) {
  static constexpr const char* all[] = {"light", "dark"};
  return all;
}

struct Point {
  double x = 0;
  int weight = 1;
  static constexpr bool row = true;
  static void fields(auto& self, auto& visit) { visit("x", self.x)("weight", self.weight); }
  bool operator==(const Point&) const = default;
};

struct Pen {
  Shade shade = Shade::light;
  std::optional<double> width;
  static void fields(auto& self, auto& visit) {
    visit("shade", self.shade)("width", self.width);
    visit.check("width", !self.width || *self.width > 0, "must be above 0", "give it in mm");
  }
  bool operator==(const Pen&) const = default;
};

struct Drawing {
  std::string name;
  std::filesystem::path file;
  bool done = false;
  std::uint64_t seed = 0, id = 7;
  std::int64_t offset = 0;
  std::vector<Point> points;
  std::map<std::string, Value> options;
  std::pair<double, double> range{0, 1};
  std::vector<std::string> notes = {};
  int looks = 3;
  std::optional<Pen> pen = {};
  double error = 0;
  Json raw = {};
  static void fields(auto& self, auto& visit) {
    visit("name", self.name)("file", self.file)("done", self.done)("seed", self.seed)(
        "id", AsText{self.id});
    visit.defaulted("offset", self.offset)("points", self.points)("options", self.options);
    visit("range", self.range).sparse("notes", self.notes).sparse("looks", self.looks, 3);
    visit.sparse("pen", self.pen)("error", AnyNumber{self.error})("raw", self.raw);
  }
  bool operator==(const Drawing&) const = default;
};

/// A struct of somebody else, listed beside the message that holds it.
struct Foreign {
  int number = 0;
};
void fields(FieldsOf<Foreign> auto& self, auto& visit) { visit("number", self.number).open(); }

Drawing drawing() {
  Drawing one{"a", "b/c.svg", true, 1, 7, -2, {{0.5, 2}, {1, 3}}, {{"n", 3}, {"m", "text"}}};
  one.raw = Json{{"any", 1}};
  return one;
}

std::string faults_of(const char* text) {
  try {
    decoded<Drawing>(parse_json(text, "d.json"), "d.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("fields are written in the order of their list") {
  CHECK(encode(drawing()).dump() ==
        R"({"name":"a","file":"b/c.svg","done":true,"seed":1,"id":"7","offset":-2,)"
        R"("points":[[0.5,2],[1.0,3]],"options":{"m":"text","n":3},"range":[0.0,1.0],)"
        R"("error":0.0,"raw":{"any":1}})");
  CHECK(encode(std::vector<Pen>{{Shade::dark, {}}, {Shade::light, 0.5}}).dump() ==
        R"([{"shade":"dark","width":null},{"shade":"light","width":0.5}])");
}

TEST_CASE("what was written is read back the same") {
  Drawing all = drawing();
  CHECK(decoded<Drawing>(encode(all), "d.json") == all);
  all.notes = {"one", "two"};
  all.looks = 5;
  all.pen = Pen{Shade::dark, 2};
  all.id = std::numeric_limits<std::uint64_t>::max();
  all.error = std::numeric_limits<double>::infinity();
  const Json json = encode(all);
  CHECK(json["looks"] == 5);
  CHECK(json["id"] == "18446744073709551615");
  CHECK(json["error"] == "inf");
  CHECK(decoded<Drawing>(parse_json(json.dump(), ""), "d.json") == all);
  all.error = std::nan("");
  CHECK(std::isnan(decoded<Drawing>(encode(all), "").error));
}

TEST_CASE("missing members keep their default where they may be missing, null is no value") {
  Json json = encode(drawing());
  json.erase("offset");
  const Drawing read = decoded<Drawing>(json, "d.json");
  CHECK(read.offset == 0);
  CHECK_FALSE(read.pen.has_value());
  CHECK_FALSE(decoded<Pen>(Json{{"shade", "dark"}, {"width", nullptr}}, "").width.has_value());
}

TEST_CASE("all faults come at once, each with its pointer and its cure") {
  const std::string said = faults_of(
      R"({"name":3,"file":"f","done":1,"seed":-1,"id":"-1","points":[[0,1],[0,"a"],[1],{}],
          "options":{"a":{}},"range":[1],"lookz":3,"pen":{"shade":"darc","width":1},"raw":null})");
  for (const char* line :
       {"d.json: /name: expected a text, got 3", "d.json: /done: expected true or false, got 1",
        "d.json: /seed: must not be negative",
        "d.json: /id: expected a whole number of 64 bits, as text, got \"-1\"",
        "d.json: /points/1/1: expected an integer",
        "d.json: /points/2: expected [x, weight], got an array",
        "d.json: /points/3: expected [x, weight], got an object",
        "d.json: /options/a: expected a number, text, truth or list, got object",
        "d.json: /range: expected an array of two, got an array",
        "d.json: /lookz: unknown member \"lookz\"", "did you mean \"looks\"?",
        "d.json: /pen/shade: unknown shade \"darc\"", "did you mean \"dark\"?",
        "d.json: /error: is missing (a number)"}) {
    CAPTURE(said);
    CHECK_THAT(said, Catch::Contains(line));
  }
}

TEST_CASE("what must hold is looked at when all could be read") {
  CHECK_THROWS_WITH(decoded<Pen>(Json{{"shade", "dark"}, {"width", -1}}, "p.json"),
                    "p.json: /width: must be above 0\nhint: give it in mm");
  CHECK_THROWS_WITH(decoded<Pen>(Json{{"shade", "dark"}, {"width", "-1"}}, "p.json"),
                    "p.json: /width: expected a number, got \"-1\"");
  CHECK_THROWS_WITH(decoded<Pen>(Json::array(), "p.json"),
                    "p.json: expected an object, got an array");
}

TEST_CASE("a struct of another module is listed outside it, and may leave members to others") {
  CHECK(encode(Foreign{4}).dump() == R"({"number":4})");
  CHECK(decoded<Foreign>(Json{{"number", 5}, {"phase", "done"}}, "").number == 5);
}

TEST_CASE("numbers that do not fit are faults, not other numbers") {
  for (const char* number : {"3000000000", "-3000000000", "1.5", "1e99"}) {
    CAPTURE(number);
    CHECK_THROWS_AS(decoded<Foreign>(Json{{"number", parse_json(number, "")}}, ""), Error);
  }
  CHECK(decoded<Foreign>(Json{{"number", 4e3}}, "").number == 4000);
  CHECK_THROWS_WITH(decoded<std::int64_t>(Json(18446744073709551615u), "n"),
                    Catch::Contains("out of range (64 bits)"));
}

TEST_CASE("the words of an enum stand in one table") {
  CHECK(std::string(word(Shade::dark)) == "dark");
  CHECK(enumerator<Shade>("shade", "dark") == Shade::dark);
  CHECK_THROWS_WITH(enumerator<Shade>("shade", "lite"), Catch::Contains("unknown shade \"lite\""));
  CHECK_THROWS_WITH(enumerator<Shade>("shade", "blue"), Catch::Contains("one of light, dark"));
}

}  // namespace
}  // namespace rooftune
