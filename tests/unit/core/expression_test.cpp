// Expressions against results of CPython, and every refusal with its column.
#include "core/expression.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <sstream>

#include "core/error.h"

namespace rooftune {
namespace {

std::optional<Value> names(const std::string& name) {
  if (name == "x") return Value(7);
  if (name == "y") return Value(2.5);
  if (name == "t") return Value("abc");
  return std::nullopt;
}

Value evaluated(const std::string& text) { return Expression::parse(text).evaluate(names); }

std::string repr(const Value& value) {
  if (value.is_bool()) return value.truth() ? "True" : "False";
  if (value.is_text()) {
    const char* quote = value.text().find('\'') == std::string::npos ? "'" : "\"";
    return quote + value.text() + quote;
  }
  if (!value.is_list()) return to_text(value);
  std::string text;
  for (const Value& element : value.list()) text += (text.empty() ? "" : ", ") + repr(element);
  return "[" + text + "]";
}

std::string python_type(const Value& value) {
  if (value.is_bool()) return "bool";
  if (value.is_integer()) return "int";
  if (value.is_real()) return "float";
  return value.is_text() ? "str" : "list";
}

std::string message_of(const std::string& text) {
  try {
    evaluated(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("expressions give the results of CPython") {
  std::ifstream table(ROOFTUNE_SOURCE_DIR "/tests/unit/core/python_expressions.tsv");
  std::string line;
  std::size_t rows = 0;
  while (std::getline(table, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string text, type, result;
    std::getline(fields, text, '\t');
    std::getline(fields, type, '\t');
    std::getline(fields, result, '\t');
    INFO(text);
    const Value value = evaluated(text);
    CHECK(python_type(value) == type);
    CHECK(repr(value) == result);
    ++rows;
  }
  CHECK(rows > 400);
}

TEST_CASE("an expression knows its free names in order and asks only for those it needs") {
  const Expression expression = Expression::parse("min(b, a) + c if pi > 3 and true else b + d");
  CHECK(expression.names() == std::vector<std::string>{"b", "a", "c", "d"});
  CHECK(expression.text() == "min(b, a) + c if pi > 3 and true else b + d");
  CHECK_FALSE(expression.empty());
  CHECK(Expression().empty());
  // d is unknown, and the branch that needs it is not taken.
  CHECK(expression.evaluate([](const std::string& name) -> std::optional<Value> {
    if (name == "d") return std::nullopt;
    return Value(2);
  }) == Value(4));
}

TEST_CASE("pi, true, false and powers() belong to the language") {
  CHECK(evaluated("pi").real() == 3.14159265358979323846);
  CHECK(evaluated("true and not false") == Value(true));
  CHECK(evaluated("powers(1, 8)") == Value(ValueList{1, 2, 4, 8}));
  CHECK(evaluated("powers(1, 6)") == Value(ValueList{1, 2, 4, 6}));
  CHECK(evaluated("powers(3, 20)") == Value(ValueList{3, 6, 12, 20}));
  CHECK(evaluated("powers(5, 5)") == Value(ValueList{5}));
  CHECK(evaluated("powers(4611686018427387904, 9223372036854775807)").list().size() == 2);
}

/// What the user sees for a text that is refused.
struct Refusal {
  const char *text, *message;
  std::size_t column;
  const char* hint;
};

std::string shown(const Refusal& refusal) {
  return fmt::format("{} at column {} of \"{}\"{}{}", refusal.message, refusal.column, refusal.text,
                     *refusal.hint != 0 ? "\nhint: " : "", refusal.hint);
}

TEST_CASE("malformed expressions are refused at their column") {
  const Refusal refusals[] = {
      {"", "empty expression", 1, ""},
      {"   ", "empty expression", 4, ""},
      {"1 +", "expected a value, found the end", 4, ""},
      {"(1", "expected \")\", found the end", 3, ""},
      {"1 2", "expected an operator, found \"2\"", 3, ""},
      {"a + )", "expected a value, found \")\"", 5, ""},
      {"1 if 2", "expected \"else\", found the end", 7, ""},
      {"1 not 2", "expected \"in\" after \"not\", found \"2\"", 7, ""},
      {"x = 7", "\"=\" is no comparison", 3, "write \"==\""},
      {"x && y", "expected a value, found \"&\"", 4, ""},
      {"!x", "unexpected character \"!\"", 1, "write \"not\" or \"!=\""},
      {"x.y", "unexpected character \".\"", 2, ""},
      {"5x", "malformed number \"5x\"", 1, ""},
      {"1.2.3", "malformed number \"1.2.3\"", 1, ""},
      {"1e", "malformed number \"1e\"", 1, ""},
      {"0x", "malformed number \"0x\"", 1, ""},
      {"007", "an integer starts with 0", 1, "leave the leading zeros out"},
      {"'abc", "text without its closing quote", 1, ""},
      {"'a\\q'", "unknown escape in a text", 3, "known are \\\\ \\' \\\" \\n \\t"},
      {"[1, 2", "expected \",\" or \"]\", found the end", 6, ""},
      {"mim(1, 2)", "unknown function \"mim\"", 1, "did you mean \"min\"?"},
      {"__import__('os')", "unknown function \"__import__\"", 1, ""},
      {"sqrt(1, 2)", "wrong number of arguments (2) for sqrt()", 1, ""},
      {"[i for 3 in x]", "expected a name, found \"3\"", 8, ""},
      {"[i for if in x]", "expected a name, found \"if\"", 8, ""},
      {"[i for i, j in x]", "expected \"in\", found \",\"", 9, ""},
      {"[i for i in [1] else 2]", "expected \"]\", found \"else\"", 17, ""},
      {"[1, i for i in [1]]", "expected \",\" or \"]\", found \"for\"", 7, ""},
      {"sum(i for i in [1], 2)", "expected \")\", found \",\"", 19, ""},
      {"for", "expected a value, found \"for\"", 1, ""},
      {"lambda", "expected a value, found \"lambda\"", 1, ""},
      {"9223372036854775808", "integer out of range (64 bits)", 1, ""},
      {"1e999", "number out of range", 1, ""},
  };
  for (const Refusal& refusal : refusals) CHECK(message_of(refusal.text) == shown(refusal));
}

TEST_CASE("values without a result are refused and say why") {
  const Refusal refusals[] = {
      {"x % 0", "division by zero in \"%\"", 3, ""},
      {"1 / 0.0", "division by zero in \"/\"", 3, ""},
      {"0 ** -1", "division by zero in \"**\"", 3, ""},
      {"9223372036854775807 + 1", "number out of range in \"+\"", 21, ""},
      {"-(-9223372036854775808)", "number out of range", 1, ""},
      {"-9223372036854775808 // -1", "number out of range in \"//\"", 22, ""},
      {"10 ** 40", "number out of range in \"**\"", 4, ""},
      {"1e300 ** 2.0", "number out of range in \"**\"", 7, ""},
      {"(-8) ** 0.5", "outside the domain of the function in \"**\"", 6, ""},
      {"sqrt(-1)", "outside the domain of the function in sqrt()", 1, ""},
      {"int(1e300)", "number out of range in int()", 1, ""},
      {"[1][1]", "position 1 of 1 elements", 4, ""},
      {"min([])", "min() of an empty list", 1, ""},
      {"int('x')", "int() cannot read \"x\"", 1, ""},
      {"range(0, 9, 0)", "range() with step 0", 1, ""},
      {"powers(0, 4)", "powers(0, 4) needs 1 <= low <= high", 1, ""},
      {"powers(4, 2)", "powers(4, 2) needs 1 <= low <= high", 1, ""},
  };
  for (const Refusal& refusal : refusals) {
    CHECK(message_of(refusal.text) == shown(refusal));
    CHECK_THROWS_AS(evaluated(refusal.text), UndefinedResult);
  }
}

TEST_CASE("wrong types and unknown names are plain errors") {
  for (const char* text :
       {"zz + 1", "'a' + 1", "'a' < 1", "[1] < 2", "1 in 2", "x[0]", "len(3)", "1.5 | 2", "sum(3)",
        "-'a'", "'a' * 2", "[1][0.5]", "sqrt('a')", "max(1)", "range(1.5)", "sum(['a'])",
        "[i for i in 3]", "[zz for i in [1]]"}) {
    INFO(text);
    bool undefined = false, refused = false;
    try {
      evaluated(text);
    } catch (const UndefinedResult&) {
      undefined = true;
    } catch (const Error&) {
      refused = true;
    }
    CHECK(refused);
    CHECK_FALSE(undefined);
  }
  CHECK(message_of("zz") == "unknown name \"zz\" at column 1 of \"zz\"");
  CHECK_THROWS_AS(Expression().evaluate(names), Error);
  CHECK_THROWS_AS(Expression::parse("x").evaluate(nullptr), Error);
}

TEST_CASE("nesting and size are bounded") {
  const auto nested = [](std::size_t depth, const char* open, const char* close) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    text += "1";
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
  };
  CHECK(evaluated(nested(190, "(", ")")) == Value(1));
  CHECK(evaluated(nested(190, "-", "")) == Value(1));
  const std::pair<const char*, const char*> kinds[] = {
      {"(", ")"},           {"-", ""},     {"not ", ""},
      {"[", "]"},           {"abs(", ")"}, {"2**", ""},
      {"1 if 1 else ", ""}, {"1+(", ")"},  {"1 or 1 and 1|1^1&1+1*-(", ")**1"}};
  for (const auto& [open, close] : kinds) {
    INFO(open);
    CHECK_THROWS_WITH(Expression::parse(nested(3000, open, close)),
                      Catch::Contains("nested deeper than 200 levels"));
  }
  std::string sum = "1";
  for (int i = 0; i < 20000; ++i) sum += "+1";
  CHECK(evaluated(sum) == Value(20001));
  CHECK_THROWS_WITH(Expression::parse(std::string(100'001, '1')),
                    "expression of 100001 bytes; at most 100000 are allowed");
  CHECK_THROWS_WITH(evaluated("sum(range(10000000))"),
                    Catch::Contains("more than 1000000 elements"));
  CHECK_THROWS_WITH(evaluated("x" + nested(3000, "[", "]")), Catch::Contains("nested deeper"));
}

TEST_CASE("a comprehension binds its variable and nothing else") {
  const Expression expression = Expression::parse("[i*n for i in range(m) if i > k] + [i]");
  CHECK(expression.names() == std::vector<std::string>{"m", "n", "k", "i"});
  CHECK(Expression::parse("[i for i in [i]]").names() == std::vector<std::string>{"i"});
  CHECK(Expression::parse("[i*j for i in [1] for j in [i]]").names().empty());
}

TEST_CASE("no comprehension exhausts memory or time") {
  const std::string text = "'" + std::string(90'000, 'a') + "'";
  std::string sum = "i";
  for (int i = 0; i < 10'000; ++i) sum += "+1";
  for (const std::string& list :
       {std::string("[i for i in range(10**12)]"), "[" + text + " for i in range(999)]",
        std::string("[[i for i in range(1000)] for j in range(2000)]"),
        std::string("[l for i in range(900) for l in [[[j for j in range(999)]]]]")}) {
    INFO(list.substr(0, 60));
    CHECK_THROWS_WITH(evaluated(list), Catch::Contains("more than 1000000 elements"));
  }
  CHECK_THROWS_WITH(evaluated("[" + sum + " for i in range(900000)]"),
                    Catch::Contains("more than 20000000 steps"));
  std::string nested = "1";
  for (int i = 0; i < 300; ++i) nested += " for i in [1]";
  CHECK_THROWS_WITH(evaluated("[" + nested + "]"), Catch::Contains("nested deeper"));
}

TEST_CASE("a long expression is shown around the fault") {
  const std::string text = std::string(200, ' ') + "1 / 0" + std::string(200, ' ');
  const std::string message = message_of(text);
  CHECK(message.find("at column 203 of \"...") != std::string::npos);
  CHECK(message.size() < 140);
}

}  // namespace rooftune
