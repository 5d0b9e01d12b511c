// Counting from the command line: best and baseline; flags where figures contradict each
// other; counts that a resumed study keeps.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "rogue.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

#if defined(__x86_64__)
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

std::vector<std::string> triad(const std::string& budget, std::vector<std::string> more = {}) {
  std::vector<std::string> words{"--kernel", "triad",         "--problem",    "n=3000",
                                 "--budget", budget,          "--no-anchors", "--strategy",
                                 "random",   "--no-staircase"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// All counting runs that the last line of the study's records holds.
Json recorded_runs(const User& user) {
  Json runs;
  for (const auto& file : user.files("results/records", ".jsonl")) {
    const std::string text = read_text(file);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const Json line = parse_json(text.substr(begin, end - begin), "record");
      if (line.at("event") == "counts") runs = line.at("body").at("runs");
      begin = end + 1;
    }
  }
  return runs;
}

}  // namespace

TEST_CASE("best and baseline are counted, kept on resumption, and explained") {
  const User user;
  const Json first = user.tuned(triad("6,10h"));
  const Json& gap = first.at("best").at("gap");
  CHECK(first.at("best").at("counts").at("provider") == "instrumented");
  CHECK(gap.at("work").get<double>() * gap.at("traffic").get<double>() *
            gap.at("rate").get<double>() ==
        Approx(gap.at("total").get<double>()));
  const Json runs = recorded_runs(user);
  CHECK(runs.size() >= 1);

  // Nothing is counted anew by the same command; a longer search keeps what was counted.
  const Json again = user.tuned(triad("6,10h"));
  CHECK(again.at("best").at("counts") == first.at("best").at("counts"));
  CHECK(recorded_runs(user) == runs);
  user.tuned(triad("7,10h"));
  const Json later = recorded_runs(user);
  for (const Json& run : runs) CHECK(std::find(later.begin(), later.end(), run) != later.end());

  CHECK(user.tune({"explain", "--kernel", "triad"}).says("fp64: 3,000 "));
}

TEST_CASE("a call faster than its counts allow is flagged everywhere, and nothing is changed") {
  const User user;
  // L1 that slow was never measured: 24 kB in microseconds cannot be.
  const std::string machine = read_text(user.path("machines/host.json"));
  Json slow = parse_json(machine, "host.json");
  for (Json& ceiling : slow.at("ceilings"))
    if (ceiling.value("level", "") == "L1")
      for (const char* key : {"value", "low", "high"})
        ceiling["rate"][key] = 1e-9 * ceiling["rate"][key].get<double>();
  write_atomically(user.path("machines/host.json"), slow.dump(1));
  const Json result = user.tuned(triad("2"));
  CHECK(result.at("best").at("gap").at("above_roof") == true);
  CHECK(result.at("best").at("gap").at("rate").get<double>() < 1);
  CHECK(any_has(result.at("flags"), "but its L1 traffic of"));
  CHECK(any_has(result.at("flags"), "tune probe --full"));
  CHECK(user.tune(triad("2")).says("but its L1 traffic of"));
  CHECK(user.tune({"explain", "--kernel", "triad"}).says("best: a call took"));
  const auto pages = user.files("results/reports", ".html");
  REQUIRE(pages.size() == 1);
  CHECK(read_text(pages.front()).find("Contradiction. best: a call took") != std::string::npos);
}

TEST_CASE("counted work below the declared least is flagged with both figures") {
  const User user;
  write_rogue(user, "liar", {"well", "print"});
  const std::string manifest = read_text(user.path("liar/kernel.json"));
  user.write("liar/kernel.json",
             replaced(manifest, R"("least": {"fp64": "n"})", R"("least": {"fp64": "50*n"})"));
  const Json result = user.tuned({"--kernel", "./liar", "--budget", "1", "--no-anchors"});
  CHECK(any_has(result.at("flags"), "flops: 1000 were counted (instrumented)"));
  CHECK(any_has(result.at("flags"), "the kernel declares 50000 as the least"));
}

TEST_CASE("hardware and trace agree on the same calls, where hardware can be asked") {
  const User user;
  const Ran list = user.tune({"list", "counters"});
  INFO(list.output);
  REQUIRE(list.code == 0);
  const Ran asked = user.tune({"--kernel", "triad", "--problem", "n=1000000", "--budget", "1",
                               "--no-anchors", "--counters", "perf", "--json", "perf.json"});
  if (asked.code == 3) {
    WARN("skipped: " << asked.output);
    CHECK(asked.says("the counter provider \"perf\" is not available here"));
    CHECK(asked.says("hint: "));
    return;
  }
  REQUIRE(asked.code == 0);
  const Json both = user.tuned({"--kernel", "triad", "--problem", "n=1000000", "--budget", "1",
                                "--no-anchors", "--counters", "instrumented"});
  CHECK_FALSE(any_has(both.at("flags"), "flops: "));
  const Json counts = read_json(user.path("perf.json")).at("best").at("counts");
  CHECK(counts.at("provider") == "perf");
}
#endif
