// The member "slurm" of a machine file.
#include <catch2/catch.hpp>

#include "roofline/machine.h"

using namespace rooftune;

namespace {

SlurmRequest read_request(const std::string& text) {
  return decoded<SlurmRequest>(parse_json(text, "a100.json"), "a100.json: /slurm");
}

std::string request_fault(const std::string& text) {
  try {
    read_request(text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a machine's request to Slurm becomes words of sbatch and comes back as it was") {
  const std::string text =
      R"({"partition":"gpu","constraint":"a100&ib","account":"m1","gres":"gpu:1","time":"02:00:00","options":["--qos=night","-x n3"]})";
  const SlurmRequest request = read_request(text);
  CHECK(request.words() == std::vector<std::string>{"--partition=gpu", "--constraint=a100&ib",
                                                    "--account=m1", "--gres=gpu:1",
                                                    "--time=02:00:00", "--qos=night", "-x n3"});
  CHECK(json_text(encode(request)) == text);
  CHECK(read_request("{}").words().empty());
}

TEST_CASE("what the launcher sets itself, or what is no option, is refused at its place") {
  CHECK(request_fault(R"({"partion": "gpu"})").find("did you mean \"partition\"") !=
        std::string::npos);
  for (const char* option : {"--array=1-9", "-a1-9", "--wait", "-W", "--job-name=x", "--output=f",
                             "--wra=x", "--outp=f", "--", "--chdir=/x", "-D/x", "--container=/x"})
    CHECK(request_fault(R"({"options": ["--qos=a", ")" + std::string(option) + R"("]})")
              .find("/slurm/options/1: \"" + std::string(option) + "\" is set by the launcher") !=
          std::string::npos);
  CHECK(request_fault(R"({"options": ["qos=a"]})").find("no option of sbatch") !=
        std::string::npos);
  for (const char* option : {"--export=ALL,LD_PRELOAD=x.so", "--exp=PATH=/x", "--export-file=x"})
    CHECK(request_fault(R"({"options": [")" + std::string(option) + R"("]})")
              .find("\" sets variables, which can load code") != std::string::npos);
  CHECK(
      request_fault(
          R"({"options": ["--account=a", "--wait-all-nodes=1", "--export=NONE", "--exclude=n1"]})")
          .empty());
}
