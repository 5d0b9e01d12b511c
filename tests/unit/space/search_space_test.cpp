// Search spaces: sizes, order, conditional knobs, neighbours, and every refusal in its words.
#include "space/search_space.h"

#include <catch2/catch.hpp>
#include <limits>
#include <set>

#include "space/diagram.h"
#include "space/search_index.h"
#include "unit/space/space_samples.h"

namespace rooftune {
namespace {

using samples::constraints;
using samples::fault_of;
using samples::knob;

SearchSpace tiles() {
  return SearchSpace("tiles",
                     {knob("x", {1, 2, 4, 8}), knob("y", {1, 2, 4}), knob("mode", {"a", "b"})},
                     {{Expression::parse("x * y <= 8 and x >= y"), "the cache holds 8"},
                      {Expression::parse("mode == 'a' or x > limit"), ""}},
                     {{"limit", 1}});
}

std::vector<std::string> keys(const std::vector<Configuration>& all) {
  std::vector<std::string> result;
  for (const Configuration& configuration : all) result.push_back(configuration.key());
  return result;
}

}  // namespace

TEST_CASE("a space counts exactly and numbers its configurations") {
  const SearchSpace space = tiles();
  // x,y: 11 21 22 41 42 81 hold x*y <= 8 and x >= y; mode b needs x > 1.
  CHECK(space.size() == 11);
  CHECK(space.cartesian_size() == 24);
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < space.size(); ++i) {
    const Configuration configuration = space.configuration(i);
    CHECK(space.index(configuration) == i);
    CHECK(space.allowed(configuration));
    CHECK(space.why_not(configuration).empty());
    seen.insert(configuration.key());
  }
  CHECK(seen.size() == 11);
  CHECK(space.value_counts() ==
        std::vector<std::vector<std::uint64_t>>{{1, 4, 4, 2}, {7, 4, 0}, {6, 5}});
  CHECK_THROWS_WITH(space.configuration(11), "tiles: configuration 11 of a space of 11");
  CHECK(space.baseline().key() == "mode=a x=1 y=1");
  CHECK(space.knob("y")->values.size() == 3);
  CHECK(space.knob("z") == nullptr);
  CHECK(space.name() == "tiles");
  CHECK(space.constraints().size() == 2);
}

TEST_CASE(
    "a space of long value lists, reals and texts has what its constraints allow one by one") {
  // More values than are computed at once, conditions on several knobs at several depths, and
  // results that only some values have.
  ValueList many;
  for (int i = 0; i < 600; ++i) many.emplace_back(i);
  const SearchSpace space = SearchSpace::without_defaults(
      "long",
      {knob("a", {1, 2, 3}), knob("r", {0.5, 1.5, 2}), knob("t", {"p", "q"}), knob("n", many)},
      constraints(
          {"n % (a - 1) == 0 or t == 'p'", "n * r <= 100 * a", "a * r != 3", "n > 7 or t < 'q'"}),
      {});
  std::uint64_t expected = 0;
  for (const int a : {1, 2, 3})
    for (const double r : {0.5, 1.5, 2.0})
      for (const char t : {'p', 'q'})
        for (int n = 0; n < 600; ++n) {
          // Without a result (% 0) the whole constraint does not hold.
          const bool first = a > 1 && (n % (a - 1) == 0 || t == 'p');
          if (first && n * r <= 100 * a && a * r != 3 && (n > 7 || t < 'q')) ++expected;
        }
  CHECK(expected > 1000);
  CHECK(space.size() == expected);
  for (std::uint64_t i = 0; i < space.size(); i += 7)
    REQUIRE(space.why_not(space.configuration(i)).empty());
}

TEST_CASE("a copy of a space lives on its own") {
  auto original = std::make_unique<SearchSpace>(tiles());
  const SearchSpace copy = *original;
  original.reset();
  CHECK(copy.size() == 11);
  CHECK(copy.neighbours(copy.baseline()).size() == 3);
  CHECK(copy.why_not(copy.baseline()).empty());
}

