// JSON: a place in every fault, and limits against hostile documents.
#include "core/json.h"

#include <catch2/catch.hpp>

#include "support/scratch_folder.h"

namespace rooftune {
namespace {

std::string fault_of(const std::string& text) {
  try {
    parse_json(text, "f.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("documents parse with their keys in order") {
  const Json json = parse_json(R"({"b": [1, -2, 0.5, true, null, "x"], "a": {}})", "f.json");
  CHECK(json.dump() == R"({"b":[1,-2,0.5,true,null,"x"],"a":{}})");
  CHECK(json["b"][0].is_number_integer());
  CHECK(parse_json("\"\\u00e9\"", "f").get<std::string>() == "é");
  CHECK(parse_json(" 3 ", "f") == 3);
  CHECK(parse_json("9223372036854775807", "f").get<std::int64_t>() == INT64_MAX);
  CHECK(parse_json("-9223372036854775808", "f").get<std::int64_t>() == INT64_MIN);
}

TEST_CASE("malformed documents are refused with line and column") {
  using Catch::StartsWith;
  CHECK_THAT(fault_of(""), StartsWith("f.json:1:1: "));
  CHECK_THAT(fault_of("{\n  \"a\": 1,\n  \"b\" 2\n}"), StartsWith("f.json:3:7: "));
  CHECK_THAT(fault_of("[1, 2"), StartsWith("f.json:1:6: "));
  CHECK_THAT(fault_of("[1]\nx"), StartsWith("f.json:2:1: "));
  CHECK_THAT(fault_of("{\"a\": NaN}"), StartsWith("f.json:1:7: "));
  CHECK_THAT(fault_of("[-Infinity]"), StartsWith("f.json:1:3: "));
  CHECK_THAT(fault_of("[1e999]"), StartsWith("f.json:1:6: "));
  CHECK_THAT(fault_of("[01]"), StartsWith("f.json:1:3: "));
  CHECK_THAT(fault_of("{'a': 1}"), StartsWith("f.json:1:2: "));
  CHECK_THAT(fault_of("[\"\xff\"]"), StartsWith("f.json:1:3: "));
}

TEST_CASE("faults never repeat faulty bytes") {
  for (const char c : fault_of("[\"\xff\xc0\x01\"]")) CHECK((c >= 0x20 && c < 0x7f));
}

TEST_CASE("texts and names of documents are plain, and so is what is written") {
  const std::string bad = "\xef\xbf\xbd";
  const Json json =
      parse_json(R"({"\u001b[2Jk": "a\u0000\u202eb", "log": "one\r\ntwo\n"})", "f.json");
  CHECK(json.begin().key() == bad + "[2Jk");
  CHECK(json.begin().value() == "a" + bad + bad + "b");
  CHECK(json.at("log") == "one\ntwo\n");
  CHECK_THAT(fault_of(R"({"\u0001": 1, "\u0002": 2})"), Catch::Contains("appears twice"));
  CHECK(json_text({{"name", "\xff\x7f\xc2\x9b\x1b[m"}, {"n", 1}}) ==
        "{\"name\":\"" + bad + bad + bad + "\\u001b[m\",\"n\":1}");
  CHECK(json_text({{"a", 1}}, 1) == "{\n \"a\": 1\n}");
}

TEST_CASE("integers beyond 64 bits and repeated members are refused") {
  CHECK(fault_of("{\n\"n\": 9223372036854775808}") ==
        "f.json:2:25: integer out of range (64 bits): 9223372036854775808");
  CHECK(fault_of("[99999999999999999999999]") ==
        "f.json:1:25: integer out of range (64 bits): 99999999999999999999999");
  CHECK(fault_of("[-9223372036854775809]") ==
        "f.json:1:22: integer out of range (64 bits): -9223372036854775809");
  CHECK(fault_of("{\"a\": 1, \"a\": 2}") == "f.json:1:12: member \"a\" appears twice");
  CHECK(fault_of("{\"a\": {\"b\": 1}, \"b\": {\"b\": 2}}") == "no error");
}

TEST_CASE("depth is limited to 200 levels") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(fault_of(nested(200)) == "no error");
  CHECK(fault_of(nested(201)) == "f.json:1:201: nested deeper than 200 levels");
  CHECK(fault_of(std::string(1'000'000, '[')) == "f.json:1:201: nested deeper than 200 levels");
  std::string objects;
  for (int i = 0; i < 1'000'00; ++i) objects += "{\"a\":";
  CHECK_THAT(fault_of(objects), Catch::Contains("nested deeper than 200 levels"));
}

TEST_CASE("many members cost no quadratic time") {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  CHECK(parse_json(text + "\"last\":1}", "f").size() == 200'001);
}

TEST_CASE("values are limited to a million, a text to 8 MiB") {
  std::string text = "[0";
  for (int i = 1; i < 1'000'000; ++i) text += ",0";
  CHECK(fault_of(text + "]") ==
        "f.json:1:2000001: the file has more than 1000000 values\nhint: no reader of such files "
        "needs so many; is it the right file?");
  CHECK(fault_of("[\"" + std::string(7'000'000, 'x') + "\"]") == "no error");
  CHECK_THAT(fault_of("[\"" + std::string(9'000'000, 'x') + "\"]"),
             Catch::Contains("a text, number or blank of more than 8388608 bytes"));
  CHECK_THAT(fault_of(std::string(70'000'000, ' ')), Catch::Contains("67108864 bytes"));
}

TEST_CASE("elements of lists are handed out one by one, and the rest is returned") {
  const std::string text =
      R"({"a": [1], "big": [{"x": [1, 2]}, 3, []], "named": {"p": {"q": 1}, "r": 2}, "z": {"big": [4]}})";
  TextSource bytes(text);
  std::vector<std::string> seen;
  const auto take = [&](const std::string& list, const std::string& name, const Json& element) {
    seen.push_back(list + "/" + name + "=" + element.dump());
  };
  const JsonRest rest = parse_json_elements(bytes, "f.json", {{"big", "named"}, take, ""});
  CHECK(seen == std::vector<std::string>{"big/0={\"x\":[1,2]}", "big/1=3", "big/2=[]",
                                         "named/p={\"q\":1}", "named/r=2"});
  CHECK(rest.json.dump() == R"({"a":[1],"big":[],"named":{},"z":{"big":[4]}})");
  CHECK_FALSE(rest.cut);
  TextSource again(text);
  CHECK(parse_json_elements(again, "f.json", {{"big", "named"}, nullptr, ""}).json == rest.json);
}

TEST_CASE("a document may end in a list that says so, and nowhere else") {
  const std::string text = R"({"a": 1, "big": {"p": 1, "q": {"x": 2}, "r": {"y)";
  std::size_t taken = 0;
  const auto take = [&](const std::string&, const std::string&, const Json&) { ++taken; };
  const auto parse = [&](const std::string& from, const std::string& may_end_in) {
    TextSource bytes(from);
    return parse_json_elements(bytes, "f.json", {{"big"}, take, may_end_in});
  };
  const JsonRest rest = parse(text, "big");
  CHECK(rest.cut);
  CHECK(taken == 2);
  CHECK(rest.json.at("a") == 1);
  CHECK_THROWS_AS(parse(text, ""), Error);
  CHECK_THROWS_AS(parse(R"({"a": 1, "b": {"p": 1, )", "big"), Error);
  CHECK_THROWS_AS(parse(text + "\" 3}}}", "big"), Error);
}

TEST_CASE("faults in the middle of a long document have their line and column") {
  std::string text = "[\n";
  for (int i = 0; i < 30'000; ++i) text += "1234567,\n";
  CHECK_THAT(fault_of(text + "\n\n  x]"), Catch::StartsWith("f.json:30004:3: "));
}

TEST_CASE("read_json names the file") {
  CHECK_THROWS_WITH(read_json("/nonexistent/x.json"),
                    Catch::StartsWith("/nonexistent/x.json: cannot be read: No such file"));
  const testing::ScratchFolder folder;
  const auto file = folder.write("f.json", "{\"a\":\n 1,}");
  CHECK_THROWS_WITH(read_json(file), Catch::StartsWith(file.string() + ":2:4: "));
}

}  // namespace rooftune
