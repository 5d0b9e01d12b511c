// tune bench on a card: libraries of the vendor and other people's kernels beside the best, on
// stand-ins for the driver, cuBLAS and cuSPARSE.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "core/file.h"
#include "support/fake_driver.h"
#include "support/nvrtc.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

using Environment = std::map<std::string, std::string>;
using Rows = std::map<std::string, Json>;

/// Of the stand-ins, which behave as `fake` says; `more` wins.
Environment on_fakes(const User& user, const std::string& fake, const Environment& more = {}) {
  Environment all = more;
  all.insert({{"ROOFTUNE_LIBCUDA", ROOFTUNE_FAKE_DRIVER},
              {"ROOFTUNE_CUBLAS", ROOFTUNE_FAKE_CUBLAS},
              {"ROOFTUNE_CUSPARSE", ROOFTUNE_FAKE_CUSPARSE},
              {"FAKE_VENDOR_LOG", user.path("vendor").string()},
              {"FAKE_CUDA", fake}});
  return all;
}

const std::vector<std::string> spmv{"--kernel", "spmv", "--problem", "kind=banded,n=500"};
const std::vector<std::string> triad{"--kernel", "triad", "--problem", "n=8192"};

void tune(const User& user, std::vector<std::string> words) {
  words.insert(words.end(), {"--machine", "a100", "--budget", "1", "--quiet"});
  const Ran ran = user.tune(words, on_fakes(user, ""));
  INFO(ran.output);
  REQUIRE(ran.code == 0);
}

/// The rows of a comparison, which goes well, by their names; what is printed in `output`.
Rows bench(const User& user, std::vector<std::string> words, const Environment& environment,
           std::string& output) {
  words.insert(words.begin(), "bench");
  words.insert(words.end(),
               {"--machine", "a100", "--backend", "cuda", "--rounds", "6", "--json", "b.json"});
  const Ran ran = user.tune(words, environment);
  output = ran.output;
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  const Json compared = read_json(user.path("b.json"));
  Rows rows;
  for (const Json& row : compared.at("competitors")) rows[row.at("name")] = row;
  return rows;
}

std::string absence(const Rows& rows, const std::string& name) {
  return rows.at(name).at("absent");
}

void require_compared(const Rows& rows, const std::string& name) {
  INFO(name);
  CHECK(absence(rows, name).empty());
  CHECK(rows.at(name).at("seconds").at("value").get<double>() > 0);
}

/// All that peers made is destroyed.
void require_freed(const User& user) {
  std::map<std::string, int> left;
  std::istringstream lines(read_text(user.path("vendor")));
  for (std::string word, what; lines >> word >> what;) left[what] += word == "create" ? 1 : -1;
  REQUIRE(left.contains("handle"));
  for (const auto& [what, count] : left) {
    INFO(what);
    CHECK(count == 0);
  }
}

}  // namespace

TEST_CASE("cuSPARSE is compared on the arrays and in the stream of the best") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  tune(user, spmv);
  std::string output;
  const Rows rows = bench(
      user, spmv,
      on_fakes(user, "nvml=1 held_power=50 other=1", {{"ROOFTUNE_NVML", ROOFTUNE_FAKE_DRIVER}}),
      output);
  CHECK_THAT(output, Catch::Contains("note: others had work on the card meanwhile: ") &&
                         Catch::Contains("note: its power limit lowered the card's clock for "));
  for (const char* name : {"best", "baseline", "cusparse_alg1", "cusparse_alg2"})
    require_compared(rows, name);
  // Those of the CPU have nothing to say here, unless somebody asks.
  CHECK(rows.count("eigen") == 0);
  CHECK(output.find("cuSPARSE SpMV of CSR, algorithm 1") != std::string::npos);
  require_freed(user);
}

