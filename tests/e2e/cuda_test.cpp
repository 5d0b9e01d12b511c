// tune --machine a100 with a driver that has no card behind it: every way in which a GPU can be
// missing, wrong or broken, and the path of a study when all is well.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "os/file_lock.h"
#include "support/environment_variable.h"
#include "support/fake_driver.h"
#include "support/nvrtc.h"
#include "support/zero_kernel.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// The kernel zero and its space.
void write_kernel(const User& user) {
  test::write_zero_kernel(user, "zero/");
  user.write("zero/zero.cuda.json", R"({
    "schema": "rooftune-space-1", "kernel": "zero", "backend": "cuda",
    "knobs": [{"name": "block", "kind": "compile", "values": [128, 256], "default": 256,
               "breaks": ["occupancy"], "doc": "threads per block"},
              {"name": "items", "kind": "compile", "values": [1, 4], "default": 1,
               "breaks": ["ilp"], "doc": "elements per thread"}]})");
}

/// tune --kernel zero on the fake driver, which behaves as `fake` says.
Ran tuned(const User& user, const std::string& fake, std::vector<std::string> more = {}) {
  std::vector<std::string> words{"--kernel", "./zero", "--budget", "4", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return user.tune(words, {{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER}, {"FAKE_CUDA", fake}});
}

const std::vector<std::string> on_a100{"--machine", "a100"};

}  // namespace

TEST_CASE("a GPU that is not there: one line why, and what helps") {
  const User user;
  write_kernel(user);
  struct Row {
    const char *fake, *says;
  };
  const Row rows[] = {{"init=100", "no card is visible|(100)"},
                      {"init=34", "(34)"},
                      {"init=803", "(803)"},
                      {"version=11000", "supports CUDA 11.0 only"},
                      {"count=0", "shows no card"},
                      {"name=NVIDIA_H200", "the card here is NVIDIA H200"},
                      {"name=NVIDIA_A100-SXM4-40GB_MIG_1g.5gb", "SXM4-40GB MIG 1g.5gb (MIG-a0a0"},
                      {"multiprocessors=98", "has 98 multiprocessors"}};
  for (const Row& row : rows) {
    const Ran ran = tuned(user, row.fake, on_a100);
    INFO(row.fake << "\n" << ran.output);
    CHECK(ran.code == 3);
    const std::string words = row.says;
    CHECK(ran.says(words.substr(words.rfind('|') + 1)));
    CHECK(ran.says("--machine auto"));
  }
  const Ran newer = user.tune(
      {"--kernel", "./zero", "--machine", "a100", "--budget", "4"},
      {{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER}, {"ROOFTUNE_NVRTC", ROOFTUNE_FAKE_NVRTC}});
  INFO(newer.output);
  CHECK(newer.code == 3);
  CHECK(newer.says("the driver supports CUDA 13.0 and loads nothing of CUDA 99.4"));
  CHECK(user.files("results", ".jsonl").empty());
}

TEST_CASE("a library that is no driver, and none at all") {
  const User user;
  write_kernel(user);
  const auto with = [&](const char* library) {
    return user.tune({"--kernel", "./zero", "--machine", "a100"}, {{"ROOFTUNE_LIBCUDA", library}});
  };
  CHECK(with("/nowhere/libcuda.so.1").code == 3);
  CHECK(with("/nowhere/libcuda.so.1").says("there is no NVIDIA driver"));
  CHECK(with("libm.so.6").code == 3);
  CHECK(with("libm.so.6").says("no function cuInit"));
}

TEST_CASE("several cards are chosen by index or UUID") {
  const User user;
  write_kernel(user);
  const Ran missing = tuned(user, "count=2", {"--machine", "a100", "--gpu", "7"});
  CHECK(missing.code == 3);
  CHECK(missing.says("there is no card \"7\""));
  CHECK(missing.says("1: NVIDIA A100-SXM4-40GB GPU-a1a1a1a1-a1a1"));
  if (!test::nvrtc_for(80)) return;
  CHECK(tuned(user, "count=2", {"--machine", "a100", "--gpu", "GPU-a1a1a1a1"}).code == 0);
}

TEST_CASE("a card is locked under its own name, by whatever word it was chosen") {
  const User user;
  write_kernel(user);
  const testing::EnvironmentVariable locks("ROOFTUNE_LOCKS", user.path("locks").string());
  const auto held = lock_for_timing({"GPU-a0a0a0a0-a0a0-a0a0-a0a0-a0a0a0a0a0a0"}, false, {});
  REQUIRE(held.locks.size() == 1);
  constexpr int busy = 75;
  for (const char* word : {"0", "GPU-a0a0a0a0"}) {
    const Ran ran = tuned(user, "count=2", {"--machine", "a100", "--gpu", word});
    INFO(ran.output);
    CHECK(ran.code == busy);
  }
  if (!test::nvrtc_for(80)) return;
  // As for a job that sees the second one alone: that is its first.
  CHECK(tuned(user, "count=2", {"--machine", "a100", "--gpu", "1"}).code == 0);
}

