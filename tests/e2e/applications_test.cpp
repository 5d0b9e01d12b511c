// From a study to the application that uses it: export and look-up, and all of it from Python.
#include <rooftune/tuned_configurations.h>

#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;
using Match = TunedConfiguration::Match;

namespace {

/// What `tune` found for 2000 elements, also as tuned/triad.json.
Json exported_triad(const User& user) {
  const Json result = user.tuned({"--kernel", "triad", "--problem", "n=2000", "--budget", "4",
                                  "--no-staircase", "--counters", "none"});
  REQUIRE(user.tune({"export", "--kernel", "triad", "--format", "json", "-o", "triad.json",
                     "--as-recorded"})
              .code == 0);
  return result;
}

}  // namespace

TEST_CASE("an application finds what was tuned on its host") {
  const User user;
  // As tune probe would have written it.
  Json machine = read_json(user.path("machines/host.json"));
  machine["id"] = this_machine().id;
  user.write("machines/host.json", machine.dump(1));
  const Json best = exported_triad(user).at("best").at("configuration");
  const TunedConfigurations all(user.path("triad.json").c_str());
  const TunedConfiguration found = all.find("triad", {{"n", 2000}});
  CHECK(found.match() == Match::exact);
  CHECK(found.integer("threads", -1) == best.at("threads").get<std::int64_t>());
  CHECK(found.size() == best.size());
  CHECK(std::string(found.machine()) == this_machine().id);
  CHECK(std::string(found.verdict()).find("baseline") != std::string::npos);
  CHECK(all.find("triad", {{"n", 4000}}).match() == Match::other_problem);
}

TEST_CASE("an application takes what a machine of its host's class was tuned to, and says so") {
  const User user;
  exported_triad(user);
  const TunedConfigurations all(user.path("triad.json").c_str());
  const TunedConfiguration found = all.find("triad", {{"n", 2000}});
  INFO(found.reason());
  CHECK(found.match() == Match::other_machine);
  CHECK(std::string(found.machine()) == "imagined");
  CHECK(all.find("triad", {{"n", 2000}}, "imagined").match() == Match::exact);
}

TEST_CASE("Python tunes, reads and looks up") {
  const User user;
  if (!find_program("python3")) {
    WARN("skipped: python3 is not installed");
    return;
  }
  user.write("session.py", R"(
import rooftune
study = rooftune.tune(kernel="triad", problem={"n": 2000}, budget=4, no_staircase=True, counters="none",
                      json_file="result.json")
assert (study.kernel, study.problem["n"], study.stop) == ("triad", 2000, "budget"), study
assert study.best.seconds.low <= study.best.seconds.value <= study.best.seconds.high
assert study.best.gap.value > 1 and study.bound.seconds > 0 and study.headline
rows = rooftune.trials("result.json", frame=False)
assert len(rows) >= 4 and [row["index"] for row in rows] == sorted(row["index"] for row in rows)
best = rows[[row["index"] for row in rows].index(study.best.trial)]
assert best["outcome"] == "ok" and best["low"] <= best["seconds"] <= best["high"]
assert best["knob.threads"] == study.best.configuration["threads"]
# What a kill tore is passed over; what was refuted after its trial is no result.
import json, pathlib, sys, types
records = pathlib.Path(study.document["study"]["records"])
refuted = json.dumps({"event": "refuted", "body": {"configuration": dict(study.best.configuration), "detail": "off"}})
records.write_text(records.read_text() + refuted + "\n" + refuted[:40])
again = rooftune.trials(records.parent, frame=False)
assert len(again) == len(rows)
assert [row["outcome"] for row in again if row["index"] == study.best.trial] == ["wrong_result"]
sys.modules["pandas"] = types.SimpleNamespace(DataFrame=lambda table: ("frame", table))
assert rooftune.trials(str(records)) == ("frame", again)
try:
    rooftune.tune(kernel="no_such_kernel")
    raise SystemExit("an unknown kernel was tuned")
except rooftune.RooftuneError as fault:
    assert fault.code == 2 and "no_such_kernel" in str(fault), fault
print("all is well")
)");
  const Ran ran = user.python("python3", {"session.py"}, 300);
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(ran.says("all is well"));
}
