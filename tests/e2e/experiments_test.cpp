// Walls of traffic by experiment, and the core's clock, as a user meets them.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "e2e/user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// The runs of this file are as short as experiments allow; what they would prove is left out.
std::vector<std::string> experiment(const std::string& kernel, const std::string& problem) {
  return {"--kernel",      kernel,         "--problem",  problem, "--budget",   "16",
          "--no-ablation", "--no-anchors", "--counters", "none",  "--strategy", "random"};
}

const Json* found(const Json& result, const std::string& wall, const std::string& subject) {
  for (const Json& one : result.at("experiments"))
    if (one.at("wall") == wall && one.at("subject") == subject) return &one;
  return nullptr;
}

}  // namespace

TEST_CASE("declared experiments are made with the best and the baseline, kept, and shown") {
  const User user;
  const auto triad = experiment("triad", "n=400000");
  const Json result = user.tuned(triad);
  const Json* stores = found(result, "write_allocate", "best");
  REQUIRE(stores);
  CHECK(stores->at("source") == "experiment");
  CHECK(stores->at("by").at("knob") == "nt_store");
  CHECK(stores->at("by").at("from") == result.at("best").at("configuration").at("nt_store"));
  CHECK(stores->at("by").at("to") != stores->at("by").at("from"));
  CHECK(stores->at("counted").is_null());
  // On a busy machine the other side may be unstable; then that is the reason.
  CHECK(stores->at("cost").is_null() != stores->at("absent_because").get<std::string>().empty());
  if (stores->at("absent_because").get<std::string>().empty()) {
    CHECK(stores->at("rounds").get<int>() >= 12);
    CHECK(stores->at("cost").at("low").get<double>() <=
          stores->at("cost").at("high").get<double>());
  }
  const Json* capacity = found(result, "capacity", "best");
  REQUIRE(capacity);
  CHECK(capacity->at("verdict") == "no_experiment");
  CHECK(capacity->at("absent_because").get<std::string>().find("touched once") !=
        std::string::npos);

  // What a busy machine did not let be measured is tried again; what was measured stands.
  const Json again = user.tuned(triad);
  for (const Json& one : result.at("experiments")) {
    if (one.at("rounds") == 0) continue;
    const Json* kept = found(again, one.at("wall"), one.at("subject").get<std::string>());
    REQUIRE(kept);
    CHECK(kept->at("by") == one.at("by"));
    CHECK(kept->at("cost").at("value") == one.at("cost").at("value"));
  }
  CHECK(user.tune({"explain", "--kernel", "triad"}).says("write allocate"));
  const Ran best = user.tune({"explain", "--kernel", "triad", "best"});
  CHECK(best.says("wall write allocate (best): "));
  // The gap that is stated is of the raced time, not of the trial's own.
  CHECK(best.says(" per call beside the others, which all that follows is about"));
  CHECK(user.tune({"report", "--kernel", "triad", "-o", user.path("page.html").string()}).code ==
        0);
  CHECK(read_text(user.path("page.html")).find("Walls of traffic, by experiment") !=
        std::string::npos);
}

TEST_CASE("a step of size is a problem of its own, beside the study's") {
  const User user;
  const Json result = user.tuned(experiment("diffusion", "n=600000,steps=2"));
  for (const char* subject : {"best", "baseline"}) {
    const Json* capacity = found(result, "capacity", subject);
    if (!capacity && result.at("baseline_stands").get<bool>()) continue;
    REQUIRE(capacity);
    INFO(capacity->dump());
    if (capacity->at("verdict") == "no_experiment") {
      // A configuration that no smaller problem allows, or a machine with caches of that size.
      CHECK_FALSE(capacity->at("absent_because").get<std::string>().empty());
      continue;
    }
    CHECK(capacity->at("rounds").get<int>() >= 12);
    CHECK(capacity->at("by").at("problem").at("n").get<int>() < 600000);
    CHECK(capacity->at("by").at("per") == "n*steps");
  }
}

TEST_CASE("experiments can be left out, and short runs make none, and both say so") {
  const User user;
  auto without = experiment("triad", "n=20000");
  without.push_back("--no-experiments");
  const Json none = user.tuned(without);
  CHECK(none.at("experiments").is_null());
  CHECK(none.at("absent").at("experiments") == "--no-experiments");
  const Json brief = user.tuned({"--kernel", "triad", "--problem", "n=21000", "--budget", "2"});
  CHECK(brief.at("experiments").is_null());
  CHECK(brief.at("absent").at("experiments").get<std::string>().find("less than 16") !=
        std::string::npos);
}

TEST_CASE("a space that declares an experiment wrongly is refused before anything runs") {
  const User user;
  const std::filesystem::path root = ROOFTUNE_SOURCE_DIR;
  std::filesystem::copy(root / "kernels/triad", user.path("triad"),
                        std::filesystem::copy_options::recursive);
  Json space = read_json(root / "search_spaces/triad.openmp.json");
  space["experiments"][0]["knob"] = "nt_stores";
  user.write("triad/triad.openmp.json", space.dump());
  const Ran ran = user.tune({"--kernel", "./triad", "--problem", "n=1000", "--budget", "2"});
  CHECK(ran.code == 2);
  CHECK(ran.says("/experiments/0/knob"));
  CHECK(ran.says("did you mean \"nt_store\"?"));
  const Ran checked = user.tune({"check", "./triad", "--compile-only"});
  CHECK(checked.code != 0);
  CHECK(checked.says("/experiments/0/knob"));
}

TEST_CASE("a core that runs slower than the probe found it is flagged") {
  const User user;
  Json machine = read_json(user.path("machines/host.json"));
  for (Json& ceiling : machine["ceilings"])
    if (ceiling.at("kind") == "in_core") ceiling["clock"] = {{"value", 9.9}, {"unit", "GHz"}};
  user.write("machines/host.json", machine.dump());
  const Json result =
      user.tuned({"--kernel", "triad", "--problem", "n=5000", "--budget", "3", "--no-ablation"});
  std::string notes;
  for (const Json& note : result.at("notes")) notes += note.get<std::string>() + "\n";
  INFO(notes);
  CHECK(notes.find("below the 9.90 GHz of the probe") != std::string::npos);
  CHECK(notes.find(" trials the core's clock was more than 5 % below") != std::string::npos);
  const Ran trial = user.tune({"explain", "--kernel", "triad", "0"});
  CHECK(trial.says("core clock "));
  CHECK(trial.says("a chain of dependent additions"));
}
