// Values: comparison as in Python, text and JSON both ways.
#include "core/value.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace rooftune {

TEST_CASE("values compare as in Python") {
  CHECK(Value(1) == Value(1.0));
  CHECK(Value(1) == Value(true));
  CHECK(Value(0.0) == Value(false));
  CHECK_FALSE(Value("1") == Value(1));
  CHECK_FALSE(Value(ValueList{1}) == Value(1));
  CHECK(Value(ValueList{1, "a"}) == Value(ValueList{1.0, "a"}));
  CHECK_FALSE(Value(std::nan("")) == Value(std::nan("")));
  // Exact where a conversion to double would round.
  CHECK_FALSE(Value(std::int64_t{9007199254740993}) == Value(9007199254740992.0));
  CHECK(Value(9007199254740992.0) < Value(std::int64_t{9007199254740993}));
  CHECK_FALSE(Value(std::int64_t{INT64_MAX}) == Value(0x1p63));
  CHECK(Value(std::int64_t{INT64_MAX}) < Value(0x1p63));
  CHECK(Value(-std::numeric_limits<double>::infinity()) < Value(std::int64_t{INT64_MIN}));
  CHECK(Value(std::int64_t{INT64_MIN}) == Value(-0x1p63));
}

TEST_CASE("values have a total order: numbers, texts, lists") {
  const std::vector<Value> ascending{
      -2.5, -1,  0,           0.5,          true,          2, 1e30, std::nan(""), "",
      "a",  "b", ValueList{}, ValueList{1}, ValueList{"a"}};
  for (std::size_t i = 0; i < ascending.size(); ++i)
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      INFO(to_text(ascending[i]) << " < " << to_text(ascending[j]));
      CHECK((ascending[i] < ascending[j]) == (i < j));
    }
}

TEST_CASE("accessors convert numbers and refuse the rest") {
  CHECK(Value(true).integer() == 1);
  CHECK(Value(3).real() == 3.0);
  CHECK(Value("x").text() == "x");
  CHECK(Value(ValueList{1, 2}).list().size() == 2);
  CHECK_THROWS_WITH(Value("csr").real(), "expected a number, got a text: csr");
  CHECK_THROWS_WITH(Value(1.5).integer(), "expected an integer, got a real: 1.5");
  CHECK_THROWS_WITH(Value(1).text(), "expected a text, got an integer: 1");
  CHECK_THROWS_WITH(Value(true).list(), "expected a list, got a truth: true");
  CHECK_THROWS_WITH(Value(ValueList{1}).real(), "expected a number, got a list: [1]");
}

TEST_CASE("truth is Python's") {
  CHECK_FALSE(Value(0).truth());
  CHECK_FALSE(Value(0.0).truth());
  CHECK_FALSE(Value("").truth());
  CHECK_FALSE(Value(ValueList{}).truth());
  CHECK(Value(-1).truth());
  CHECK(Value("false").truth());
  CHECK(Value(ValueList{0}).truth());
  CHECK(Value(std::nan("")).truth());
}

TEST_CASE("values print as a person types them and reals round-trip") {
  CHECK(to_text(Value(true)) == "true");
  CHECK(to_text(Value(8)) == "8");
  CHECK(to_text(Value(8.0)) == "8.0");
  CHECK(to_text(Value(0.1)) == "0.1");
  CHECK(to_text(Value(1e300)) == "1e+300");
  CHECK(to_text(Value("csr")) == "csr");
  CHECK(to_text(Value(ValueList{1, 0.5, "a"})) == "[1, 0.5, a]");
  for (const double real : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 123456789.123}) {
    const Value back = parse_value(to_text(Value(real)));
    CHECK(back.is_real());
    CHECK(std::signbit(back.real()) == std::signbit(real));
    CHECK(back.real() == real);
  }
}

TEST_CASE("typed words become values") {
  CHECK(parse_value("true").is_bool());
  CHECK(parse_value("8") == Value(8));
  CHECK(parse_value("+8") == Value(8));
  CHECK(parse_value("-8").is_integer());
  CHECK(parse_value("1e3").is_real());
  CHECK(parse_value(".5") == Value(0.5));
  for (const char* word : {"", "csr", "-", "+", "e", "1-2", "2026-11-21", "+-5", "inf", "nan",
                           "0x10", "1.2.3", "True", "1,2", " 8", "file.mtx", "."}) {
    INFO(word);
    CHECK(parse_value(word).is_text());
    CHECK(parse_value(word).text() == word);
  }
  CHECK_THROWS_WITH(parse_value("9223372036854775808"),
                    "integer out of range (64 bits): 9223372036854775808");
  CHECK_THROWS_WITH(parse_value("1e999"), "real number out of range: 1e999");
}

TEST_CASE("values travel through JSON") {
  for (const Value& value :
       {Value(true), Value(-3), Value(0.25), Value("a"), Value(ValueList{1, "b"})})
    CHECK(value_from_json(to_json(value)) == value);
  CHECK(value_from_json(Json(1.0)).is_real());
  CHECK_THROWS_WITH(value_from_json(Json()), "expected a number, text, truth or list, got null");
  CHECK_THROWS_WITH(value_from_json(Json::object()),
                    "expected a number, text, truth or list, got object");
  CHECK_THROWS_WITH(value_from_json(Json(std::uint64_t{1} << 63)),
                    "integer out of range (64 bits): 9223372036854775808");
  CHECK_THROWS_WITH(to_json(Value(std::numeric_limits<double>::infinity())),
                    "not a finite number: inf");
}

}  // namespace rooftune
