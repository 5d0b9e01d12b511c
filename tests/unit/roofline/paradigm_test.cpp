#include "roofline/paradigm.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/json.h"

using namespace rooftune;

namespace {

struct Reading {
  std::vector<Paradigm> paradigms;
  std::string fault;
};

Reading reading(const Json& list) {
  Reading result;
  Faults faults;
  const Json json{{"requires", list}};
  ObjectReader reader(json, "m.json", faults);
  result.paradigms = read_paradigms(reader, "requires");
  try {
    faults.raise();
  } catch (const Error& error) {
    result.fault = error.what();
  }
  return result;
}

}  // namespace

TEST_CASE("every paradigm has a word of its own and a meaning, in the order of the words") {
  const std::vector<std::string> all = paradigm_words();
  CHECK(std::is_sorted(all.begin(), all.end()));
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  for (const ParadigmRow& row : paradigm_table()) {
    INFO(row.word);
    CHECK(paradigm_of(row.word) == row.paradigm);
    CHECK(to_text(row.paradigm) == std::string(row.word));
    CHECK_FALSE(std::string(row.meaning).empty());
  }
}

TEST_CASE("a list of paradigms keeps the order of the file") {
  const auto [paradigms, fault] = reading({"tlp", "simd"});
  CHECK(fault.empty());
  CHECK(words(paradigms) == std::vector<std::string>{"tlp", "simd"});
}

TEST_CASE("an unknown paradigm is a fault at its place, with the word that was meant") {
  const auto [paradigms, fault] = reading({"fma", "smid", "fma"});
  CHECK(fault == "m.json: /requires/1: unknown paradigm \"smid\"\nhint: did you mean \"simd\"?");
  CHECK(paradigms.size() == 2);
  CHECK(reading({"quantum"}).fault.find("hint: one of balance, capacity, coalesced") !=
        std::string::npos);
}

TEST_CASE("a knob is for a limit when it can break one of the paradigms that it lacks") {
  CHECK(breaks_one({Paradigm::tlb, Paradigm::simd}, {Paradigm::simd}));
  CHECK_FALSE(breaks_one({Paradigm::tlb}, {Paradigm::simd}));
  CHECK_FALSE(breaks_one({Paradigm::tlb}, {}));
}
