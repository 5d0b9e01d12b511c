// The PTX that NVRTC makes of the kernels, executed by an interpreter that shares nothing with the
// emulation (tests/support/ptx): the kernel that ROOFTUNE_TEST_KERNEL names, its published steps,
// and at night random configurations for two cards; and faults that the interpreter must find.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <deque>
#include <map>

#include "core/file.h"
#include "support/environment_variable.h"
#include "support/night.h"
#include "support/nvrtc.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

namespace fs = std::filesystem;

const fs::path source = ROOFTUNE_SOURCE_DIR;
/// With two multiprocessors a persistent block has several turns.
constexpr int few_multiprocessors = 2;

/// The variables by which `tune` finds a card like this machine that executes PTX, described in the
/// user's folder; nothing without an NVRTC. Its NVRTC makes PTX under the real one's version: a
/// `user` builds in a cache of its own.
std::optional<std::map<std::string, std::string>> executor(const User& user,
                                                           const std::string& machine) {
  const auto nvrtc = test::nvrtc_for(80);
  if (!nvrtc) return {};
  Json card = read_json(source / "machines" / (machine + ".json"));
  card["name"] = "executor";
  card["identity"] = {{"device", "PTX executor"}};
  card["gpu"]["devices"] = Json::array({"PTX executor"});
  card["cores"] = card["gpu"]["multiprocessors"] = few_multiprocessors;
  user.write("machines/executor.json", card.dump());
  const std::string capability = card.at("gpu").at("compute_capability");
  return std::map<std::string, std::string>{
      {"ROOFTUNE_LIBCUDA", ROOFTUNE_PTX_EXECUTOR},
      {"ROOFTUNE_NVRTC", ROOFTUNE_PTX_EXECUTOR},
      {"PTX_EXECUTOR_NVRTC", nvrtc->library.string()},
      {"FAKE_CUDA", "name=PTX_executor multiprocessors=" + std::to_string(few_multiprocessors) +
                        " major=" + capability.substr(0, capability.find('.'))}};
}

/// `tune check` with these words there.
std::optional<Ran> executed(const User& user, const std::string& machine,
                            std::vector<std::string> words) {
  const auto environment = executor(user, machine);
  if (!environment) return {};
  words.insert(words.begin(), "check");
  words.insert(words.end(), {"--backend", "cuda", "--machine", "auto", "--json", "check.json"});
  return user.tune(words, *environment, 1500);
}

/// --set of each step of the published path: what the steps before it have set stays.
std::vector<std::string> published(const std::string& kernel) {
  const fs::path file = source / "kernels" / kernel / "published.cuda.json";
  std::vector<std::string> words;
  if (!fs::exists(file)) return words;
  Json known = Json::object();
  const Json path = read_json(file);
  for (const Json& step : path.at("steps")) {
    known.update(step.at("set"));
    std::string set;
    for (const auto& [name, value] : known.items())
      set += (set.empty() ? "" : ",") + name + "=" +
             (value.is_string() ? value.get<std::string>() : value.dump());
    if (!set.empty()) words.insert(words.end(), {"--set", set});
  }
  return words;
}

/// A copy of a kernel's folder in which the nth `from` of a file (from 1) is `to`.
void write_changed(const User& user, const std::string& kernel, const std::string& file,
                   const std::string& from, int number, const std::string& to) {
  fs::remove_all(user.path("copy"));
  fs::copy(source / "kernels" / kernel, user.path("copy"), fs::copy_options::recursive);
  std::string text = read_text(user.path("copy/" + file));
  std::size_t at = text.find(from);
  for (; number > 1; --number) at = text.find(from, at + 1);
  REQUIRE(at != std::string::npos);
  user.write("copy/" + file, text.replace(at, from.size(), to));
}

}  // namespace

TEST_CASE("executed: the PTX of a kernel and its published steps agree with the reference") {
  const char* const name = std::getenv("ROOFTUNE_TEST_KERNEL");
  const std::string kernel = name ? name : "triad";
  const User user(Builds::own);
  const Json row = read_json(source / "tests" / "cuda" / "problems.json").at(kernel);
  const std::string problem = row.value("executed_problem", row.at("problem").get<std::string>());
  std::vector<std::string> words = published(kernel);
  for (const Json& set : row.value("executed", Json::array()))
    words.insert(words.end(), {"--set", set.get<std::string>()});
  words.insert(words.begin(), {kernel, "--problem", problem});
  if (testing::at_night()) words.insert(words.end(), {"--sample", "20"});
  for (const char* machine : {"a100", "h200"}) {
    if (machine == std::string("h200") && !testing::at_night()) break;
    const auto ran = executed(user, machine, words);
    if (!ran) return;
    INFO(machine << '\n' << ran->output);
    REQUIRE(ran->code == 0);
    const Json all = read_json(user.path("check.json")).at("backends").at(0).at("configurations");
    CHECK(all.size() >= std::max<std::size_t>(published(kernel).size() / 2, 1));
    for (const Json& one : all) CHECK(one.at("outcome") == "ok");
  }
}

