#include <algorithm>
#include <catch2/catch.hpp>

#include "core/object_reader.h"
#include "roofline/machine.h"

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
  result.paradigms = reader.get<std::vector<Paradigm>>("requires");
  try {
    faults.raise();
  } catch (const Error& error) {
    result.fault = error.what();
  }
  return result;
}

}  // namespace

TEST_CASE("the words of paradigms are in order, so a set of them prints sorted") {
  const Words all = words(Paradigm{});
  CHECK(std::is_sorted(all.begin(), all.end(),
                       [](std::string_view a, std::string_view b) { return a < b; }));
  CHECK(to_text(Paradigm::write_allocate) == std::string("write_allocate"));
  CHECK(all.size() == static_cast<std::size_t>(Paradigm::write_allocate) + 1);
}

TEST_CASE("a list of paradigms keeps the order of the file") {
  const auto [paradigms, fault] = reading({"tlp", "simd"});
  CHECK(fault.empty());
  CHECK(words(paradigms) == std::vector<std::string>{"tlp", "simd"});
}

TEST_CASE("an unknown paradigm is a fault at its place, with the word that was meant") {
  const auto [paradigms, fault] = reading({"fma", "smid", "fma"});
  CHECK(fault == "m.json: /requires/1: unknown paradigm \"smid\"\nhint: did you mean \"simd\"?");
  CHECK(reading({"quantum"}).fault.find("hint: one of balance, capacity, coalesced") !=
        std::string::npos);
}

TEST_CASE("a knob is for a limit when it can break one of the paradigms that it lacks") {
  CHECK(breaks_one({Paradigm::tlb, Paradigm::simd}, {Paradigm::simd}));
  CHECK_FALSE(breaks_one({Paradigm::tlb}, {Paradigm::simd}));
  CHECK_FALSE(breaks_one({Paradigm::tlb}, {}));
}