TEST_CASE("a study on a card runs to its end, timed by the card") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  write_kernel(user);
  const Ran ran = user.tune(
      {"--kernel", "./zero", "--budget", "4", "--quiet", "--machine", "auto", "--json", "out.json"},
      {{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER}});
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  const Json result = read_json(user.path("out.json"));
  CHECK(result.at("machine") == "a100");
  // One nanosecond per thread: the fewest threads win, exactly.
  CHECK(result.at("best").at("configuration").at("items") == 4);
  CHECK(result.at("best").at("seconds").at("value").get<double>() ==
        Approx(25088e-9).epsilon(0.03));
  CHECK(user.files("results/records", ".jsonl").size() == 1);
  const Ran story = user.tune({"explain", "--kernel", "./zero", "--machine", "a100", "best"});
  INFO(story.output);
  CHECK(story.says(" registers, 0 B stack, 0 B spilled, "));
  // The host's core and threads have no part in it.
  CHECK_FALSE(story.says("core clock"));
  CHECK_FALSE(story.says("threads are the nearest"));
  CHECK(story.says("gpu-compile cuda"));
  CHECK_FALSE(story.says("have changed since"));
}

TEST_CASE("a card that was throttled or shared during a study is told in its answer") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  write_kernel(user);
  const auto answer = [&](const std::string& fake) {
    const Ran ran = user.tune({"--kernel", "./zero", "--budget", "4", "--quiet", "--machine",
                               "a100", "--fresh", "--json", "out.json"},
                              {{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER},
                               {"ROOFTUNE_NVML", ROOFTUNE_FAKE_DRIVER},
                               {"FAKE_CUDA", fake}});
    INFO(ran.output);
    REQUIRE(ran.code == 0);
    return read_json(user.path("out.json"));
  };
  const auto says = [](const Json& texts, const char* words) {
    return texts.dump().find(words) != std::string::npos;
  };
  const Json hot = answer("nvml=1 reasons=32 clock=900 other=1");
  CHECK(says(hot.at("inconclusive"), "heat lowered the card's clock, 900 of 1410 MHz"));
  CHECK(says(hot.at("inconclusive"), "others had work on the card meanwhile: "));
  CHECK(says(hot.at("inconclusive"), "(pid 1)"));
  const Json capped = answer("nvml=1 held_power=50");
  CHECK(capped.at("inconclusive") == Json::array());
  CHECK(says(capped.at("notes"), "its power limit lowered the card's clock for "));
  // The record holds what was read.
  bool recorded = false;
  for (const auto& file : user.files("results/records", ".jsonl"))
    recorded = recorded || read_text(file).find("\"slowed\":{\"power\":0.") != std::string::npos;
  CHECK(recorded);
  for (const char* fake : {"nvml=1", "nvml=0 reasons=32", "nvml=1 unsupported=1 reasons=32"}) {
    INFO(fake);
    const Json quiet = answer(fake);
    CHECK(quiet.at("inconclusive") == Json::array());
    CHECK_FALSE(says(quiet.at("notes"), "the card"));
  }
}

TEST_CASE(
    "where the reference would take minutes, the baseline that it validated stands in for it") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  write_kernel(user);
  const auto kernel_whose_reference_writes = [&](const char* value) {
    std::string manifest = read_text(user.path("zero/kernel.json"));
    // 100 s by the rule at the default size, 200 s at the one below.
    if (const auto at = manifest.find("\"items\""); manifest.find("nominal") == std::string::npos)
      manifest.insert(at, "\"nominal\": \"1e6*n\", ");
    user.write("zero/kernel.json", manifest);
    user.write("zero/reference.cpp",
               std::string("#include <cstdint>\nvoid zero(std::int64_t n, double* y) {\n"
                           "  for (std::int64_t i = 0; i < n; ++i) y[i] = ") +
                   value + ";\n}\n");
  };
  const std::vector<std::string> large{"--machine", "a100",     "--cache", "cold",
                                       "--problem", "n=200000", "--json",  "out.json"};
  // At 200000 it is wrong, and not asked.
  kernel_whose_reference_writes("n == 100000 ? 0 : 1");
  const Ran right = tuned(user, "", large);
  INFO(right.output);
  REQUIRE(right.code == 0);
  const std::string notes = read_json(user.path("out.json")).at("notes").dump();
  CHECK(notes.find("compared with the reference at n=100000") != std::string::npos);
  kernel_whose_reference_writes("2");
  const Ran wrong = tuned(user, "", large);
  INFO(wrong.output);
  CHECK(wrong.code == 2);
  CHECK(wrong.says("the baseline cannot stand in for the reference"));
  CHECK(wrong.says("wrong_result"));
}

