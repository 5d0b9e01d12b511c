#include <catch2/catch.hpp>

#include "core/error.h"
#include "trial/trial.h"

using namespace rooftune;

TEST_CASE("a transfer survives the records, in its order") {
  Configuration one, two;
  one.set("x", 4);
  one.set("kind", "csr");
  two.set("x", 2);
  two.set("kind", "bcsr");
  Transfer transfer;
  transfer.sources = {{"0123", "host", "abcd", 40, "{\"n\":1000}", {two}},
                      {"4567", "other", "ef01", 7, "{}", {one}}};
  transfer.proposals = {two, one};
  const Transfer read = decoded<Transfer>(parse_json(encode(transfer).dump(), "here"), "here");
  CHECK(read.proposals == transfer.proposals);
  REQUIRE(read.sources.size() == 2);
  CHECK(read.sources[0].digest == "abcd");
  CHECK(read.sources[0].trials == 40);
  CHECK(read.sources[1].proposals == std::vector<Configuration>{one});
  CHECK(to_text(read) ==
        "started from the best known: 1 of 0123 on host ({\"n\":1000}, 40 trials); "
        "1 of 4567 on other ({}, 7 trials)");
}

TEST_CASE("a transfer that is none is refused with its place") {
  CHECK_THROWS_WITH(decoded<Transfer>(parse_json("{}", "s"), "setup of s"),
                    Catch::Contains("setup of s") && Catch::Contains("proposals"));
}