TEST_CASE("why_not names what forbids a configuration") {
  const SearchSpace space = tiles();
  Configuration c = space.baseline();
  c.set("y", 2);
  CHECK(space.why_not(c) ==
        "constraint \"x * y <= 8 and x >= y\" (the cache holds 8) does not hold: x=1, y=2");
  CHECK_FALSE(space.allowed(c));
  c = space.baseline();
  c.set("mode", "b");
  CHECK(space.why_not(c) ==
        "constraint \"mode == 'a' or x > limit\" does not hold: mode=b, x=1, limit=1");
  c.set("mode", "c");
  CHECK(space.why_not(c) == "c is no value of knob \"mode\"");
  CHECK_FALSE(space.index(c).has_value());
  c = space.baseline();
  c.set("z", 1);
  CHECK(space.why_not(c) == "there is no knob \"z\"");
  CHECK_FALSE(space.index(c).has_value());
  CHECK(space.why_not(Configuration()) == "the configuration lacks knob \"x\"");
  CHECK_FALSE(space.index(Configuration()).has_value());
}

TEST_CASE("what a constraint cannot compute is not allowed") {
  const SearchSpace space("s", {knob("a", {1, 0, 2}), knob("b", {4, 3})},
                          constraints({"b % a == 0"}), {});
  CHECK(space.size() == 3);
  Configuration c = space.baseline();
  c.set("a", 0);
  CHECK(
      space.why_not(c) ==
      "constraint \"b % a == 0\" does not hold: b=4, a=0; division by zero in \"%\" at column 3 of "
      "\"b % a == 0\"");
  // Short circuits protect as in Python.
  CHECK(SearchSpace("s", {knob("a", {1, 0, 2}), knob("b", {4, 3})},
                    constraints({"a == 0 or b % a == 0"}), {})
            .size() == 5);
}

TEST_CASE("constraints without a result for some values are told with the first of these") {
  const std::vector<Knob> knobs{knob("a", {2, 0}), knob("b", {1, 4})};
  const auto told = undefined_results(
      constraints({"a > 0 and b % a == 0", "b % a == 0", "b ** (a * 40) > 0"}), knobs, {});
  REQUIRE(told.size() == 2);
  CHECK(told[0] == "division by zero in \"%\" at column 3 of \"b % a == 0\" with a=0, b=1");
  CHECK_THAT(told[1], Catch::StartsWith("number out of range") && Catch::EndsWith("with a=2, b=4"));
}

TEST_CASE("inactive knobs stay at their default, so that nothing is counted twice") {
  const SearchSpace space("s",
                          {knob("rows", {1, 2, 3}, "format == 'bcsr'"),
                           knob("format", {"csr", "bcsr"}), knob("fill", {0, 1}, "rows > 1")},
                          {}, {});
  // csr: 1; bcsr with rows 1: 1; bcsr with rows 2 or 3: 2 * 2.
  CHECK(space.size() == 6);
  Configuration c = space.baseline();
  c.set("rows", 3);
  c.set("fill", 1);
  CHECK_FALSE(space.allowed(c));
  CHECK(space.why_not(c) ==
        "knob \"rows\" has no effect here (active: format == 'bcsr') and must be its default, 1");
  // The chain: rows falls back to 1, and so fill is inactive too.
  CHECK(space.normalised(c).key() == "fill=0 format=csr rows=1");
  c.set("format", "bcsr");
  CHECK(space.normalised(c) == c);
  CHECK(space.allowed(c));
  CHECK_THROWS_WITH(space.normalised(Configuration()), "s: the configuration lacks knob \"rows\"");
}

