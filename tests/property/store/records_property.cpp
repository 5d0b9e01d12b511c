// Laws of the records: they round-trip, and a file cut anywhere loses at most the record that was
// cut.
#include <catch2/catch.hpp>

#include "support/store_fixture.h"

using namespace rooftune;
using namespace rooftune::testing;

TEST_CASE("any trials come back as they were written") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    INFO("seed " << seed);
    const ResultsDirectory results;
    const auto trials = random_trials(seed, 25);
    results.write(trials);
    const auto study = results.study();
    CHECK(study->faults.empty());
    REQUIRE(study->history.size() == trials.size());
    for (std::size_t i = 0; i < trials.size(); ++i)
      CHECK(same(study->history.trials()[i], trials[i]));
  }
}

TEST_CASE("a file cut at any byte keeps every record that was whole") {
  const ResultsDirectory results;
  const auto trials = random_trials(42, 4);
  const auto file = results.write(trials);
  const std::string text = text_of(file);
  std::size_t trials_before = 0, lines_before = 0;
  for (std::size_t length = 0; length < text.size(); ++length) {
    put_text(file, text.substr(0, length));
    const auto study = results.study();
    REQUIRE(study);
    INFO("cut after " << length << " of " << text.size() << " bytes");
    // A record is whole with its closing brace; its newline may be missing.
    const bool whole = length > 0 && (text[length - 1] == '\n' || text[length] == '\n');
    if (length > 0 && text[length] == '\n') {
      ++lines_before;
      if (lines_before > 1 && lines_before % 2 == 1) ++trials_before;
    }
    REQUIRE(study->history.size() == trials_before);
    for (std::size_t i = 0; i < trials_before; ++i)
      REQUIRE(same(study->history.trials()[i], trials[i]));
    REQUIRE(study->faults.empty() == (whole));
  }
  CHECK(trials_before == trials.size());
}
