// Recorded spaces from the command line: count, replay, import, and export in the field's forms.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/file.h"
#include "support/chromium.h"
#include "support/recorded_samples.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("tune space counts T1, recorded and empty spaces") {
  const User user;
  user.write("t1.json", test::t1_sample);
  user.write("cache.json", test::cachefile_sample);
  user.write(
      "empty.json",
      R"({"name": "e", "parameters": [{"name": "x", "values": [1, 2]}], "constraints": ["x > 2"]})");
  const auto counted = [&](const std::string& file) {
    const Ran ran = user.tune({"space", user.path(file).string(), "--count", "--json"});
    REQUIRE(ran.code == 0);
    return parse_json(ran.output, file);
  };
  CHECK(counted("t1.json").at("cartesian") == 144);
  CHECK(counted("t1.json").at("per_value").size() == 5);
  CHECK(counted("cache.json").at("valid") == 3);
  CHECK(counted("empty.json").at("valid") == 0);
  const Json empty = counted("empty.json");
  CHECK(empty.at("conflict") == Json({"x > 2"}));
  CHECK(empty.at("name") == "e");
  CHECK(empty.at("per_value") == Json({Json({0, 0})}));
  // A reader of counts need not know that there is nothing.
  const Json full = counted("t1.json");
  for (const auto& [member, value] : full.items()) {
    INFO(member);
    CHECK(empty.contains(member));
  }
  user.write(
      "divided.json",
      R"({"name": "d", "parameters": [{"name": "x", "values": [0, 1, 2]}], "constraints": ["2 % x == 0"]})");
  CHECK(counted("divided.json").at("valid") == 2);
  CHECK(counted("divided.json").at("undefined") ==
        Json({"division by zero in \"%\" at column 3 of \"2 % x == 0\" with x=0"}));
  CHECK(user.tune({"space", user.path("divided.json").string()})
            .says("note: not allowed for want of a result: division by zero"));
  CHECK(user.tune({"space", user.path("empty.json").string()}).code == 2);
  CHECK(user.tune({"space", user.path("absent.json").string()}).code == 2);
  for (const char* members : {R"("kernel": {}, "backend": "openmp")", R"("backend": 7)"}) {
    user.write("typed.json",
               R"({"schema": "rooftune-space-1", "knobs": [], )" + std::string(members) + "}");
    const Ran typed = user.tune({"space", user.path("typed.json").string()});
    INFO(typed.output);
    CHECK_FALSE(typed.says("internal error"));
    CHECK((typed.code == 2 || typed.says("cartesian size: 1")));
  }
}

TEST_CASE("what cannot be written to standard output is not called done") {
  const User user;
  std::string entries;
  for (int i = 0; i < 200; ++i)
    entries += fmt::format(R"({}"{}": {{"x": {}, "time": 1.5, "timestamp": "today"}})",
                           i == 0 ? "" : ",", i, i);
  user.write("cache.json", R"({"tune_params_keys": ["x"], "cache": {)" + entries + "}}");
  Command command;
  command.argv = {"/bin/sh", "-c", "exec \"$0\" import \"$1\" --format t4 > /dev/full",
                  ROOFTUNE_TUNE, user.path("cache.json").string()};
  command.environment = user.environment();
  const Finished finished = execute(command);
  CHECK(finished.status.code == 74);
  CHECK(finished.output.find("standard output cannot be written") != std::string::npos);
}