TEST_CASE("neighbours differ in one active knob, adjacent numbers first") {
  const SearchSpace space(
      "s", {knob("word", {"p", "q", "r"}), knob("n", {4, 1, 3, 2}), knob("m", {0, 5}, "n == 4")},
      constraints({"word != 'r' or n < 3"}), {});
  Configuration c = space.baseline();
  CHECK(keys(space.neighbours(c)) == std::vector<std::string>{"m=0 n=3 word=p", "m=5 n=4 word=p",
                                                              "m=0 n=4 word=q", "m=0 n=1 word=p",
                                                              "m=0 n=2 word=p"});
  c.set("m", 5);
  // Leaving n = 4 makes m inactive.
  CHECK(keys(space.neighbours(c)) == std::vector<std::string>{"m=0 n=3 word=p", "m=0 n=4 word=p",
                                                              "m=5 n=4 word=q", "m=0 n=1 word=p",
                                                              "m=0 n=2 word=p"});
  c = space.baseline();
  c.set("n", 3);
  // m has no effect at n = 3 and is left alone; word r is forbidden there.
  CHECK(keys(space.neighbours(c)) == std::vector<std::string>{"m=0 n=2 word=p", "m=0 n=4 word=p",
                                                              "m=0 n=3 word=q", "m=0 n=1 word=p"});
  c.set("n", 9);
  CHECK_THROWS_WITH(space.neighbours(c),
                    "s: 9 is no value of knob \"n\"\nhint: one of [4, 1, 3, 2]");
}

TEST_CASE("values are compared as in Python") {
  const SearchSpace space("s", {knob("a", {1, 0.5, "1x"}), knob("b", {true, false})},
                          constraints({"b == 1 or a == 'x' or a == 1"}), {});
  CHECK(space.size() == 4);
  Configuration c;
  c.set("a", 1.0);
  c.set("b", 1);
  CHECK(space.allowed(c));
  CHECK(space.normalised(c).key() == "a=1 b=true");
}

TEST_CASE("lists, composed texts and functions in constraints") {
  const SearchSpace space(
      "s", {knob("name", {"csr", "bcsr", "sell"}), knob("n", {1, 2, 3, 4}), knob("m", {0, 1})},
      constraints({"len(name) <= 3 or n in range(2, 4)", "'e' not in name or m == 0",
                   "name + 'x' != 'csrx' or n != 4",
                   "sum([n, m]) < 5 and max([n, m]) in [1, 2, 3, 4]", "[1, 2, 3][m] <= n",
                   "n in allowed"}),
      {{"allowed", ValueList{1, 2, 3}}});
  std::size_t expected = 0;
  for (const std::string& name : {std::string("csr"), std::string("bcsr"), std::string("sell")})
    for (int n = 1; n <= 3; ++n)
      for (int m = 0; m <= 1; ++m)
        expected += (name == "csr" || n == 2 || n == 3) && (name != "sell" || m == 0) &&
                    n + m < 5 && m + 1 <= n;
  CHECK(space.size() == expected);
}

TEST_CASE("samples come from the seed") {
  const SearchSpace space = tiles();
  Rng a(1, 0), b(1, 0);
  for (int i = 0; i < 100; ++i) {
    const Configuration c = space.sample(a);
    CHECK(c == space.sample(b));
    CHECK(space.allowed(c));
  }
}

TEST_CASE("huge spaces with local constraints are small diagrams") {
  std::vector<Knob> knobs;
  std::vector<Constraint> all;
  for (int i = 0; i < 30; ++i) {
    knobs.push_back(knob("k" + std::to_string(i), {1, 2, 4}));
    if (i > 0) {
      const std::string before = "k" + std::to_string(i - 1);
      all.push_back({Expression::parse(before + " <= k" + std::to_string(i)), ""});
    }
  }
  const SearchSpace space("chain", knobs, all, {});
  // Ascending words of length 30 over 3 letters: (32 choose 2).
  CHECK(space.size() == 496);
  CHECK(space.cartesian_size() > 2e14);
  knobs.resize(39);
  for (std::size_t i = 0; i < knobs.size(); ++i)
    knobs[i] = knob("f" + std::to_string(i), {1, 2, 3});
  CHECK(SearchSpace("free", knobs, {}, {}).size() == 4052555153018976267U);
  for (int i = 0; i < 4; ++i) knobs.push_back(knob("g" + std::to_string(i), {1, 2, 3}));
  CHECK(fault_of([&] { SearchSpace("free", knobs, {}, {}); }) ==
        "free: the space has 2^64 configurations or more\nhint: fewer knobs or values, or a "
        "constraint");
}

