// Recorded spaces with random damage, in every form: read, or refused with an Error, and never
// worse.
#include <catch2/catch.hpp>

#include "replay/replay.h"
#include "replay/t1_space.h"
#include "support/json_mutation.h"
#include "support/recorded_samples.h"
#include "support/recorded_text.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

constexpr std::uint64_t seed = 20261121, rounds = 1500;

/// Whatever is read can be written and replayed.
bool reads(const std::string& text) {
  try {
    const Recording recording = recording_from_text(text, "fuzz");
    const Recording again = recording_from_text(t4_text(recording), "again");
    REQUIRE(again.results.size() == recording.results.size());
    cachefile_text(recording);
    Replay{recording};
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("damaged members of recorded spaces") {
  int read = 0, refused = 0;
  for (const std::string& sample : {t4_sample, cachefile_sample, ktt_sample})
    for (std::uint64_t i = 0; i < rounds; ++i) {
      Rng rng(seed, i);
      INFO("position " << i);
      Json json = parse_json(sample, "sample");
      damage(json, rng);
      ++(reads(json.dump()) ? read : refused);
    }
  CHECK(read > 100);
  CHECK(refused > 100);
}

TEST_CASE("damaged bytes of recorded spaces") {
  int refused = 0;
  for (const std::string& sample : {t4_sample, cachefile_sample, ktt_sample})
    for (std::uint64_t i = 0; i < rounds; ++i) {
      Rng rng(seed + 1, i);
      INFO("position " << i);
      if (!reads(damaged(sample, rng))) ++refused;
    }
  CHECK(refused > 1000);
}

TEST_CASE("damaged T1 spaces") {
  int read = 0, refused = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    Rng rng(seed + 2, i);
    INFO("position " << i);
    Json json = parse_json(t1_sample, "sample");
    damage(json, rng);
    try {
      const T1Specification t1 = t1_from_json(json, "fuzz");
      REQUIRE(t1.space.size() > 0);
      ++read;
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(read > 50);
  CHECK(refused > 50);
}