TEST_CASE("what goes wrong on the card becomes the trial's outcome, and the study goes on") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  write_kernel(user);
  struct Row {
    const char *fake, *outcome, *detail;
  };
  const Row rows[] = {{"alloc=2", "out_of_memory", "bytes of device memory"},
                      {"launch=701", "crashed", "cannot be launched"},
                      {"wait=700", "crashed", "illegal memory access"},
                      {"wait=702", "timed_out", "(702)"},
                      {"load=222", "build_failed", "cannot be loaded"},
                      {"function=500", "build_failed", "kernel idle in the image"},
                      {"beside=1", "wrong_result", "device memory was written before"}};
  for (const Row& row : rows) {
    const Ran ran = tuned(user, row.fake, {"--machine", "a100", "--fresh"});
    INFO(row.fake << "\n" << ran.output);
    CHECK(ran.code == 1);
    const Ran story = user.tune({"explain", "--kernel", "./zero", "--machine", "a100", "0"});
    INFO(story.output);
    CHECK(story.says(row.outcome));
    CHECK(story.says(row.detail));
  }
}

TEST_CASE("a dry run compiles for the card and needs none") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  write_kernel(user);
  const Ran ran = user.tune({"--kernel", "./zero", "--machine", "a100", "--dry-run"});
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(ran.says("idle: "));
  CHECK(ran.says("occupancy"));
  CHECK(ran.says("4 configurations compiled for sm_80"));
  const Ran old = user.tune({"--kernel", "./zero", "--machine", "a100", "--dry-run"},
                            {{"ROOFTUNE_NVRTC", "/nowhere/libnvrtc.so"}});
  CHECK(old.code == 0);
  CHECK(old.says("the kernels were not compiled: there is no NVRTC"));
}

TEST_CASE("L1 that a variant leaves to shared memory is not there for its model") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  const Ran ran = user.tune({"check", "spmv", "--backend", "cuda", "--machine", "a100",
                             "--compile-only", "--problem", "kind=fem3d,n=8", "--set", "carveout=0",
                             "--set", "carveout=100", "--json", "plans.json"});
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  const Json all = read_json(user.path("plans.json"));
  const auto l2_bytes = [&](int k) {
    const Json& plan = all.at("backends").at(0).at("configurations").at(k).at("plan");
    return plan.at("launches").at(0).at("work").at("l2_bytes").get<double>();
  };
  CHECK(l2_bytes(1) > 1.2 * l2_bytes(0));
}

namespace {

/// A foreign CUDA kernel with its description in T1.
void write_foreign(const User& user) {
  user.write("add/vector_add.cu", R"(__global__ void vector_add(float* c, const float* a, int n) {
  const int i = (blockIdx.x * block_size_x + threadIdx.x) * ITEMS;
  for (int k = 0; k < ITEMS; ++k)
    if (i + k < n) c[i + k] = 2 * (KIND)a[i + k];
})");
  user.write("add/T1.json", R"({"ConfigurationSpace": {"TuningParameters": [
      {"Name": "block_size_x", "Type": "int", "Values": "[64, 128]"},
      {"Name": "ITEMS", "Type": "int", "Values": "[1, 2, 4]"},
      {"Name": "KIND", "Type": "string", "Values": "['float', 'double']"}],
    "Conditions": [{"Expression": "block_size_x * ITEMS <= 256", "Parameters": ["block_size_x", "ITEMS"]}]},
    "KernelSpecification": {"Language": "CUDA", "KernelName": "vector_add", "KernelFile": "vector_add.cu",
      "LocalSize": {"X": "block_size_x"}, "GlobalSizeType": "OpenCL",
      "GlobalSize": {"X": "ProblemSize[0] // ITEMS"}, "ProblemSize": [1024],
      "Work": {"fp32": "ProblemSize[0]"}, "Traffic": {"read": "4*ProblemSize[0]", "write": "4*ProblemSize[0]"},
      "Arguments": [
        {"Name": "c", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": "ProblemSize[0]"},
        {"Name": "in", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random", "Size": "ProblemSize[0] + max(block_size_x) - 1"},
        {"Name": "n", "Type": "int", "MemoryType": "Scalar", "FillValue": "ProblemSize[0]"}]}})");
}

}  // namespace

