// Record files with random damage: reading and indexing them never throws and never invents a
// trial.
#include <catch2/catch.hpp>

#include "support/store_fixture.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

constexpr std::uint64_t records_seed = 20261121;

std::string damaged_record(std::string text, Rng& rng) {
  for (std::uint64_t edits = 1 + rng.below(6); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = rng.below(text.size());
    switch (rng.below(5)) {
      case 0:
        text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text.erase(at, 1 + rng.below(200));
        break;
      case 2:
        text.insert(at, text.substr(rng.below(text.size()), rng.below(300)));
        break;
      case 3:
        text[at] = "{}[]\",:0123456789eE+-.\n"[rng.below(23)];
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("damaged record files") {
  const ResultsDirectory results;
  const auto trials = random_trials(7, 5);
  const auto file = results.write(trials);
  const std::string good = text_of(file);
  std::size_t kept = 0, faulty = 0;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    Rng rng(records_seed, i);
    INFO("seed " << records_seed << " position " << i);
    put_text(file, damaged_record(good, rng));
    const auto study = results.study();
    REQUIRE(study);
    kept += study->history.size();
    faulty += study->faults.empty() ? 0 : 1;
    for (std::size_t k = 0; k < study->history.size(); ++k)
      REQUIRE(study->history.trials()[k].index == k);
  }
  CHECK(kept > 1500);
  CHECK(faulty > 1000);
}
