// A sweep that divides one time among its studies: real kernels, few seconds.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("a sweep by gap searches in slices and finishes every study once") {
  const User user;
  // Time enough for two studies' first trials on a machine with much else to do.
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "name": "shared",
    "budget": {"total": "15s", "by": "gap", "slice": "1s"},
    "studies": [{"kernel": "triad", "problem": {"n": 2000}},
                {"kernel": "triad", "name": "close", "problem": {"n": 3000}, "target_gap": 1e8},
                {"kernel": "nowhere", "name": "lost"}]})");
  const std::vector<std::string> words{
      "sweep",    "plan.json",        "-q",       "--json",          "out.json",
      "--output", "json=series.json", "--output", "junit=junit.xml", "--output",
      "html=site"};
  CHECK(user.tune(words).code == 3);  // one of its studies cannot be tuned
  const Json summary = read_json(user.path("out.json"));
  const Json& slices = summary.at("slices");
  REQUIRE(slices.size() >= 4);
  CHECK(slices[0].at("study") == "triad");
  CHECK(slices[1].at("study") == "close");
  CHECK(slices[1].at("stopped") == "closed");
  CHECK(slices[2].at("study") == "lost");
  CHECK(slices[2].at("failed") == true);
  double charged = 0;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    charged += slices[i].at("seconds").get<double>();
    if (i > 2) CHECK(slices[i].at("study") == "triad");
  }
  CHECK(charged >= 14.9);
  const Json& studies = summary.at("studies");
  REQUIRE(studies.size() == 3);
  int trials = 0;
  for (const auto& [outcome, count] : studies[0].at("result").at("trials").items())
    trials += outcome == "pruned" ? 0 : count.get<int>();
  CHECK(studies[0].at("state") == "done");
  CHECK(trials >= 3);
  CHECK(studies[2].at("message").get<std::string>().find("nowhere") != std::string::npos);
  CHECK(user.files("results/reports", ".html").size() == 2);
  // The outputs: every study a series, and pages that were copied.
  const Json series = read_json(user.path("series.json")).at("series");
  REQUIRE(series.size() == 3);
  CHECK(series[0].at("nights")[0].at("state") == "failed");
  const Json& night = series[1].at("nights")[0];
  CHECK(night.at("gap").get<double>() > 1);
  CHECK_FALSE(night.at("ceiling").get<std::string>().empty());
  CHECK_FALSE(night.at("compiler").get<std::string>().empty());
  CHECK_FALSE(series[1].at("machine_id").get<std::string>().empty());
  CHECK(read_text(user.path("junit.xml")).find("errors=\"1\"") != std::string::npos);
  CHECK(user.files("site/series", ".html").size() == 3);
  CHECK(user.files("site/studies", ".html").size() == 2);
}

TEST_CASE("a plan with two kinds of budget is refused at its place") {
  const User user;
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "budget": {"total": "4s", "by": "gap"},
    "studies": [{"kernel": "triad", "budget": 7}]})");
  const Ran ran = user.tune({"sweep", "plan.json"});
  CHECK(ran.code == 2);
  CHECK(ran.says("plan.json: /studies/0/budget"));
}
