// tune probe --gpu with a driver that has no card behind it: what is missing is said in a line, and
// what a probe writes can be used. And GPUs of machine files under back ends that do not fit.
#include <catch2/catch.hpp>

#include "roofline/machine.h"
#include "roofline/machine_json.h"
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

TEST_CASE("a slice is a machine of its own, and a throttled or shared card is told by its probe") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  const std::string file = user.path("machines/slice.json").string();
  const auto tune = [&](const std::string& card, const std::vector<std::string>& words) {
    return user.tune(words, {{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER},
                             {"ROOFTUNE_NVML", ROOFTUNE_FAKE_DRIVER},
                             {"FAKE_CUDA", "name=NVIDIA_H100_80GB_HBM3_MIG_" + card +
                                               " major=9 l2=1048576 nvml=1 reasons=64 clock=900 "
                                               "other=1 total=" +
                                               std::to_string(card_bytes)}});
  };
  const std::vector<std::string> plan{"--kernel",  "triad",  "--machine", "auto",
                                      "--problem", "n=4096", "--dry-run"};
  // It has as many multiprocessors as the whole card, and half of its name.
  const Ran none = tune("7g.80gb multiprocessors=132", plan);
  INFO(none.output);
  CHECK(none.code == 3);
  CHECK(none.says("no machine file describes the card NVIDIA H100 80GB HBM3 MIG 7g.80gb (MIG-a0"));
  const std::string small = "1g.10gb multiprocessors=16";
  const Ran ran =
      tune(small, {"probe", "--quiet", "--gpu", "--machine", "slice", "--output", file});
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  CHECK(ran.says("note: heat lowered the card's clock, 900 of 1410 MHz at the end"));
  CHECK(ran.says("note: others had work on the card meanwhile: "));
  const Machine machine = read_machine(file);
  CHECK(machine.identity.at("uuid").starts_with("MIG-a0a0a0a0"));
  CHECK(machine.identity.at("uuid").ends_with("a051"));
  CHECK(machine.gpu->multiprocessors == 16);
  CHECK(machine.gpu->memory == card_bytes);
  // Nothing of the whole card's sheet, whose name is the beginning of the slice's.
  for (const Ceiling& ceiling : machine.ceilings) {
    INFO(ceiling.name);
    CHECK(ceiling.source.kind == Source::Kind::measured);
  }
  const Ran planned = tune(small, plan);
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
