// The times that compiled code is expected to take, beside published ones: the staircases of GPP on
// a V100 and of TestSNAP on an A100. NVRTC alone is needed.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "core/file.h"
#include "ranks.h"
#include "roofline/launch_time.h"
#include "support/nvrtc.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

struct Stair {
  std::string name;
  double published;  ///< [s]
  CallTime expected;
};

/// The published steps with a time, expected for a machine of Rooftune with code for compute
/// capability 8.0: today's NVRTC makes none for a V100.
std::vector<Stair> stairs(const std::string& kernel, const std::string& machine,
                          const std::string& problem) {
  const std::filesystem::path root = ROOFTUNE_SOURCE_DIR;
  const User user;
  Json card = read_json(root / "machines" / (machine + ".json"));
  card["name"] = "staircase";
  card["gpu"]["compute_capability"] = "8.0";
  user.write("machines/staircase.json", card.dump());
  std::vector<Stair> result;
  std::vector<std::string> sets;
  Json known = Json::object();
  const Json path = read_json(root / "kernels" / kernel / "published.cuda.json");
  for (const Json& step : path.at("steps")) {
    known.update(step.at("set"));
    if (!step.contains("published")) continue;
    result.push_back({step.at("name"), step.at("published").at("seconds"), {}});
    std::string& set = sets.emplace_back();
    for (const auto& [name, value] : known.items())
      set += (set.empty() ? "" : ",") + name + "=" +
             (value.is_string() ? value.get<std::string>() : value.dump());
  }
  const auto planned = [&](std::vector<std::string> settings) {
    settings.insert(settings.begin(),
                    {"check", kernel, "--backend", "cuda", "--machine", "staircase",
                     "--compile-only", "--problem", problem, "--json", "plans.json"});
    const Ran ran = user.tune(settings, {}, 1500);
    INFO(ran.output);
    REQUIRE(ran.code == 0);
    return read_json(user.path("plans.json")).at("backends").at(0).at("configurations");
  };
  std::vector<std::string> settings;
  for (const std::string& set : sets)
    if (!set.empty()) settings.insert(settings.end(), {"--set", set});
  Json all = planned(settings);
  // A step that sets nothing is the baseline.
  if (sets.front().empty()) all.insert(all.begin(), planned({}).at(0));
  REQUIRE(all.size() == result.size());
  for (std::size_t k = 0; k < result.size(); ++k)
    result[k].expected = decoded<CallTime>(all.at(k).at("plan").at("expected"), result[k].name);
  return result;
}

double rank_correlation(const std::vector<Stair>& all) {
  std::vector<double> published, expected;
  for (const Stair& one : all) {
    published.push_back(one.published);
    expected.push_back(one.expected.time.value());
  }
  return test::rank_correlation(published, expected);
}

/// Expected over published time of each step, over their geometric mean: problems, cards' clocks
/// and compilers differ by one factor.
std::vector<double> ratios(const std::vector<Stair>& all) {
  std::vector<double> result;
  double sum = 0;
  for (const Stair& one : all) {
    result.push_back(one.expected.time.value() / one.published);
    sum += std::log(result.back());
  }
  for (double& one : result) one /= std::exp(sum / static_cast<double>(all.size()));
  return result;
}

std::string table(const std::vector<Stair>& all) {
  std::string text;
  for (std::size_t k = 0; k < all.size(); ++k)
    text += fmt::format("{:<8} published {:.4g} s, expected {:.2f} of it, limited by {}\n",
                        all[k].name, all[k].published, ratios(all)[k], all[k].expected.limit);
  return text;
}

}  // namespace

TEST_CASE("staircase: GPP's nine steps on a V100 are expected in their published order") {
  if (!test::nvrtc_for(80)) return;
  const auto all = stairs("gpp", "v100", "nb=64,ngpown=128,ncouls=4096");
  REQUIRE(all.size() == 9);
  INFO(table(all));
  CHECK(rank_correlation(all) >= 0.9);
  for (const double ratio : ratios(all)) CHECK(std::fabs(ratio - 1) < 0.3);
}

TEST_CASE("staircase: TestSNAP's four cases on an A100 are expected in their published order") {
  if (!test::nvrtc_for(80)) return;
  const auto all = stairs("snap", "a100", "twojmax=14,cells=10");
  REQUIRE(all.size() == 4);
  INFO(table(all));
  CHECK(rank_correlation(all) == Approx(1));
  for (const double ratio : ratios(all)) CHECK(std::fabs(ratio - 1) < 0.3);
}

TEST_CASE("staircase: a dry run proposes snap's groups of atoms first on an H100") {
  if (!test::nvrtc_for(90)) return;
  const User user;
  const Ran ran = user.tune(
      {"--kernel", "snap", "--backend", "cuda", "--machine", "h100", "--dry-run"}, {}, 600);
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(ran.says("  1 block=512 fusion=groups y_sums=6"));
}
