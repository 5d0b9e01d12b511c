// Command lines with placeholders: words as a shell splits them, values that stay one word.
#include "run/command_template.h"

#include <catch2/catch.hpp>

#include "core/error.h"

using namespace rooftune;
using Catch::Contains;
using Texts = std::vector<std::string>;

namespace {

Texts filled(const std::string& text) {
  return CommandTemplate::parse(text, "--command").filled([](const std::string& name) {
    return Texts{"<" + name + ">"};
  });
}

}  // namespace

TEST_CASE("a command line is split as a shell splits it, and nothing is replaced") {
  CHECK(filled("  ./app  -n 3 ") == Texts{"./app", "-n", "3"});
  CHECK(filled("a 'b c' \"d e\"f g\\ h ''") == Texts{"a", "b c", "d ef", "g h", ""});
  CHECK(filled(R"(say "a \"b\" \n" 'it\s')") == Texts{"say", R"(a "b" \n)", R"(it\s)"});
  CHECK(filled("a $HOME *.c > b; c") == Texts{"a", "$HOME", "*.c", ">", "b;", "c"});
  CHECK(filled("").empty());
}

TEST_CASE("a quote that is open is named, with its option") {
  try {
    CommandTemplate::parse("./app 'three", "--build");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK_THAT(error.message(), Contains("'three"));
    CHECK(error.where() == "--build");
  }
}

TEST_CASE("placeholders are filled after splitting, so that a value stays in its word") {
  const auto command = CommandTemplate::parse("run '{a b}' x{a}y{b}{a} \"{c}\"", "--command");
  CHECK(command.names() == Texts{"a", "b", "c"});
  CHECK(command.filled([](const std::string& name) { return Texts{name + " 'and more"}; }) ==
        Texts{"run", "{a b}", "xa 'and moreyb 'and morea 'and more", "c 'and more"});
}

TEST_CASE("flags that stand alone are words of their own, and an empty value is none") {
  const auto words = [](const std::string& text) {
    return CommandTemplate::parse(text, "--build").filled([](const std::string& name) {
      return name == "flags"    ? Texts{"-O3", "--param", "max=3"}
             : name == "switch" ? Texts{""}
                                : Texts{};
    });
  };
  CHECK(words("cc {flags} a.c") == Texts{"cc", "-O3", "--param", "max=3", "a.c"});
  CHECK(words("make FLAGS={flags}") == Texts{"make", "FLAGS=-O3 --param max=3"});
  CHECK(words("./app {switch} {none} x={switch}") == Texts{"./app", "x="});
  CHECK(words("{none}") == Texts{""});
  CHECK(CommandTemplate::word("{flags}", "--env A").text([](const std::string&) {
    return Texts{"-a", "-b"};
  }) == "-a -b");
}

TEST_CASE("signs of a shell in a command without one are told") {
  const auto signs = [](const std::string& command) {
    return signs_for_shell(command, "--command").size();
  };
  CHECK(signs("./app {x} > out.txt") == 1);
  CHECK(signs("./app {x} >out 2>&1 | tee log && true") == 4);
  CHECK(signs("./app $PATH ${PATH} ~/x ~") == 4);
  CHECK(signs("./app $no_such_variable a=b {x} /no/such/*.c 5*3") == 0);
  CHECK(signs("ls /*") == 1);
  CHECK(signs("sh -c './app > $HOME/out' {x}") == 0);
  CHECK_THAT(signs_for_shell("./app | tee log", "--build").front(),
             Contains("--build: \"|\"") && Contains("sh -c"));
}

TEST_CASE("braces that are no placeholder stay what they are") {
  CHECK(filled("{} {1} {{a}} ${b} {c.d} {e} {{f} x{{g}}y") ==
        Texts{"{}", "{1}", "{a}", "${b}", "{c.d}", "<e>", "{<f>", "x{g}y"});
  CHECK(CommandTemplate::parse("awk '{{print}}' {{a}}", "").names().empty());
}

TEST_CASE("words without placeholders are known before there is a configuration") {
  const auto command = CommandTemplate::parse("python3 app.py {n}", "--command");
  CHECK(command.fixed_word(0) == "python3");
  CHECK(command.fixed_word(1) == "app.py");
  CHECK(command.fixed_word(2).empty());
  CHECK(command.fixed_word(3).empty());
}

TEST_CASE("words are shown as a person would type them, and read back the same") {
  const Texts words{"./a", "b c", "it's", "", "x=1"};
  CHECK(quoted(words) == R"(./a 'b c' 'it'\''s' '' x=1)");
  CHECK(filled(quoted(words)) == words);
}
