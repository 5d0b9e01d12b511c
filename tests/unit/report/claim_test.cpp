// The words of each kind of claim; all other tests read kinds and figures.
#include "report/claim.h"

#include <catch2/catch.hpp>
#include <set>

#include "core/error.h"

using namespace rooftune;

namespace {

using Kind = Claim::Kind;

struct Said {
  Claim claim;
  const char* words;
};

Figure exact(double value, const char* unit) { return {Estimate::exact(value), unit}; }

/// At least one of each kind.
std::vector<Said> all() {
  const Figure time = exact(2.47e-3, "s");
  const Figure busy = exact(98, "%");
  return {
      {{Kind::faster, "spmv", {{"time", time}, {"gain", {{3.21, 2.94, 3.58}, "x"}}}},
       "spmv is 3.21x faster than your baseline [2.94, 3.58]"},
      {{Kind::faster,
        "spmv",
        {{"time", time}, {"gain", {{3.21, 2.94, 3.58}, "x"}}},
        {"remembers its last input: 2.1x slower on new data [2, 2.2]"}},
       "spmv is 3.21x faster than your baseline [2.94, 3.58], but remembers its last input: 2.1x "
       "slower on new data [2, 2.2]"},
      {{Kind::faster, "spmv", {{"time", time}, {"gain", {{6, 2.07, 9.5}, "x"}}}},
       "spmv is at least 2.07x faster than your baseline"},
      {{Kind::faster, "app", {{"time", exact(72.5, "points")}, {"gain", {{2, 1.9, 2.1}, "x"}}}},
       "app is 2.00x better than your baseline [1.90, 2.10]"},
      {{Kind::baseline_best, "spmv", {{"time", time}}},
       "Nothing is faster than your baseline of spmv"},
      {{Kind::undecided, "spmv", {{"time", time}}},
       "Whether anything is faster than your baseline of spmv is not decided"},
      {{Kind::undecided, "spmv", {{"time", time}, {"gain", {{1.02, 0.96, 1.09}, "x"}}}},
       "Whether anything is faster than your baseline of spmv is not decided: 1.02x [0.960, 1.09] "
       "so far"},
      {{Kind::no_gain, "spmv", {{"time", time}}},
       "spmv takes 2.47 ms, and nothing else was compared with it"},
      {{Kind::not_measured, "spmv"}, "No configuration of spmv could be measured"},
      {{Kind::at_limit,
        "memory",
        {{"busy", busy}, {"amount", exact(8.4e7, "B")}, {"least", exact(3.6e7, "B")}}},
       "Memory is the limit, at its full rate"},
      {{Kind::at_limit,
        "arithmetic",
        {{"busy", busy}, {"amount", exact(6.7e7, "flop")}, {"least", exact(6.6e7, "flop")}}},
       "Arithmetic is the limit, at its full rate"},
      {{Kind::at_limit, "divider", {{"busy", busy}, {"amount", exact(1e6, "operation")}}},
       "The divider is the limit, at its full rate"},
      {{Kind::waits,
        "loads that wait for one another take",
        {{"busy", exact(12, "%")}, {"share", exact(81, "%")}, {"each", exact(1.17e-7, "s")}},
        {"memory"}},
       "No part of the machine is near its limit: loads that wait for one another take 81 % of the "
       "time, 117 ns each; memory, the busiest, is 12 % busy"},
      {{Kind::below, "memory", {{"busy", exact(46, "%")}}, {"memory"}},
       "No part of the machine is near its limit: memory, the busiest, is 46 % busy"},
      {{Kind::bounded, "DRAM bandwidth", {{"at_most", exact(1.23, "x")}}},
       "The limit is DRAM bandwidth: no code is more than 1.23x faster"},
      {{Kind::bounded, "DRAM bandwidth", {{"at_most", exact(3.1, "x")}}},
       "The bound, by DRAM bandwidth, allows at most 3.10x more; what lies between was not "
       "counted"},
      {{Kind::no_bound, "nothing was measured"},
       "How fast it could be is not known: nothing was measured"},
      {{Kind::above_roof, "this machine", {{"ratio", exact(0.8, "x")}}},
       "It takes 0.800x of the least time of this machine: a ceiling, the kernel's model or the "
       "measurement is wrong"},
      {{Kind::more,
        "memory",
        {{"at_most", exact(1.16, "x")},
         {"time", time},
         {"amount", exact(8.4e7, "B")},
         {"least", exact(3.6e7, "B")},
         {"least_time", exact(9.5e-4, "s")}},
        {"what memory gave in the same rounds"}},
       "at most 1.16x more: 84 MB at what memory gave in the same rounds; 950 us for the 36 MB "
       "that "
       "must be moved"},
      {{Kind::more,
        "memory",
        {{"at_most", exact(1.57, "x")},
         {"time", time},
         {"amount", exact(8.4e7, "B")},
         {"least", exact(4e6, "B")},
         {"least_time", exact(7.5e-5, "s")},
         {"bound", exact(3.49e-4, "s")}},
        {"what memory gave in the same rounds", "L3 bandwidth"}},
       "at most 1.57x more: 84 MB at what memory gave in the same rounds; no code is faster than "
       "349 us, by L3 bandwidth"},
      {{Kind::more,
        "memory",
        {{"at_most", exact(0.98, "x")}, {"time", time}, {"amount", exact(8.4e7, "B")}},
        {"the rate of memory"}},
       "no more: 84 MB, no slower than the rate of memory"},
      {{Kind::more,
        "memory",
        {{"at_most", exact(0.9, "x")}, {"time", time}, {"amount", exact(8.4e7, "B")}},
        {"the rate of memory"}},
       "how much more is not known: 84 MB, no slower than the rate of memory"},
      {{Kind::more, "the bound, by DRAM bandwidth", {{"at_most", exact(1.23, "x")}}},
       "at most 1.23x more: the bound, by DRAM bandwidth"},
      {{.kind = Kind::broke, .evidence = {"fp64 without vectors (width)"}},
       "Broken: fp64 without vectors (width)"},
      {{.kind = Kind::broke, .evidence = {"a (x)", "b (y)", "c (z)", "d (z)"}},
       "Broken: a (x), b (y) and 2 more"},
      {{Kind::no_steps, "no staircase was measured"}, "no staircase was measured"},
      {{Kind::shortened, "no time was left to count step 2"}, "no time was left to count step 2"},
      {{Kind::busy,
        "",
        {{"L3", exact(20, "%")}, {"memory", exact(113, "%")}, {"divider", exact(0.4, "%")}}},
       "memory 113 %, L3 20 %"},
      {{Kind::busy, "", {{"L1", exact(20, "%")}}, {"fp80 operations"}},
       "L1 20 %; without a measured rate: fp80 operations"},
      {{Kind::next_tried, "", {{"block_rows 2 -> 4", exact(1.11, "x")}}},
       "block_rows 2 -> 4: 1.11x (tried in the same race)"},
      {{.kind = Kind::next_other, .subject = "fewer bytes", .evidence = {"no step has them"}},
       "fewer bytes, by another layout or algorithm: no step has them"},
      {{Kind::next_none, ""}, "nothing: the most promising values were tried and gained nothing"},
      {{Kind::stop, "all 32 configurations were tried"}, "no: all 32 configurations were tried"},
      {{Kind::go_on,
        "",
        {{"tried", exact(54, "")},
         {"size", exact(17058816, "")},
         {"best", exact(20, "")},
         {"trials", exact(60, "")}}},
       "little is left: last gain after 20 of 60 trials, 54 of 17.1 M configurations were "
       "tried"},
      {{Kind::conversion,
        "making the best's own data layout",
        {{"time", exact(2.2e-3, "s")}, {"calls", exact(1.3, "")}, {"pays_off", exact(2, "")}}},
       "making the best's own data layout takes 2.2 ms, the time of 1.3 calls; pays off after 2"},
      {{Kind::beware, "of the best: each call keeps 16 KiB"},
       "of the best: each call keeps 16 KiB"},
      {{Kind::failed, "3 of 4 configurations failed"}, "3 of 4 configurations failed"}};
}

}  // namespace

TEST_CASE("each kind of claim has its words") {
  std::set<Kind> seen;
  for (const auto& [claim, words] : all()) {
    CHECK(words_of(claim) == words);
    seen.insert(claim.kind);
  }
  CHECK(seen.size() == words(Kind{}).size());
}

TEST_CASE("a claim is data too") {
  const Json json = to_json(all().front().claim);
  CHECK(json.at("kind") == "faster");
  CHECK(json.at("subject") == "spmv");
  CHECK(json.at("figures").at("gain").at("low") == 2.94);
  CHECK(json.at("figures").at("gain").at("unit") == "x");
  CHECK(json.at("text") == all().front().words);
}
