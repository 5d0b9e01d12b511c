// Configurations: keys, look-ups and JSON.
#include <catch2/catch.hpp>

#include "space/knob.h"
#include "unit/space/space_samples.h"

namespace rooftune {

TEST_CASE("a configuration is found by its key") {
  Configuration c;
  c.set("unroll", 4);
  c.set("format", "csr");
  c.set("huge", true);
  CHECK(c.key() == "format=csr huge=true unroll=4");
  CHECK(c.has("huge"));
  CHECK_FALSE(c.has("hug"));
  CHECK(c.at("unroll") == Value(4));
  CHECK_THROWS_WITH(c.at("unrol"),
                    "the configuration has no knob \"unrol\"\nhint: did you mean \"unroll\"?");
  CHECK(Configuration().key().empty());
}

TEST_CASE("a configuration travels through JSON") {
  Configuration c;
  c.set("a", 0.5);
  c.set("b", "x");
  CHECK(decoded<Configuration>(to_json(c), "r") == c);
  CHECK_THROWS_WITH(decoded<Configuration>(Json::array(), "r.jsonl"),
                    "r.jsonl: expected an object, got an array");
  CHECK_THROWS_WITH(decoded<Configuration>(parse_json(R"({"a": [1], "b": null})", "f"), "r.jsonl"),
                    "2 faults\nr.jsonl: /a: expected a number, text or truth\n"
                    "r.jsonl: /b: expected a number, text or truth");
}

TEST_CASE("knobs know their kinds and values") {
  const Knob k = samples::knob("k", {1, "a", 0.5});
  CHECK(k.index_of(1.0) == 0);
  CHECK(k.index_of("a") == 1);
  CHECK(k.index_of("b") == 3);
  std::string kinds;
  for (const auto kind : {Knob::Kind::compile, Knob::Kind::flag, Knob::Kind::argument,
                          Knob::Kind::openmp, Knob::Kind::environment, Knob::Kind::memory})
    kinds += std::string(to_text(kind)) + " ";
  CHECK(kinds == "compile flag argument openmp environment memory ");
}

}  // namespace rooftune
