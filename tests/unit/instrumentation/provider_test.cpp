// The provider among the others: its name, and what it is no choice for.
#include <catch2/catch.hpp>

#include "core/error.h"
#include "support/with_instrumentation.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// The error of a choice.
Error choice_fault(const std::string& word, bool card) {
  try {
    chosen_providers(word, card);
  } catch (const Error& error) {
    return error;
  }
  throw std::runtime_error("\"" + word + "\" was accepted");
}

}  // namespace

TEST_CASE("a name that is nearly the provider's is corrected") {
  for (const bool card : {false, true})
    CHECK_THAT(choice_fault("instrumentd", card).hint(), Contains("did you mean \"instrumented\""));
}

#if defined(__x86_64__)
TEST_CASE("the trace of machine code is no choice for a card") {
  REQUIRE(chosen_providers("instrumented", false).size() == 1);
  const Error error = choice_fault("instrumented", true);
  CHECK_THAT(error.message(),
             Contains("counts the processor, and the variants run on a graphics card"));
  CHECK_FALSE(error.hint().empty());
}
#endif
