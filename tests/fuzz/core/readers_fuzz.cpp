// Readers of text from outside meet damaged input: every text ends in a result or an Error.
// A small corpus is replayed as it is, then with seeded mutations; ROOFTUNE_FUZZ_ROUNDS asks for
// more.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "core/error.h"
#include "core/expression.h"
#include "core/json.h"
#include "core/object_reader.h"
#include "core/rng.h"
#include "core/units.h"

namespace rooftune {
namespace {

std::vector<std::string> corpus(const std::string& name) {
  std::ifstream file(std::string(ROOFTUNE_SOURCE_DIR "/tests/fuzz/core/corpus/") + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

int rounds(int usual) {
  const char* asked = std::getenv("ROOFTUNE_FUZZ_ROUNDS");
  return asked ? std::atoi(asked) : usual;
}

/// Changes, removes, repeats, nests or joins pieces of a text.
std::string mutated(std::string text, const std::vector<std::string>& others, Rng& rng) {
  for (std::uint64_t edits = 1 + rng.below(4); edits > 0; --edits) {
    const std::size_t at = rng.below(text.size() + 1);
    const std::size_t length = rng.below(text.size() - at + 1);
    switch (rng.below(8)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text.erase(at, 1 + length / 4);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3: {
        static const std::string marks =
            "()[]{}\"',:+-*/%<>=!.e0 \\\n\0"
            "9";
        text.insert(at, 1, marks[rng.below(marks.size())]);
        break;
      }
      case 4:
        text.insert(at, std::string(rng.below(2000), "([-{"[rng.below(4)]));
        break;
      case 5: {
        const std::string& other = others[rng.below(others.size())];
        text = text.substr(0, at) + other.substr(rng.below(other.size() + 1));
        break;
      }
      case 6:
        text.insert(at, std::to_string(rng.next()));
        break;
      default:
        text = text.substr(0, at);
    }
    if (text.size() > 20'000) text.resize(20'000);
  }
  return text;
}

struct Outcomes {
  std::size_t results = 0, errors = 0;
};

/// Anything but a result or an Error ends the test by its exception, a crash or a sanitizer.
Outcomes fuzzed(const std::string& name, std::uint64_t seed, int per_line,
                const std::function<void(const std::string&)>& read) {
  const std::vector<std::string> lines = corpus(name);
  REQUIRE(lines.size() > 5);
  Outcomes outcomes;
  const auto once = [&](const std::string& text) {
    INFO(text);
    try {
      read(text);
      ++outcomes.results;
    } catch (const Error& error) {
      ++outcomes.errors;
      REQUIRE(!error.message().empty());
      // A message quotes little, however long the input.
      REQUIRE(error.message().size() < 1000);
    }
  };
  Rng rng(seed, 0);
  for (const std::string& line : lines) {
    once(line);
    for (int i = 0; i < per_line; ++i) once(mutated(line, lines, rng));
  }
  return outcomes;
}

}  // namespace

TEST_CASE("damaged expressions end in a value or an Error") {
  const Outcomes outcomes = fuzzed("expressions.txt", 1, rounds(1500), [](const std::string& text) {
    Expression::parse(text).evaluate([](const std::string& name) -> std::optional<Value> {
      if (name == "x") return Value(3);
      if (name.size() > 3) return Value(16);
      return std::nullopt;
    });
  });
  CHECK(outcomes.results > 1000);
  CHECK(outcomes.errors > 1000);
}

TEST_CASE("damaged units end in a quantity or an Error") {
  const Outcomes outcomes = fuzzed("units.txt", 2, rounds(1500), [](const std::string& text) {
    for (const auto& parse : std::vector<std::function<double()>>{
             [&] { return byte_rate_unit(text); }, [&] { return parse_bytes(text).value(); },
             [&] { return flop_rate_unit(text); }, [&] { return hertz_unit(text); },
             [&] { return parse_duration(text).value(); }}) {
      try {
        const double value = parse();
        REQUIRE((value >= 0 && value < 1e308 * 10));
      } catch (const Error&) {
      }
    }
    parse_duration(text);
  });
  CHECK(outcomes.results > 100);
  CHECK(outcomes.errors > 1000);
}

TEST_CASE("damaged documents end in JSON or an Error with a place") {
  const Outcomes outcomes = fuzzed("documents.txt", 3, rounds(1500), [](const std::string& text) {
    try {
      const Json json = parse_json(text, "f");
      // What was read can be written and read again.
      REQUIRE(parse_json(json.dump(), "g") == json);
    } catch (const Error& error) {
      REQUIRE(error.where().rfind("f:", 0) == 0);
      throw;
    }
  });
  CHECK(outcomes.results > 100);
  CHECK(outcomes.errors > 1000);
}

TEST_CASE("a reader of objects survives any document") {
  fuzzed("documents.txt", 4, rounds(500), [](const std::string& text) {
    const Json json = parse_json(text, "f");
    Faults faults;
    ObjectReader reader(json, "f", faults);
    reader.text("schema", "");
    reader.get("a", std::int64_t{0});
    reader.formula("c", "");
    reader.get<Texts>("a");
    reader.each("knobs", [](ObjectReader& knob) {
      knob.text("name");
      knob.get("default", 0.0);
      knob.get("kind", false);
      knob.finish();
    });
    reader.object("rate", [](ObjectReader& rate) {
      double value = 0;
      rate.need("value", value);
    });
    reader.finish();
    if (!faults.empty()) throw Error("faulty");
  });
}

}  // namespace rooftune
