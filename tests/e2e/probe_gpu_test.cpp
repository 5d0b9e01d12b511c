// tune probe --gpu with a driver that has no card behind it: what is missing is said in a line, and
// what a probe writes can be used. And GPUs of machine files under back ends that do not fit.
#include <catch2/catch.hpp>

#include "roofline/machine.h"
#include "support/nvrtc.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// A card whose arrays, an eighth of it, are cleared at once: one of 40 GiB is probed for a minute.
constexpr int card_bytes = 256 << 20;

Ran probed(const User& user, const std::string& fake, std::vector<std::string> more = {}) {
  std::vector<std::string> words{"probe", "--quiet", "--output", user.path("gpu.json").string()};
  words.insert(words.end(), more.begin(), more.end());
  return user.tune(
      words,
      {{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER},
       {"FAKE_CUDA", fake + " l2=1048576 multiprocessors=4 total=" + std::to_string(card_bytes)}});
}

}  // namespace

TEST_CASE("a probe without a GPU says why and writes nothing") {
  const User user;
  const Ran none = user.tune({"probe", "--gpu", "--output", user.path("gpu.json").string()},
                             {{"ROOFTUNE_LIBCUDA", "/nowhere/libcuda.so.1"}});
  INFO(none.output);
  CHECK(none.code == 3);
  CHECK(none.says("there is no NVIDIA driver"));
  struct Row {
    const char *fake, *says;
  };
  for (const Row& row :
       {Row{"init=100", "(100)"}, Row{"init=34", "(34)"}, Row{"count=0", "shows no card"}}) {
    const Ran ran = probed(user, row.fake, {"--gpu"});
    INFO(row.fake << "\n" << ran.output);
    CHECK(ran.code == 3);
    CHECK(ran.says(row.says));
  }
  const Ran missing = probed(user, "count=2", {"--gpu", "5"});
  CHECK(missing.code == 3);
  CHECK(missing.says("there is no card \"5\""));
  const Ran compiler = user.tune({"probe", "--gpu"}, {{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER},
                                                      {"ROOFTUNE_NVRTC", "/nowhere/libnvrtc.so"}});
  CHECK(compiler.code == 3);
  CHECK(compiler.says("there is no NVRTC"));
  CHECK_FALSE(std::filesystem::exists(user.path("gpu.json")));
}

TEST_CASE("a card that fails during the probe ends it in a line") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  for (const char* fake : {"alloc=2", "launch=701", "load=209"}) {
    const Ran ran = probed(user, fake, {"--gpu"});
    INFO(fake << "\n" << ran.output);
    CHECK(ran.code == 3);
    CHECK(ran.says("the card failed during the probe"));
    CHECK_FALSE(std::filesystem::exists(user.path("gpu.json")));
  }
}

TEST_CASE("what a probe of a card writes stands beside the vendor's figures") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  const Ran ran = probed(user, "count=2", {"--gpu", "GPU-a1a1a1a1", "--machine", "mine"});
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  CHECK(ran.says("roofs: "));
  const Machine machine = read_machine(user.path("gpu.json"));
  CHECK(machine.name == "mine");
  CHECK(machine.identity.at("uuid").starts_with("GPU-a1a1a1a1"));
  REQUIRE(machine.gpu);
  CHECK(machine.gpu->multiprocessors == 4);
  CHECK(machine.gpu->describes("NVIDIA A100-SXM4-40GB"));
  bool measured = false, vendors = false;
  for (const Ceiling& ceiling : machine.ceilings) {
    measured =
        measured || (ceiling.name == "DRAM triad" && ceiling.source.kind == Source::Kind::measured);
    vendors =
        vendors || (ceiling.name == "fp64 fma peak" && ceiling.source.kind == Source::Kind::vendor);
  }
  CHECK(measured);
  CHECK(vendors);
  const Ran planned = user.tune({"--kernel", "triad", "--machine", user.path("gpu.json").string(),
                                 "--problem", "n=4096", "--dry-run"});
  INFO(planned.output);
  CHECK(planned.code == 0);
}

TEST_CASE("machines and back ends that do not fit are told apart") {
  const User user;
  const Ran cpu =
      user.tune({"--kernel", "triad", "--machine", "a100", "--backend", "openmp", "--dry-run"});
  INFO(cpu.output);
  CHECK(cpu.code == 2);
  CHECK(cpu.says("machine \"a100\" is a GPU, the openmp back end computes on CPUs"));
  CHECK(cpu.says("--backend cuda fits it"));
  const Ran gpu =
      user.tune({"--kernel", "triad", "--machine", "edison", "--backend", "cuda", "--dry-run"});
  INFO(gpu.output);
  CHECK(gpu.code == 2);
  CHECK(gpu.says("machine \"edison\" is a CPU, the cuda back end computes on GPUs"));
  const Ran hyphen =
      user.tune({"report", "--machine", "a100-80", "--output", user.path("page").string()});
  INFO(hyphen.output);
  CHECK(hyphen.code == 0);
}