TEST_CASE("a space without knobs has one configuration") {
  const SearchSpace space("empty", {}, {}, {});
  CHECK(space.size() == 1);
  CHECK(space.configuration(0) == Configuration());
  CHECK(space.index(Configuration()) == 0U);
  CHECK(space.neighbours(Configuration()).empty());
  CHECK(fault_of([] { SearchSpace("e", {}, constraints({"1 > 2"}), {}); }) ==
        "e: no configuration satisfies this constraint:\n  \"1 > 2\"\nhint: no values of its knobs "
        "make it true");
}

TEST_CASE("contradictions are named as a smallest set") {
  const std::vector<Knob> knobs{knob("a", {1, 2, 3}), knob("b", {1, 2, 3}), knob("c", {1, 2, 3})};
  CHECK(fault_of([&] {
          SearchSpace("s", knobs,
                      {{Expression::parse("c >= 1"), ""},
                       {Expression::parse("a < b"), "rows before columns"},
                       {Expression::parse("b < c"), ""},
                       {Expression::parse("a + b < 9"), ""},
                       {Expression::parse("c < a"), "ring"}},
                      {});
        }) ==
        "s: no configuration satisfies these constraints together:\n"
        "  \"a < b\" (rows before columns)\n  \"b < c\"\n  \"c < a\" (ring)\n"
        "hint: without any one of them there would be configurations");
  CHECK(fault_of([&] {
          SearchSpace("s", knobs, constraints({"a < 9", "b > 3", "b > 4"}), {});
        }) ==
        "s: no configuration satisfies this constraint:\n  \"b > 4\"\n"
        "hint: no values of its knobs make it true");
}

TEST_CASE("the defaults must be allowed") {
  CHECK(fault_of([] {
          SearchSpace("s", {knob("a", {2, 1})}, {{Expression::parse("a < 2"), "too wide"}}, {});
        }) ==
        "s: the defaults are not allowed: constraint \"a < 2\" (too wide) does not hold: a=2");
}

TEST_CASE("spaces of others begin at their first allowed configuration") {
  const SearchSpace space = SearchSpace::without_defaults(
      "s", {knob("a", {1, 2, 3}), knob("b", {1, 2})}, constraints({"a > b"}), {});
  CHECK(space.size() == 3);
  CHECK(space.index(space.baseline()) == 0U);
  CHECK(space.knob("a")->fallback == space.baseline().at("a"));
  CHECK_THROWS_AS(SearchSpace::without_defaults("s", {knob("a", {1})}, constraints({"a > 1"}), {}),
                  Error);
  CHECK_THROWS_AS(
      SearchSpace::without_defaults("s", {knob("a", {1, 2}), knob("b", {1, 2}, "a == 1")}, {}, {}),
      Error);
}

TEST_CASE("all faults of knobs and constraints come at once") {
  Knob odd = knob("odd", {1, 1.0, "1", ValueList{1}});
  odd.fallback = 7;
  Knob flags = knob("flags", {1, 2});
  flags.kind = Knob::Kind::flag;
  CHECK(fault_of([&] {
          SearchSpace("s",
                      {knob("thread", {1}), knob("thread", {2}), knob("none", {}),
                       knob("rows", {1}), knob("", {1}), odd, flags, knob("p", {1, 2}, "q > 1"),
                       knob("q", {1, 2}, "p > 1"), knob("self", {1, 2}, "self > 1")},
                      constraints({"threads > 1", "zzzzzz > 1"}), {{"rows", 5}});
        }) == R"(12 faults
s: knob "thread": appears twice
s: knob "none": has no values
s: knob "rows": has the name of a problem parameter or fact
hint: rename the knob
s: knob "": has no name
s: knob "odd": value 1.0 appears twice
s: knob "odd": value 1 appears twice
s: knob "odd": value [1] is a list
s: knob "odd": default 7 is none of the values
hint: one of [1, 1.0, 1, [1]]
s: knob "flags": has 2 values but flags for 0
s: constraint "threads > 1": unknown name "threads"
hint: did you mean "thread"?
s: constraint "zzzzzz > 1": unknown name "zzzzzz"
s: the active expressions of "p", "q", "self" depend on each other in a circle)");
}