TEST_CASE("tune replay compares strategies and import changes the form") {
  const User user;
  user.write("cache.json", test::cachefile_sample);
  const Ran ran = user.tune({"replay", user.path("cache.json").string(), "--strategy",
                             "random,roofline", "--seeds", "5", "--budget", "10", "--json"});
  REQUIRE(ran.code == 0);
  const Json json = parse_json(ran.output, "replay");
  CHECK(json.at("schema") == "rooftune-replay-1");
  CHECK(json.at("optimum").get<double>() == Approx(2e-3));
  REQUIRE(json.at("strategies").size() == 2);
  for (const Json& row : json.at("strategies")) {
    CHECK(row.at("seeds") == 5);
    CHECK(row.at("to_5_percent").at("median").get<double>() <= 3);
    CHECK(row.at("to_5_percent").at("censored") == 0);
  }
  CHECK(user.tune({"replay", user.path("cache.json").string(), "--strategy", "nonsense"}).code ==
        2);
  const std::string t4 = user.path("t4.json").string();
  CHECK(user.tune({"import", user.path("cache.json").string(), "--format", "t4", "-o", t4}).code ==
        0);
  CHECK(parse_json(read_text(t4), "t4").at("results").size() == 3);
  CHECK(user.tune({"import", user.path("cache.json").string(), "--format", "xml"}).code == 2);
}

TEST_CASE("tune report makes the page of a recording, and says why a file has none") {
  const User user;
  user.write("t4.json", test::t4_sample);
  user.write("ktt.json", test::ktt_sample);
  user.write("cache.json", test::cachefile_sample);
  const auto report = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "report");
    return user.tune(words);
  };
  for (const std::string form : {"t4", "ktt", "cache"}) {
    const Ran ran = report({form + ".json"});
    INFO(ran.output);
    CHECK(ran.code == 0);
    CHECK(ran.says("takes 2.000 ms, the fastest of 3 configurations"));
    const std::string page = read_text(user.path("results/reports/recorded." + form + ".html"));
    CHECK(page.find("the fastest of 3 configurations") != std::string::npos);
    CHECK(page.find("\"commands\":{}") != std::string::npos);
    CHECK(std::filesystem::exists(user.path("results/reports/recorded." + form + ".svg")));
  }
  CHECK(report({"cache.json", "-o", "all.csv"}).code == 0);
  CHECK(read_text(user.path("all.csv")).find("trial,outcome,seconds") == 0);
  CHECK(report({"cache.json", "-o", "mine.html"}).says("report: mine.html"));
  CHECK(read_text(user.path("mine.html")).find("GFLOP/s 1948.5") != std::string::npos);
  const auto shown = testing::browsed("file://" + user.path("mine.html").string(),
                                      {"--virtual-time-budget=5000", "--dump-dom"});
  if (shown) {
    CHECK(shown->find("data-ready=\"1\"") != std::string::npos);
    CHECK(shown->find("3 of 3 trials") != std::string::npos);
    CHECK(shown->find("tune explain") == std::string::npos);
  }
  user.write("torn.json", test::t4_sample.substr(0, 300));
  user.write("torn.json.gz", "\x1f\x8b\x08 no gzip");
  user.write("else.json", "{}");
  for (const auto& [words, said] : std::map<std::vector<std::string>, std::string>{
           {{"torn.json"}, "torn.json"},
           {{"torn.json.gz"}, "torn.json.gz"},
           {{"else.json"}, "is no recorded space"},
           {{"absent.json.gz"}, "absent.json.gz: is neither a study nor a file"},
           {{"cache.json", "t4.json"}, "cache.json: is neither a study"},
           {{"cache.json", "--kernel", "conv"}, "--kernel"}}) {
    const Ran ran = report(words);
    INFO(ran.output);
    CHECK(ran.code == 2);
    CHECK(ran.says(said));
  }
}

namespace {

/// Times that fall and rise again along two knobs: smooth, so that a model is soon sure.
Json bowl_recording() {
  Json cache{{"device_name", "test"},
             {"kernel_name", "bowl"},
             {"problem_size", "1"},
             {"tune_params_keys", {"x", "y"}},
             {"tune_params", {{"x", Json::array()}, {"y", Json::array()}}},
             {"cache", Json::object()}};
  for (int x = 1; x <= 16; ++x) {
    cache["tune_params"]["x"].push_back(x);
    cache["tune_params"]["y"].push_back(x);
    for (int y = 1; y <= 16; ++y)
      cache["cache"][std::to_string(x) + "," + std::to_string(y)] = {
          {"x", x}, {"y", y}, {"time", 1 + 0.05 * (x - 6) * (x - 6) + 0.04 * (y - 9) * (y - 9)}};
  }
  return cache;
}

}  // namespace

