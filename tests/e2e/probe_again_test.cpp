// Probing again never lowers a ceiling. A machine file stands in for a probe, which would take
// long.
#include <algorithm>
#include <catch2/catch.hpp>

#include "core/file.h"
#include "roofline/machine.h"
#include "roofline/machine_json.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// This computer as the system tells it, with ceilings that every computer beats.
Machine too_slow(const User& user) {
  const Ran ran =
      user.tune({"probe", "--quiet", "--budget", "2", "--output", user.path("slow.json").string()});
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  Machine machine = read_machine(user.path("slow.json"));
  for (Ceiling& ceiling : machine.ceilings) {
    const double rate = ceiling.rate.value / 50;
    ceiling.rate = Estimate::exact(rate);
    ceiling.stable = true;
    ceiling.samples.clear();
  }
  return machine;
}

}  // namespace

TEST_CASE("probing again keeps what was faster, unless it shall be forgotten") {
  const User user;
  const std::string file = user.path("slow.json").string();
  Machine before = too_slow(user);
  before.ceilings.front().rate = Estimate::exact(1e15);
  const std::string name = before.ceilings.front().name;
  const auto rate = [&] { return read_machine(file).ceilings.front().rate.value; };
  user.write("slow.json", json_text(to_json(before), 1));
  const Ran again = user.tune({"probe", "--budget", "2", "--output", file});
  REQUIRE(again.code == 0);
  CHECK(again.says("are an earlier probe's"));
  // Or a little more, where another clock was seen.
  CHECK(rate() >= 0.999e15);
  CHECK(rate() < 1.5e15);
  REQUIRE(user.tune({"probe", "--quiet", "--budget", "2", "--forget", "--output", file}).code == 0);
  CHECK(rate() < 1e14);
  user.write("slow.json", "{ no machine");
  REQUIRE(user.tune({"probe", "--quiet", "--budget", "2", "--output", file}).code == 0);
  CHECK(std::filesystem::exists(user.path("slow.json.set-aside")));
  const auto notes = read_machine(file).notes;
  CHECK(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("the earlier file could not be read") != std::string::npos;
  }));
}