TEST_CASE("sizes are bounded") {
  CHECK(fault_of([] { SearchSpace("s", std::vector<Knob>(501, knob("a", {1})), {}, {}); }) ==
        "s: 501 knobs and 0 constraints; at most 500 and 2000 are allowed");
  std::vector<Value> values;
  for (int i = 0; i <= 100'000; ++i) values.emplace_back(i);
  CHECK(fault_of([&] { SearchSpace("s", {knob("a", values)}, {}, {}); }) ==
        "s: knob \"a\": has 100001 values; at most 100000 are allowed");
  values.pop_back();
  CHECK(SearchSpace("s", {knob("a", values)}, constraints({"a % 3 == 0"}), {}).size() == 33334);
  CHECK(fault_of([] {
          SearchSpace("s", {knob("a", {1, std::numeric_limits<double>::infinity()})}, {}, {});
        }) == "s: knob \"a\": value inf is not finite");
}

TEST_CASE("wrong types in a constraint are an error, not an empty space") {
  CHECK(fault_of([] {
          SearchSpace("s", {knob("a", {1, 2}), knob("f", {"x", "y"})}, constraints({"a < f"}), {});
        }) == "s: cannot apply \"<\" to number and text at column 3 of \"a < f\"");
  CHECK(fault_of([] {
          SearchSpace("s", {knob("a", {1, 2}), knob("b", {1, 2})},
                      constraints({"a > 0", "len(a) < b"}), {});
        }) == "s: len() needs a list or a text at column 1 of \"len(a) < b\"");
  // A guard keeps the values apart, as in Python.
  CHECK(SearchSpace("s", {knob("a", {"auto", 1, 2})}, constraints({"a == 'auto' or a < 2"}), {})
            .size() == 2);
}

TEST_CASE("a contradiction is found beside constraints that guard and bound each other") {
  std::vector<Knob> knobs{knob("a", {"auto", 1, 2}), knob("b", {1, 2})};
  for (int i = 0; i < 45; ++i) knobs.push_back(knob("k" + std::to_string(i), {1, 2, 3}));
  std::vector<std::string> texts{"a != 'auto'", "a < 2", "b > 2"};
  for (int i = 0; i < 44; ++i)
    texts.push_back("k" + std::to_string(i) + " == k" + std::to_string(i + 1));
  CHECK(fault_of([&] { SearchSpace("s", knobs, constraints(texts), {}); }) ==
        "s: no configuration satisfies this constraint:\n  \"b > 2\"\n"
        "hint: no values of its knobs make it true");
}

TEST_CASE("the diagram keeps to its limit") {
  const std::vector<Knob> knobs{knob("a", {1, 2, 3}), knob("b", {1, 2, 3}), knob("c", {1, 2, 3})};
  const Expression sum = Expression::parse("a + b + c < 7");
  const Facts facts;
  ExpressionGraph graph(knobs, facts, {&sum});
  const auto conditions = graph.conditions(sum);
  CHECK_THROWS_AS(Diagram(graph, 3, conditions, DiagramLimit{10'000, 10}), DiagramTooLarge);
  CHECK_THROWS_AS(Diagram(graph, 3, conditions, DiagramLimit{100, 1000}), DiagramTooLarge);
  const Diagram diagram(graph, 3, conditions, DiagramLimit{10'000, 1000});
  CHECK(diagram.size() == 17);
  CHECK(diagram.index({0, 0, 7}) == std::nullopt);
  CHECK(diagram.index({2, 2, 2}) == std::nullopt);
}

}  // namespace rooftune
