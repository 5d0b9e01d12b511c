// CUDA variants of the kernel that ROOFTUNE_TEST_KERNEL names, without a GPU: results in the
// emulation, and registers, spills, shared memory and occupancy as recorded in figures/.
// ROOFTUNE_APPROVE=1 ROOFTUNE_TEST_NIGHT=1 ctest -L cuda writes the figures anew: look at the diff,
// then commit it.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "core/file.h"
#include "support/environment_variable.h"
#include "support/night.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

std::filesystem::path folder() {
  return std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "tests" / "cuda";
}

std::string tested_kernel() {
  const char* name = std::getenv("ROOFTUNE_TEST_KERNEL");
  return name ? name : "triad";
}

/// The row of problems.json: {"problem", "sample", "compiled", "wide": where lanes of a warp work
/// together, "executed": beside the published steps, of "executed_problem" if that must differ,
/// "emulated": {problem: configuration} beside the sample, "set": what samples hardly ever have}.
Json row() {
  const Json rows = read_json(folder() / "problems.json");
  INFO("every kernel with a cuda.cu needs a row in tests/cuda/problems.json");
  REQUIRE(rows.contains(tested_kernel()));
  return rows.at(tested_kernel());
}

/// A sample has every value of every knob; by day no more configurations than that takes.
std::string sample() {
  return std::to_string(testing::at_night() ? row().at("sample").get<int>() : 1);
}

/// The cards that are compiled for: one by day.
std::vector<std::string> cards() {
  if (testing::at_night()) return {"a100", "h200"};
  return {"h200"};
}

/// Of all cases of a process: what one has compiled another one finds.
const User& user_of_process() {
  static const User user;
  return user;
}

/// --set of what samples hardly ever have.
std::vector<std::string> rare() {
  std::vector<std::string> words;
  const Json all = row().value("set", Json::array());
  for (const Json& set : all) words.insert(words.end(), {"--set", set.get<std::string>()});
  return words;
}

/// What `tune check` writes about the CUDA back end with these further words.
Json checked(const User& user, const std::vector<std::string>& words) {
  std::vector<std::string> all{"check", tested_kernel(), "--backend",
                               "cuda",  "--json",        "check.json"};
  if (const std::string problem = row().at("problem"); !problem.empty())
    all.insert(all.end(), {"--problem", problem});
  all.insert(all.end(), words.begin(), words.end());
  const Ran ran = user.tune(all, {}, 850);
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  return read_json(user.path("check.json")).at("backends").at(0);
}

/// {configuration: {kernel: figures}} of the launches that were planned.
Json figures(const Json& backend) {
  Json result = Json::object();
  for (const Json& one : backend.at("configurations")) {
    Json launches = Json::object();
    for (const Json& launch : one.at("plan").at("launches"))
      launches[launch.at("kernel").get<std::string>()] = {
          {"threads", launch.at("threads")},
          {"registers", launch.at("registers")},
          {"spilled",
           launch.at("spill_store_bytes").get<int>() + launch.at("spill_load_bytes").get<int>()},
          {"shared", launch.at("shared_bytes")},
          {"resident_blocks", launch.at("resident_blocks")}};
    result[one.at("configuration").get<std::string>()] = launches;
  }
  return result;
}

/// Another NVRTC allocates registers a little differently.
void compare(const Json& recorded, const Json& now, bool same_compiler) {
  const double share = same_compiler ? 0.05 : 0.25;
  const auto near = [&](const char* what, double slack) {
    const double a = recorded.at(what), b = now.at(what);
    INFO(what << ": recorded " << a << ", now " << b);
    CHECK(std::abs(a - b) <= slack + share * std::abs(a));
  };
  near("registers", 2);
  near("spilled", same_compiler ? 16 : 256);
  CHECK(recorded.at("threads") == now.at("threads"));
  near("shared", 0);
}

