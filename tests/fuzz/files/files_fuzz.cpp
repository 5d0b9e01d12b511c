// Every reader of files meets what once broke it, and fresh damage: a result or an Error, and
// nothing else. ROOFTUNE_FUZZ_ROUNDS asks for more rounds; fuzz_campaign goes on for hours.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "core/error.h"
#include "mutator.h"
#include "readers.h"

using namespace rooftune;
using namespace rooftune::fuzz;

namespace {

/// Any other exception fails the test by itself.
bool accepts(const Reader& reader, const std::string& text) {
  try {
    reader.read(text);
    return true;
  } catch (const Error& error) {
    REQUIRE_FALSE(error.message().empty());
    UNSCOPED_INFO(error.what());
    return false;
  }
}

}  // namespace

TEST_CASE("every reader accepts its samples") {
  for (const Reader& reader : readers()) {
    INFO(reader.name);
    std::size_t accepted = 0;
    for (const std::string& text : reader.samples()) {
      INFO(text.substr(0, 2000));
      accepted += accepts(reader, reader.compressed ? packed(text) : text);
    }
    CHECK(accepted > 0);
  }
}

TEST_CASE("what once broke a reader breaks it no more") {
  std::size_t inputs = 0;
  for (const Reader& reader : readers())
    for (const auto& [name, text] : corpus(reader.name)) {
      INFO(reader.name << "/" << name);
      accepts(reader, text);
      ++inputs;
    }
  CHECK(inputs > 0);
}

TEST_CASE("damaged files of every form end in a result or an Error") {
  const char* asked = std::getenv("ROOFTUNE_FUZZ_ROUNDS");
  const std::uint64_t rounds = asked ? std::strtoull(asked, nullptr, 10) : 150;
  for (const Reader& reader : readers()) {
    const std::vector<std::string> samples = reader.samples();
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      INFO(reader.name << " round " << i);
      Rng rng(20261121, i);
      std::string text = damaged(samples, rng);
      if (reader.compressed) text = packed(text);
      if (reader.compressed && i % 3 == 0) text = damaged_bytes(text, rng);
      INFO(text);
      refused += !accepts(reader, text);
    }
    INFO(reader.name);
    // Exports collect their faults and never throw; records leave damaged lines aside.
    CHECK((refused > 0 || reader.name == "exports" || reader.name == "records"));
  }
}
