// --counters likwid with a program that prints what the real one prints: what is counted, and every
// way in which counting is refused.
#include <catch2/catch.hpp>

#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// Counts of a program as likwid-perfctr prints them; the second run of a worker in each group has
/// counted twice as much. FAKE_LIKWID: "deny" refuses from the start, "later" after FLOPS_DP;
/// "huge" prints what no counter holds.
const char* const likwid = R"(#!/bin/sh
group=none
while [ $# -gt 0 ]; do
  case "$1" in
    -C) shift 2 ;;
    -g) group=$2; shift 2 ;;
    -O) shift; break ;;
    *) echo "what is $1?"; exit 9 ;;
  esac
done
deny() { echo "Cannot get access to MSRs. Please check permissions to the MSRs"; exit 1; }
[ "$FAKE_LIKWID" = deny ] && deny
[ "$FAKE_LIKWID" = later ] && [ $group != FLOPS_DP ] && deny
[ $group = L3 ] && { echo "Cannot find group L3"; exit 1; }
"$@" || exit 7
factor=1
case "$*" in
  *worker) [ -e run.$group ] && factor=2; touch run.$group ;;
esac
[ "$FAKE_LIKWID" = huge ] && [ $factor = 2 ] && factor=1000000000000000
print() {
  echo "TABLE,Group 1 Metric,$group,2,"
  echo "Metric,HWThread 0,HWThread 1,"
  echo "Runtime (RDTSC) [s],1.0,1.0,"
  echo "$1,$(($2 * factor)),0,"
}
case $group in
  FLOPS_DP) print "DP [MFLOP/s]" 600 ;;
  FLOPS_SP) print "SP [MFLOP/s]" 0 ;;
  L2) print "L2 load data volume [GBytes]" 8; echo "L2 evict data volume [GBytes],$((4 * factor)),0," ;;
  MEM) print "Memory data volume [GBytes]" 24 ;;
esac
)";

std::vector<std::string> profiled(std::vector<std::string> more = {}) {
  std::vector<std::string> words{"--kernel",   "triad",  "--problem",    "n=3000",
                                 "--budget",   "1",      "--no-anchors", "--no-ablation",
                                 "--counters", "likwid", "--json",       "result.json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The number in "two runs that differ by 100000 calls".
double calls_of(const Json& counts) {
  const std::string text = counts.at("operations").at("source").at("text");
  const std::string before = "differ by ";
  return std::stod(text.substr(text.find(before) + before.size()));
}

}  // namespace

TEST_CASE("likwid-perfctr around workers counts one call from two runs") {
  const User user;
  const auto environment = installed(user, "likwid-perfctr", likwid);
  const Ran ran = user.tune(profiled(), environment);
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  const Json result = read_json(user.path("result.json"));
  const Json& counts = result.at("best").at("counts");
  CHECK(counts.at("provider") == "likwid");
  const double calls = calls_of(counts);
  CHECK(calls >= 4);
  const Json& flop = counts.at("operations").at("fp64").at("flop");
  CHECK(flop.at(0).get<double>() == Approx(600e6 / calls));
  CHECK(counts.at("traffic").at("L2").at("read").at(0).get<double>() == Approx(8e9 / calls));
  CHECK(counts.at("traffic").at("L2").at("write").at(0).get<double>() == Approx(4e9 / calls));
  CHECK(any_has(counts.at("notes"), "group L3 was not counted: likwid: Cannot find group L3"));
  CHECK(any_has(counts.at("notes"), "reads and writes were counted together"));
  CHECK(result.at("best").at("gap").at("counted_by") == "likwid");
}

TEST_CASE("likwid that may not count says why, and denied meanwhile, what was counted stands") {
  const User user;
  auto environment = installed(user, "likwid-perfctr", likwid);
  environment["FAKE_LIKWID"] = "deny";
  const Ran denied = user.tune(profiled(), environment);
  INFO(denied.output);
  CHECK(denied.code == 3);
  CHECK(denied.says("likwid may not count here"));
  CHECK(denied.says("likwid-accessD"));
  CHECK(user.tune({"list", "counters"}, environment).says("likwid may not count here"));
  environment["FAKE_LIKWID"] = "later";
  const Ran later = user.tune(profiled(), environment);
  INFO(later.output);
  REQUIRE(later.code == 0);
  const Json result = read_json(user.path("result.json"));
  CHECK(result.at("best").at("counts").at("operations").contains("fp64"));
  CHECK(any_has(result.at("flags"),
                "best: group FLOPS_SP was not counted: likwid may not count here"));
  CHECK(later.says("group FLOPS_SP was not counted"));
}

TEST_CASE("what no counter holds is flagged, and a tool that fails is named") {
  const User user;
  auto environment = installed(user, "likwid-perfctr", likwid);
  environment["FAKE_LIKWID"] = "huge";
  REQUIRE(user.tune(profiled(), environment).code == 0);
  CHECK(any_has(read_json(user.path("result.json")).at("flags"), "it overflowed"));
  // A program that prints a table for nothing and then starts no worker.
  installed(user, "likwid-perfctr",
            "#!/bin/sh\ncase \"$*\" in *worker) echo 'no such luck'; exit 5 ;; esac\n"
            "printf 'TABLE,Group 1 Metric,FLOPS_DP,1,\\nMetric,HWThread 0,\\nX,1,\\n'\n");
  environment.erase("FAKE_LIKWID");
  const Ran broken = user.tune(profiled({"--fresh"}), environment);
  INFO(broken.output);
  CHECK(broken.code == 0);
  const Json result = read_json(user.path("result.json"));
  CHECK(result.at("best").at("counts").is_null());
  CHECK_THAT(result.at("best").at("gap").at("unknown_because").get<std::string>(),
             Catch::Contains("likwid: ") && Catch::Contains("exit code 5"));
}

TEST_CASE("a profiler that is not here, or counts elsewhere, is refused before anything runs") {
  const User user;
  const Ran none = user.tune(profiled(), {{"PATH", "/usr/bin:/bin"}});
  if (!std::filesystem::exists("/usr/bin/likwid-perfctr")) {
    CHECK(none.code == 3);
    CHECK(none.says("likwid-perfctr is not installed"));
    CHECK(none.says("hint: install LIKWID"));
  }
  const Ran cold = user.tune(profiled({"--cache", "cold", "--quiet"}),
                             installed(user, "likwid-perfctr", likwid));
  INFO(cold.output);
  CHECK_THAT(read_json(user.path("result.json"))
                 .at("best")
                 .at("gap")
                 .at("unknown_because")
                 .get<std::string>(),
             Catch::Contains("LIKWID counts whole programs"));
}