TEST_CASE("a foreign CUDA kernel described in T1 becomes a kernel folder and is tuned on a card") {
  const User user;
  write_foreign(user);
  const Ran made = user.tune({"import", "add/T1.json", "--format", "kernel", "-o", "mine"});
  INFO(made.output);
  REQUIRE(made.code == 0);
  CHECK(made.says("wrote mine"));
  CHECK(made.says("there is no reference"));
  if (!test::nvrtc_for(80)) return;
  const Ran plan = user.tune({"--kernel", "./mine", "--machine", "a100", "--dry-run"});
  INFO(plan.output);
  CHECK(plan.code == 0);
  CHECK(plan.says("0 (baseline)"));
  CHECK(plan.says("16 blocks of 64 threads"));
  CHECK_FALSE(plan.says("pruned"));
  const Ran ran =
      user.tune({"--kernel", "./mine", "--machine", "a100", "--budget", "20", "--quiet", "--json",
                 "out.json"},
                {{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER}, {"FAKE_CUDA", "fill=4096"}});
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  CHECK(read_json(user.path("out.json")).at("best").at("configuration").at("items") == 4);
  CHECK(read_json(user.path("out.json")).at("best").at("gap").at("total").get<double>() > 1);
}

TEST_CASE("T1 files that cannot be run say what is in the way") {
  const User user;
  write_foreign(user);
  const std::string good = read_text(user.path("add/T1.json"));
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = good;
    text.replace(text.find(what), what.size(), instead);
    user.write("add/bad.json", text);
    const Ran ran = user.tune({"import", "add/bad.json", "--format", "kernel", "-o", "bad"});
    CHECK(ran.code == 2);
    return ran.output;
  };
  CHECK_THAT(with("\"CUDA\"", "\"OpenCL\""), Catch::Contains("\"OpenCL\" kernels cannot be run"));
  CHECK_THAT(with("vector_add.cu", "nowhere.cu"), Catch::Contains("there is no file"));
  CHECK_THAT(with("\"Type\": \"float\"", "\"Type\": \"image2d\""),
             Catch::Contains("\"image2d\" cannot be passed on"));
  CHECK_THAT(with("\"Vector\"", "\"Symbol\""), Catch::Contains("\"Symbol\" is not supported"));
  CHECK_THAT(with("\"LocalSize\": {\"X\": \"block_size_x\"},", ""),
             Catch::Contains("LocalSize") && Catch::Contains("is missing"));
  CHECK_THAT(with("\"KernelName\": \"vector_add\"", "\"KernelName\": \"vector_add); abort(\""),
             Catch::Contains("is no function's name"));
  CHECK_THAT(with("\"KIND\"", "\"KI(ND\""), Catch::Contains("cannot be the name of a macro"));
  CHECK_THAT(with("\"KIND\"", "\"items\""), Catch::Contains("differ by capitals only"));
  CHECK_THAT(with("\"Name\": \"in\"", "\"Name\": \"grid_x\""),
             Catch::Contains("add/bad.json: the kernel that it describes cannot be read") &&
                 Catch::Contains("\"grid_x\" is declared twice"));
  CHECK(user.files("bad", ".json").empty());
}

TEST_CASE("a published path runs on a card with room for two variants") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  write_kernel(user);
  user.write("zero/published.cuda.json", R"({
    "schema": "rooftune-path-1", "kernel": "zero", "backend": "cuda", "title": "t", "source": "s",
    "steps": [{"name": "first", "title": "as it is", "set": {}, "doc": "d"},
              {"name": "items", "title": "more", "set": {"block": 128, "items": 4}, "doc": "d"}]})");
  // Room for the arrays of two variants.
  const Ran ran = user.tune({"--kernel", "./zero", "--budget", "2", "--path", "published",
                             "--machine", "a100", "--quiet", "--json", "out.json", whole_study},
                            {{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER},
                             {"FAKE_CUDA_CALLS", user.path("calls").string()},
                             {"FAKE_CUDA", "memory=2000000"}});
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  const Json result = read_json(user.path("out.json"));
  CHECK(result.at("speedup").at("value").get<double>() == Approx(4).epsilon(0.01));
  for (const Json& step : result.at("staircase").at("steps"))
    for (const Json& change : step.at("changes"))
      if (change.at("knob") == "items")
        CHECK(step.at("gain").at("value").get<double>() == Approx(4).epsilon(0.01));
}