/// One that spills hopelessly is not run, by intention.
void check_validated(const Json& backend) {
  std::size_t validated = 0;
  for (const Json& one : backend.at("configurations")) validated += one.at("outcome") == "ok";
  CHECK(validated >= 2);
}

void check_wide() {
  const User user;
  Json wide = read_json(std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "machines" / "a100.json");
  wide["name"] = "wide";
  wide["gpu"]["warp"] = 64;
  user.write("wide.json", wide.dump());
  std::vector<std::string> words{"--machine", user.path("wide.json").string()};
  const Json problem = row();
  if (testing::at_night())
    words.insert(words.end(), {"--sample", sample()});
  else
    for (const Json& set : problem.at("wide"))
      words.insert(words.end(), {"--set", set.get<std::string>()});
  check_validated(checked(user, words));
}

}  // namespace

TEST_CASE("emulation: variants agree with the reference") {
  std::vector<std::string> words = rare();
  words.insert(words.end(), {"--machine", cards().back(), "--sample", sample()});
  check_validated(checked(user_of_process(), words));
  const Json more = row().value("emulated", Json::object());
  for (const auto& [problem, configuration] : more.items()) {
    const Ran ran = user_of_process().tune(
        {"check", tested_kernel(), "--backend", "cuda", "--machine", cards().back(), "--problem",
         problem, "--set", configuration.get<std::string>()},
        {}, 850);
    INFO(ran.output);
    CHECK(ran.code == 0);
    CHECK(ran.says("agrees with the reference"));
  }
}

TEST_CASE("wide: variants agree with the reference where a warp has 64 threads") { check_wide(); }

TEST_CASE("variants of every kernel agree where a warp has 64 threads", "[.night]") {
  const Json problems = read_json(folder() / "problems.json");
  for (const auto& [kernel, row] : problems.items()) {
    INFO(kernel);
    const testing::EnvironmentVariable tested("ROOFTUNE_TEST_KERNEL", kernel);
    check_wide();
  }
}

TEST_CASE("card: variants agree with the reference on the card of this computer") {
  const User user;
  const Json backend = checked(
      user, {"--machine", "auto", "--sample", std::to_string(row().at("sample").get<int>())});
  if (backend.contains("skipped")) {
    WARN("skipped, there is no GPU: " << backend.at("skipped").get<std::string>());
    return;
  }
  for (const Json& one : backend.at("configurations")) {
    INFO(one.at("configuration").get<std::string>());
    CHECK((one.at("outcome") == "ok" || one.at("outcome") == "pruned"));
  }
}

TEST_CASE("figures: registers, spills and residency are the recorded ones") {
  const std::filesystem::path file = folder() / "figures" / (tested_kernel() + ".json");
  Json now = Json::object();
  const std::string compiled =
      testing::at_night() ? std::to_string(row().at("compiled").get<int>()) : sample();
  for (const std::string& machine : cards()) {
    std::vector<std::string> words = rare();
    words.insert(words.end(), {"--compile-only", "--machine", machine, "--sample", compiled});
    const Json backend = checked(user_of_process(), words);
    if (!backend.contains("nvrtc")) {
      WARN("skipped: there is no NVRTC here");
      return;
    }
    now["nvrtc"] = backend.at("nvrtc");
    now[machine] = figures(backend);
  }
  if (const char* approve = std::getenv("ROOFTUNE_APPROVE"); approve && *approve == '1') {
    std::ofstream(file) << now.dump(1) << '\n';
    WARN("approved: " << file.string());
    return;
  }
  const Json recorded = read_json(file);
  for (const std::string& machine : cards())
    for (const auto& [configuration, kernels] : now.at(machine).items()) {
      INFO(machine << ": " << configuration);
      REQUIRE(recorded.at(machine).contains(configuration));
      for (const auto& [name, launch] : kernels.items()) {
        INFO(name);
        REQUIRE(recorded.at(machine).at(configuration).contains(name));
        compare(recorded.at(machine).at(configuration).at(name), launch,
                recorded.at("nvrtc") == now.at("nvrtc"));
      }
    }
}
