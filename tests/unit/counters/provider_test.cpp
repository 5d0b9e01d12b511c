// Which provider counts what: names, their refusals, and cards apart from processors.
#include "counters/provider.h"

#include <catch2/catch.hpp>

#include "core/error.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// The error of a choice, with its exit code.
Error refusal(const std::string& word, bool card) {
  try {
    chosen_providers(word, card);
  } catch (const Error& error) {
    return error;
  }
  throw std::runtime_error("\"" + word + "\" was accepted");
}

}  // namespace

TEST_CASE("nothing is chosen for none, and a wrong name is corrected") {
  for (const bool card : {false, true}) {
    CHECK(chosen_providers("none", card).empty());
    CHECK_THAT(refusal("cuptu", card).hint(), Contains("did you mean \"cupti\""));
    CHECK_THAT(refusal("tachometer", card).message(), Contains("no counter provider"));
  }
}

TEST_CASE("auto asks a card's counters for a card, and the processor's for the processor") {
  for (const bool card : {false, true}) {
    for (const CounterProviderRow* row : chosen_providers("auto", card)) {
      INFO(row->name);
      CHECK(row->on_card() == card);
      CHECK(row->availability().available);
    }
  }
  CHECK_THAT(refusal("cupti", false).message(),
             Contains("is not available here") || Contains("run on the processor"));
}

TEST_CASE("why nothing is counted names what would count there") {
  if (chosen_providers("auto", true).empty())
    CHECK_THAT(no_counters_reason(true), Contains(cupti_availability().reason));
  else
    CHECK_THAT(no_counters_reason(true), Contains("--counters cupti"));
}
