// Search-space files with members removed, swapped for others or of the wrong type: every one ends
// in a space that keeps its laws, or in an Error. ROOFTUNE_FUZZ_ROUNDS asks for more rounds.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "core/error.h"
#include "space/search_space.h"
#include "space/space_reader.h"

namespace rooftune {
namespace {

const char* const space_text =
    R"json({"schema": "rooftune-space-1", "kernel": "k", "backend": "openmp", "knobs": [
  {"name": "unroll", "kind": "compile", "values": [1, 2, 4], "default": 1, "breaks": ["ilp"], "doc": "d"},
  {"name": "level", "kind": "flag", "values": [2, 3], "flags": [["-O2"], ["-O3"]], "default": 3, "breaks": ["simd"]},
  {"name": "threads", "kind": "openmp", "setting": "threads", "values": "=powers(1, machine_threads)", "default": "=machine_threads", "breaks": ["tlp"]},
  {"name": "chunk", "kind": "openmp", "setting": "chunk", "values": [0, "=n // 4"], "default": 0, "breaks": ["balance"], "active": "threads > 1"},
  {"name": "huge", "kind": "memory", "setting": "huge_pages", "values": [false, true], "default": false, "breaks": ["tlb"],
   "applicable": {"if": "machine_threads > 4", "reason": "r"}}],
 "constraints": [{"expression": "unroll * threads <= 8 and chunk != 3", "reason": "r"}]})json";

/// Every place of a document, outermost first.
void collect(Json& json, std::vector<Json*>& places) {
  places.push_back(&json);
  for (Json& child : json)
    if (json.is_structured()) collect(child, places);
}

Json damaged(Rng& rng) {
  Json json = Json::parse(space_text);
  for (std::uint64_t edits = 1 + rng.below(3); edits > 0; --edits) {
    std::vector<Json*> places;
    collect(json, places);
    Json& place = *places[rng.below(places.size())];
    const Json other = *places[rng.below(places.size())];
    static const std::vector<Json> odd{nullptr,
                                       true,
                                       0,
                                       -1,
                                       1e300,
                                       "",
                                       "=",
                                       "=n",
                                       "=range(100000)",
                                       "threads",
                                       "chunk > 0",
                                       "=1 // 0",
                                       "lambda",
                                       Json::array(),
                                       Json::object(),
                                       "\n\x01",
                                       "=[[1]]",
                                       INT64_MIN,
                                       "unroll + 'a'",
                                       "name name"};
    switch (rng.below(4)) {
      case 0:
        place = other;
        break;
      case 1:
        if (place.is_object() && !place.empty())
          place.erase(
              std::next(place.begin(), static_cast<std::ptrdiff_t>(rng.below(place.size()))).key());
        break;
      case 2:
        if (place.is_array()) place.push_back(other);
        break;
      default:
        place = odd[rng.below(odd.size())];
    }
  }
  return json;
}

}  // namespace

TEST_CASE("damaged space files end in a lawful space or an Error") {
  const char* asked = std::getenv("ROOFTUNE_FUZZ_ROUNDS");
  const int rounds = asked ? std::atoi(asked) : 4000;
  const Facts facts{{"n", 100}, {"machine_threads", 4}};
  int spaces = 0, errors = 0;
  for (int round = 0; round < rounds; ++round) {
    Rng rng(7, static_cast<std::uint64_t>(round));
    const Json json = damaged(rng);
    INFO(json.dump());
    try {
      const SearchSpace space = space_from_json(json, "s.json", facts);
      ++spaces;
      REQUIRE(space.allowed(space.baseline()));
      const Configuration sample = space.sample(rng);
      REQUIRE(space.why_not(sample).empty());
      REQUIRE(space.normalised(sample) == sample);
      if (space.size() < 1000)
        for (const Configuration& neighbour : space.neighbours(sample))
          REQUIRE(space.allowed(neighbour));
    } catch (const Error& error) {
      ++errors;
      REQUIRE(std::string(error.what()).find("s.json") != std::string::npos);
    }
  }
  CHECK(spaces > rounds / 50);
  CHECK(errors > rounds / 2);
}

}  // namespace rooftune