TEST_CASE("executor: it finds a removed barrier, a removed fence and a step out of an array") {
  const User user(Builds::own);
  const std::vector<std::string> gpp{"./copy", "--problem",
                                     "nb=20,ngpown=4,ncouls=70,nw=3,nvband=9", "--set",
                                     "reduction=last,block_n=16,block_x=64"};
  write_changed(user, "gpp", "cuda_sums.h", "__syncthreads();", 2, ";");
  const auto barrier = executed(user, "a100", gpp);
  if (!barrier) return;
  INFO(barrier->output);
  CHECK(barrier->code == 1);
  CHECK(barrier->says("a race in shared memory with thread"));
  CHECK(barrier->says("in gpp_sums, block"));

  // Of the fences of the last block's sum. The second orders loads, and the interpreter loads in
  // the order of the program: only a card can tell that it is needed.
  write_changed(user, "gpp", "cuda_sums.h", "__threadfence();", 1, ";");
  const auto fence = executed(user, "a100", gpp);
  INFO(fence->output);
  CHECK(fence->code == 1);
  CHECK(fence->says("wrong_result"));

  write_changed(user, "triad", "cuda.cu", "rooftune::walk_pairs(n,", 1,
                "rooftune::walk_pairs(n + 1,");
  const auto bounds = executed(user, "a100", {"./copy", "--problem", "n=10007"});
  INFO(bounds->output);
  CHECK(bounds->code == 1);
  CHECK(bounds->says("outside every array by \"ld.global"));
  CHECK(bounds->says("in triad_items, block"));
}

TEST_CASE("executor: an instruction that it does not know is refused by name") {
  const User user(Builds::own);
  write_changed(
      user, "triad", "cuda.cu", "rooftune::walk_pairs(n,", 1,
      "\n#ifdef __CUDA_ARCH__\nasm volatile(\"brkpt;\");\n#endif\nrooftune::walk_pairs(n,");
  const auto ran = executed(user, "a100", {"./copy", "--problem", "n=10007"});
  if (!ran) return;
  INFO(ran->output);
  CHECK(ran->code == 1);
  CHECK(ran->says("PTX: unknown instruction \"brkpt\" in triad_items"));
}

TEST_CASE("executor: a card without code of its own is planned without registers or occupancy") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  Json card = read_json(source / "machines/a100.json");
  card["name"] = "later";
  card["gpu"]["compute_capability"] = "99.0";
  user.write("machines/later.json", card.dump());
  const Ran ran = user.tune({"check", "triad", "--backend", "cuda", "--machine", "later",
                             "--problem", "n=10007", "--compile-only", "--json", "plan.json"});
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(ran.says("registers unknown before a driver compiles its PTX"));
  CHECK_FALSE(ran.says("occupancy"));
  const Json plan = read_json(user.path("plan.json")).at("backends").at(0).at("configurations");
  const Json& launch = plan.at(0).at("plan").at("launches").at(0);
  CHECK(launch.contains("threads"));
  CHECK_FALSE(launch.contains("registers"));
  CHECK_FALSE(launch.contains("occupancy"));
}

TEST_CASE("executor: a script of Kernel Tuner tunes a kernel in CUDA") {
  const User user(Builds::own);
  const auto environment = executor(user, "a100");
  if (!environment) return;
  std::deque<testing::EnvironmentVariable> set;
  for (const auto& [name, value] : *environment) set.emplace_back(name.c_str(), value);
  const Ran ran =
      user.python("/usr/bin/python3",
                  {(source / "tests/e2e/python/kernel_tuner_cuda.py").string(), "Card"}, 540);
  constexpr int skipped = 77;
  if (ran.code == skipped) {
    WARN("skipped: " << ran.output);
    return;
  }
  INFO(ran.output);
  CHECK(ran.code == 0);
}
