// Regular expressions: the whole text and places in it, groups, replacements, faults.
#include "core/pattern.h"

#include <catch2/catch.hpp>
#include <memory>
#include <regex>

using namespace rooftune;
using Match = Pattern::Match;

namespace {

/// The words of a wrong expression; "" for a right one.
std::string pattern_fault(const std::string& expression) {
  try {
    Pattern{expression};
  } catch (const PatternError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a pattern describes a whole text, or is found at the first place in it") {
  const Pattern pattern("a+");
  CHECK(pattern.matches("aaa"));
  CHECK_FALSE(pattern.matches("baaa"));
  CHECK_FALSE(pattern.matches("aaab"));
  CHECK_FALSE(pattern.matches(""));
  CHECK(pattern.match("aa") == Match{"aa"});
  CHECK_FALSE(pattern.match("aab").has_value());
  CHECK(pattern.search("baabaaa") == Match{"aa"});
  CHECK_FALSE(pattern.search("bbb").has_value());
  // The second word of the choice, where the first leaves a rest.
  CHECK(Pattern("a|ab").matches("ab"));
  CHECK(Pattern("a|ab").search("ab") == Match{"a"});
  CHECK(Pattern("").matches(""));
  CHECK(Pattern("").search("text") == Match{""});
}

TEST_CASE("groups of a pattern have a number each, and are empty without a part in the match") {
  const Pattern pattern("(\\w+)=(?:(\\d+)|(none))");
  CHECK(pattern.groups() == 3);
  CHECK(pattern.match("n=12") == Match{"n=12", "n", "12", ""});
  CHECK(pattern.search("m, n=none") == Match{"n=none", "n", "", "none"});
  CHECK(Pattern("(?:a)b").groups() == 0);
}

TEST_CASE("all matches follow one another, and an empty one moves on") {
  CHECK(Pattern("t=(\\d)").all("t=1 t=2 u=3") == std::vector<Match>{{"t=1", "1"}, {"t=2", "2"}});
  CHECK(Pattern("aa").all("aaaaa").size() == 2);
  CHECK(Pattern("x*").all("axb") == std::vector<Match>{{""}, {"x"}, {""}, {""}});
  CHECK(Pattern("t").all("").empty());
}

TEST_CASE("a text is split at the matches of a pattern") {
  using Parts = std::vector<std::string>;
  const Pattern comma(",");
  CHECK(comma.split("a,b,c") == Parts{"a", "b", "c"});
  CHECK(comma.split(",a,,b,") == Parts{"", "a", "", "b"});
  CHECK(comma.split("abc") == Parts{"abc"});
  CHECK(comma.split("") == Parts{""});
}

TEST_CASE("each match is replaced, with its groups where the replacement names them") {
  CHECK(Pattern("\\bBLOCK\\b").replaced("BLOCK * BLOCK_X + BLOCK", "b") == "b * BLOCK_X + b");
  CHECK(Pattern("(\\d)\\.(\\d)").replaced("1.2 and 3.4", "$2.$1 of $&") ==
        "2.1 of 1.2 and 4.3 of 3.4");
  CHECK(Pattern("x").replaced("text without", "y") == "teyt without");
  CHECK(Pattern("z").replaced("text", "y") == "text");
}

TEST_CASE("a wrong pattern is refused in the words of the standard library") {
  for (const std::string wrong : {"(", "[", "a{2", "*", "\\", "[b-a]", "(?<=a)b"}) {
    INFO(wrong);
    std::string words;
    try {
      std::regex{wrong};
    } catch (const std::regex_error& error) {
      words = error.what();
    }
    CHECK_FALSE(words.empty());
    CHECK(pattern_fault(wrong) == words);
  }
  CHECK(pattern_fault("(a)").empty());
}

TEST_CASE("a copy of a pattern outlives it") {
  auto pattern = std::make_unique<Pattern>("(a)b");
  const Pattern copy = *pattern;
  pattern.reset();
  CHECK(copy.groups() == 1);
  CHECK(copy.match("ab") == Match{"ab", "a"});
}

TEST_CASE("a pattern with short matches reads a long text") {
  constexpr std::size_t length = 100'000;
  const std::string letters(length, 't'), commas(length, ',');
  const Pattern time("t=([0-9]{1,9}) s");
  CHECK_FALSE(time.search(letters).has_value());
  CHECK(time.search(letters + "=25 s" + letters) == Match{"t=25 s", "25"});
  CHECK_FALSE(time.matches(letters));
  CHECK(Pattern(",(?=[^,=]{1,64}=)").split("a" + commas + letters + "=1").size() == 1);
  CHECK(Pattern(",").split(commas).size() == length);
  CHECK(Pattern(",").all(commas).size() == length);
  CHECK(Pattern(",").replaced(commas, ", ").size() == 2 * length);
}
