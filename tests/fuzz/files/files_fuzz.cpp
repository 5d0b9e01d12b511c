// Every reader of files meets what once broke it, and fresh damage: a result or an Error, and
// nothing else. ROOFTUNE_FUZZ_ROUNDS asks for more rounds; fuzz_campaign goes on for hours.
#include <rooftune/tuned_configurations.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

#include "core/error.h"
#include "mutator.h"
#include "readers.h"
#include "support/scratch_folder.h"

using namespace rooftune;
using namespace rooftune::fuzz;

namespace {

/// Empty for what is accepted, else what kind of fault. Any other exception fails the test by
/// itself.
std::string refusal(const Reader& reader, const std::string& text) {
  try {
    reader.read(text);
    return {};
  } catch (const Error& error) {
    REQUIRE_FALSE(error.message().empty());
    UNSCOPED_INFO(error.what());
    return "refused: " + kind_of(error.message());
  }
}

bool accepts(const Reader& reader, const std::string& text) {
  return refusal(reader, text).empty();
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
    std::set<std::string> answers;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      INFO(reader.name << " round " << i);
      Rng rng(20261121, i);
      std::string text = damaged(samples, rng);
      if (reader.compressed) text = packed(text);
      if (reader.compressed && i % 3 == 0) text = damaged_bytes(text, rng);
      INFO(text);
      answers.insert(refusal(reader, text));
    }
    INFO(reader.name);
    // A reader that gives all damage one answer is not looked into by it.
    CHECK(answers.size() >= 4);
  }
}

TEST_CASE("samples of exports reach every answer of a look-up") {
  const Reader& exports = *std::find_if(readers().begin(), readers().end(),
                                        [](const Reader& one) { return one.name == "exports"; });
  const testing::ScratchFolder folder;
  std::set<TunedConfiguration::Match> matches;
  for (const std::string& text : exports.samples()) {
    TunedConfigurations tuned;
    CHECK(tuned.add(folder.write("export.json", text).string()));
    for (const int n : {1000, 77})
      matches.insert(tuned.find("triad", {{"layout", "soa"}, {"n", n}}).match());
  }
  CHECK(matches.size() == 4);
}
