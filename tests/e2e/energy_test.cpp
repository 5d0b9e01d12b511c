// tune --objective energy on a card behind the fake driver, whose counter of energy is NVML's.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "support/nvrtc.h"
#include "support/zero_kernel.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// The kernel zero and its space.
void write_three_items(const User& user) {
  test::write_zero_kernel(user, "zero/");
  user.write("zero/zero.cuda.json", R"({
    "schema": "rooftune-space-1", "kernel": "zero", "backend": "cuda",
    "knobs": [{"name": "block", "kind": "compile", "values": [128, 256], "default": 256,
               "breaks": ["occupancy"], "doc": "threads per block"},
              {"name": "items", "kind": "compile", "values": [1, 2, 4], "default": 1,
               "breaks": ["ilp"], "doc": "elements per thread"}]})");
}

/// Fewer threads are faster; fewer than 30000, as of items=4, draw eight times the power.
std::map<std::string, std::string> hot_card(const std::string& more = "") {
  return {{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER},
          {"ROOFTUNE_NVML", ROOFTUNE_FAKE_DRIVER},
          {"FAKE_CUDA", "nvml=1 cool=30000 hot=8" + more}};
}

}  // namespace

TEST_CASE("of two objectives each finds its own best: the fastest, and that of the least energy") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  write_three_items(user);
  const std::vector<std::string> words{"--kernel", "./zero",   "--machine", "a100",
                                       "--budget", "6",        "--quiet",   "-v",
                                       "--json",   "out.json", whole_study};
  REQUIRE(user.tune(words, hot_card()).code == 0);
  CHECK(read_json(user.path("out.json")).at("best").at("configuration").at("items") == 4);

  std::vector<std::string> by_energy = words;
  by_energy.insert(by_energy.end(), {"--objective", "energy"});
  const Ran ran = user.tune(by_energy, hot_card());
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  const Json result = read_json(user.path("out.json"));
  CHECK(result.at("study").at("objective") == "energy");
  CHECK(result.at("answer").at("verdict") == "thriftier");
  CHECK(result.at("best").at("configuration").at("items") == 2);
  // 250.5 W for 50.176 us.
  CHECK(result.at("best").at("joules").at("value").get<double>() == Approx(12.57e-3).epsilon(0.03));
  CHECK(result.at("saving").at("value").get<double>() == Approx(2).epsilon(0.03));
  CHECK(result.at("speedup").at("value").get<double>() == Approx(2).epsilon(0.03));
  const Json& ablation = result.at("ablation");
  CHECK(ablation.at("figure") == "energy");
  for (const Json& knob : ablation.at("knobs"))
    if (knob.at("knob") == "items")
      CHECK(knob.at("factor").at("value").get<double>() == Approx(2).epsilon(0.03));
  CHECK(ran.says("zero needs 2.00x less energy than your baseline"));
  CHECK(ran.says("its time is within"));
  CHECK(ran.says("energy of the best with one knob at the baseline's value"));
  CHECK_FALSE(result.at("bound").at("seconds").is_null());

  // The record says what ranked: told again without the card it is the same answer.
  const std::string id = result.at("study").at("id");
  const Ran again = user.tune({"report", "--study", id});
  INFO(again.output);
  CHECK(again.says("zero needs 2.00x less energy than your baseline"));
  const Ran exported =
      user.tune({"export", "--study", id, "--as-recorded", "--format", "json", "-o", "-"});
  INFO(exported.output);
  CHECK(exported.says("less energy than the baseline"));
  const Ran known =
      user.tune({"export", "--study", id, "--as-recorded", "--format", "best-known", "-o", "-"});
  CHECK(known.code == 2);
  CHECK(known.says("this study ranks by energy"));
}

TEST_CASE("energy that nothing tells, or that means nothing, is refused before anything runs") {
  const User user;
  write_three_items(user);
  const auto refused = [&](std::vector<std::string> more, const std::string& card = "") {
    std::vector<std::string> words{"--kernel", "./zero", "--budget", "1", "--objective", "energy"};
    words.insert(words.end(), more.begin(), more.end());
    return user.tune(words, hot_card(card));
  };
  struct Row {
    std::vector<std::string> more;
    const char *card, *says;
    int code;
  };
  const Row rows[] = {
      {{"--machine", "host"}, "", "the CPU of this computer", 2},
      {{"--machine", "a100"}, " counter=0", "counts no energy", 3},
      {{"--machine", "a100", "--cache", "cold"}, "", "caches are warm", 2},
      {{"--machine", "a100", "--amortize", "10"}, "", "the energy of conversions", 2},
      {{"--machine", "a100", "--problem", "n=10", "--problem", "n=20"}, "", "several inputs", 2}};
  for (const Row& row : rows) {
    const Ran ran = refused(row.more, row.card);
    INFO(ran.output);
    CHECK(ran.code == row.code);
    CHECK(ran.says(row.says));
    CHECK(ran.says("--objective energy"));
  }
  const Ran none = user.tune(
      {"--kernel", "./zero", "--machine", "a100", "--objective", "energy"},
      {{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER}, {"ROOFTUNE_NVML", "/nowhere/libnvidia-ml.so"}});
  INFO(none.output);
  CHECK(none.code == 3);
  CHECK(none.says("there is no NVML"));
  CHECK(none.says("leave it out to rank by time"));
  CHECK(user.files("results", ".jsonl").empty());
}
