// The core's clock, as a user meets it.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "e2e/user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("a core that runs slower than the probe found it is flagged") {
  const User user;
  Json machine = read_json(user.path("machines/host.json"));
  for (Json& ceiling : machine["ceilings"])
    if (ceiling.at("kind") == "in_core") ceiling["clock"] = {{"value", 9.9}, {"unit", "GHz"}};
  user.write("machines/host.json", machine.dump());
  const Json result =
      user.tuned({"--kernel", "triad", "--problem", "n=5000", "--budget", "3", "--no-staircase"});
  std::string notes;
  for (const Json& note : result.at("notes")) notes += note.get<std::string>() + "\n";
  INFO(notes);
  CHECK(notes.find("below the 9.90 GHz of the probe") != std::string::npos);
  CHECK(notes.find(" trials the core's clock was more than 5 % below") != std::string::npos);
  const Ran trial = user.tune({"explain", "--kernel", "triad", "0"});
  CHECK(trial.says("core clock "));
  CHECK(trial.says("a chain of dependent additions"));
}