TEST_CASE("what a vendor's library says ends its row, never the comparison") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  tune(user, spmv);
  std::string output;
  const auto why = [&](const std::string& fake, const Environment& more = {}) {
    std::filesystem::remove(user.path("vendor"));
    std::vector<std::string> words = spmv;
    words.insert(words.end(), {"--peers", "cusparse_alg2"});
    const Rows rows = bench(user, words, on_fakes(user, fake, more), output);
    INFO(output);
    require_compared(rows, "baseline");
    CHECK(rows.at("cusparse_alg2").at("seconds").is_null());
    CHECK(output.find("cusparse_alg2: not compared:") != std::string::npos);
    return absence(rows, "cusparse_alg2");
  };
  CHECK_THAT(why("", {{"ROOFTUNE_CUSPARSE", "/nowhere/libcusparse.so.12"}}),
             Catch::StartsWith("build_failed: there is no cuSPARSE here "
                               "(ROOFTUNE_CUSPARSE=/nowhere/libcusparse.so.12); install cuSPARSE"));
  CHECK_THAT(why("", {{"ROOFTUNE_CUSPARSE", "libm.so.6"}}),
             Catch::StartsWith("build_failed: libm.so.6 has no function cusparseGetProperty"));
  CHECK_THAT(why("major=10"), Catch::Contains("is of version 10: too old; install cuSPARSE"));
  CHECK(why("cusparseCreate=1") == "crashed: cusparseCreate: CUSPARSE_STATUS_NOT_INITIALIZED (1)");
  CHECK(why("cusparseCreateCsr=2") ==
        "out_of_memory: cusparseCreateCsr: CUSPARSE_STATUS_ALLOC_FAILED (2)");
  CHECK(why("cusparseSpMV=6") == "crashed: cusparseSpMV: CUSPARSE_STATUS_EXECUTION_FAILED (6)");
  CHECK_THAT(why("wrong=1"), Catch::StartsWith("wrong_result: "));
  require_freed(user);
}

TEST_CASE("a peer that fails in the rounds is out, and the others begin again") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  tune(user, spmv);
  std::string output;
  // Its first handle is that of its trial, the second one that of the race.
  std::vector<std::string> words = spmv;
  words.insert(words.end(), {"--peers", "cusparse_alg1"});
  const Rows rows = bench(user, words, on_fakes(user, "cusparseSpMV=6 handle=2"), output);
  INFO(output);
  CHECK(absence(rows, "cusparse_alg1") ==
        "it failed in the rounds: crashed: cusparseSpMV: CUSPARSE_STATUS_EXECUTION_FAILED (6)");
  require_compared(rows, "best");
  require_compared(rows, "baseline");
}

TEST_CASE("cuBLAS and BabelStream are compared with a triad") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  tune(user, triad);
  user.write("cuda-stream",
             "#!/bin/sh\necho \"$CUDA_VISIBLE_DEVICES\" >> " + user.path("card").string() +
                 "\ncat <<'END'\nBabelStream\nVersion: 5.0\nImplementation: CUDA\n"
                 "Running kernels 100 times\nFunction    MBytes/sec  Min (sec)   Max         "
                 "Average     \nCopy        90000.000   0.00001     0.00001     0.00001     \n"
                 "Triad       98304.000   0.00000     0.00001     0.00001     \nEND\n");
  chmod(user.path("cuda-stream").c_str(), 0755);
  std::string output;
  // Room for the arrays of two of them: the others prepare again when it is their turn.
  const Rows rows =
      bench(user, triad,
            on_fakes(user, "memory=450000",
                     {{"ROOFTUNE_PEER_CUDA_STREAM", user.path("cuda-stream").string()},
                      {"FAKE_CUDA_CALLS", user.path("calls").string()}}),
            output);
  CHECK(test::counted(user.path("calls"), test::FakeCall::out_of_memory) > 0);
  for (const char* name : {"best", "cublas_axpy", "cublas_geam", "babelstream", "cuda_stream"})
    require_compared(rows, name);
  // 24 B for each of 8192 elements at the rate that it prints, on the card of the study.
  CHECK(rows.at("cuda_stream").at("seconds").at("value").get<double>() == Approx(2e-6));
  CHECK_THAT(read_text(user.path("card")), Catch::StartsWith("GPU-a0a0a0a0-a0a0-"));
  require_freed(user);
}

TEST_CASE("a triad of any length is the sum of two matrices, and what is absent says what helps") {
  if (!test::nvrtc_for(80)) return;
  const User user;
  const std::vector<std::string> odd{"--kernel", "triad", "--problem", "n=5001"};
  tune(user, odd);
  std::string output;
  const Rows rows = bench(user, odd, on_fakes(user, "cublasDaxpy=13"), output);
  require_compared(rows, "cublas_geam");
  require_compared(rows, "babelstream");
  CHECK(absence(rows, "cublas_axpy") ==
        "crashed: cublasDaxpy: CUBLAS_STATUS_EXECUTION_FAILED (13)");
  CHECK_THAT(absence(rows, "cuda_stream"), Catch::StartsWith("it is for problems with n % 1024"));
  std::vector<std::string> one = triad;
  tune(user, one);
  one.insert(one.end(), {"--peers", "cuda_stream"});
  const Rows missing = bench(user, one, on_fakes(user, ""), output);
  CHECK_THAT(absence(missing, "cuda_stream"),
             Catch::StartsWith("there is no program cuda-stream; github.com/UoB-HPC/BabelStream"));
  CHECK(missing.count("cublas_axpy") == 0);
}