TEST_CASE("a replay as JSON says of each strategy how soon and how near, up to the budget") {
  const User user;
  user.write("bowl.json", bowl_recording().dump());
  const Ran ran = user.tune({"replay", user.path("bowl.json").string(), "--strategy",
                             "bayes_gp,random", "--seeds", "6", "--budget", "100", "--json"});
  REQUIRE(ran.code == 0);
  const Json json = parse_json(ran.output, "replay");
  CHECK(json.at("file") == user.path("bowl.json").string());
  CHECK(json.at("budget") == 100);
  REQUIRE(json.at("strategies").size() == 2);
  CHECK(json.at("strategies").at(0).at("name") == "bayes_gp");
  for (const Json& row : json.at("strategies")) {
    CHECK(row.at("seeds") == 6);
    for (const char* within : {"to_5_percent", "to_1_percent"}) {
      const Json& reach = row.at(within);
      CHECK(reach.at("q25") <= reach.at("median"));
      CHECK(reach.at("median") <= reach.at("q75"));
      CHECK(reach.at("censored").get<int>() <= 6);
      CHECK(reach.at("median_interval").at(0) <= reach.at("median_interval").at(1));
    }
    CHECK(row.at("to_5_percent").at("median") <= row.at("to_1_percent").at("median"));
    const Json& curve = row.at("curve");
    REQUIRE(curve.size() == 100);
    // What is measured as best here is what is best: no noise was recorded.
    for (std::size_t n = 1; n < curve.size(); ++n) CHECK(curve.at(n) >= curve.at(n - 1));
    const Json& fractions = row.at("fraction_of_optimum");
    CHECK(fractions.size() == 3);
    for (const char* at : {"25", "50", "100"})
      CHECK(fractions.at(at) == curve.at(std::stoul(at) - 1));
    CHECK(row.at("score").get<double>() < 1);
  }
}

TEST_CASE("a replay is told which knobs are the sides of a block") {
  const User user;
  user.write("cache.json", test::cachefile_sample);
  user.write("ktt.json", test::ktt_sample);
  const std::string cache = user.path("cache.json").string(), ktt = user.path("ktt.json").string();
  const auto replay = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "replay");
    arguments.insert(arguments.end(), {"--seeds", "2", "--budget", "3"});
    return user.tune(arguments);
  };
  const Ran told = replay({"--block-size-names", "bx", cache, "--json"});
  INFO(told.output);
  REQUIRE(told.code == 0);
  CHECK(parse_json(told.output, "replay").at("block_size_names") == Json({"bx"}));
  const Ran untold = replay({cache, "--json"});
  CHECK(parse_json(untold.output, "replay").at("block_size_names").empty());
  CHECK(replay({ktt, "--block-size-names", "bx"}).says("threads of a block: bx"));
  const Ran unknown = replay({cache, ktt, "--block-size-names", "bx,by"});
  CHECK(unknown.code == 2);
  CHECK(unknown.says("no replayed file has a knob \"by\""));
  CHECK(unknown.says("bx, pad, mode"));
  const Ran text = replay({cache, ktt, "--block-size-names", "mode"});
  CHECK(text.code == 2);
  CHECK(text.says("is no number of threads"));
  CHECK(text.says("cache.json"));
  CHECK(replay({cache, "--block-size-names", "pad"}).says("\"pad\" may be 0"));
}

TEST_CASE("budgets that make no sense are refused before anything is measured") {
  const User user;
  for (const char* budget : {"", "0", "5,6", "device=", "10min,1h", "device=-1s", "40,"})
    CHECK(user.tune({"--kernel", "triad", "--budget", budget}).code == 2);
}
