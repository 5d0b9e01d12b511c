// A whole program in the place of a kernel: name, parameters, work, traffic and unit of its metric.
#include "kernel/program.h"

#include <catch2/catch.hpp>

#include "kernel/kernel.h"
#include "support/scratch_folder.h"

using namespace rooftune;
using Catch::Contains;

namespace {

Program program_of(const std::string& command) {
  Program program;
  program.command = command;
  return program;
}

std::string program_fault(const Program& program, const Facts& problem = {}) {
  try {
    program_kernel(program, problem);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a study of a program is called like its file unless it has a name") {
  const auto name = [](const std::string& command) {
    return program_kernel(program_of(command), {}).name;
  };
  CHECK(name("./app {x}") == "app");
  CHECK(name("{BUILD_DIR}/matmul {n}") == "matmul");
  CHECK(name("bench-1 {x}") == "bench-1");
  CHECK(name("{x}") == "x_");
  Program named = program_of("./app");
  named.name = "solver";
  CHECK(program_kernel(named, {}).name == "solver");
  for (const char* bad : {"a/b", "-a", "a b", "..", "a\"b"}) {
    named.name = bad;
    CHECK_THAT(program_fault(named), Contains("--name"));
  }
  CHECK_THAT(program_fault(program_of(" ")), Contains("--command"));
}

TEST_CASE("parameters are what they look like, and are all required") {
  const Facts words{{"n", Value("512")},     {"s", Value("0.5")},   {"mode", Value("fast")},
                    {"large", Value("1e6")}, {"one", Value("1.0")}, {"small", Value("1e-3")}};
  const Kernel kernel = program_kernel(program_of("./app"), words);
  const Facts problem = problem_parameters(kernel, words);
  CHECK(problem.at("n") == Value(512));
  CHECK(problem.at("s") == Value(0.5));
  CHECK(problem.at("mode") == Value("fast"));
  CHECK(to_text(problem.at("large")) == "1000000");
  CHECK(problem.at("one").is_real());
  CHECK(problem.at("small") == Value(1e-3));
}

TEST_CASE("work and traffic are formulas over the parameters") {
  Program program = program_of("./app");
  CHECK_FALSE(program.states_limit());
  program.work["fp64"] = "2*n**3";
  program.work["fp32"] = "n";
  program.traffic["read"] = "16*n";
  CHECK(program.states_limit());
  const Facts problem{{"n", Value(10)}};
  const Kernel kernel = program_kernel(program, problem);
  CHECK(work(kernel, problem).least.at("fp64") == Flops(2000));
  CHECK(work(kernel, problem).nominal == Flops(2010));
  CHECK(traffic(kernel, problem).read == Bytes(160));
  CHECK(traffic(kernel, problem).footprint == Bytes(160));
  CHECK_FALSE(traffic(kernel, problem).warm);

  CHECK_THAT(program_fault(program), Contains("\"n\"") && Contains("--problem n=1000"));
  program.work["fp63"] = "1";
  CHECK_THAT(program_fault(program, problem), Contains("fp63") && Contains("fp64"));
  program.work.erase("fp63");
  program.work["fp64"] = "2*";
  CHECK_THAT(program_fault(program, problem), Contains("--work fp64"));
  program.work.clear();
  program.traffic["reads"] = "1";
  CHECK_THAT(program_fault(program, problem), Contains("reads") && Contains("--traffic"));
}

TEST_CASE("a rate is that of the stated work or traffic, else of a gigabyte or a billion") {
  const Facts problem{{"n", Value(10)}};
  const auto amount = [&](Program program) {
    return metric_amount(program_kernel(program, problem), problem);
  };
  Program program = program_of("./app");
  CHECK(amount(program) == 1);
  program.unit = "GB/s";
  CHECK(amount(program) == 1e9);
  CHECK(work(program_kernel(program, problem), problem).items == 1e9);
  program.traffic = {{"read", "8*n"}, {"write", "4*n"}};
  CHECK(amount(program) == 120);
  program.unit = "GFLOP/s";
  CHECK(amount(program) == 1e9);
  program.work = {{"fp64", "3*n"}};
  CHECK(amount(program) == 30);
  program.unit = "1/s";
  CHECK(amount(program) == 1);
}

TEST_CASE("the space may state work and traffic, which the command line overrides") {
  const testing::ScratchFolder folder;
  Program program = program_of("./app");
  program.space = folder.write("space.json", R"({"schema": "rooftune-space-1", "knobs": [],
    "work": {"fp64": "2*n"}, "traffic": {"read": 8, "write": "n"}})");
  add_stated(program);
  CHECK(program.work == std::map<std::string, std::string>{{"fp64", "2*n"}});
  CHECK(program.traffic == std::map<std::string, std::string>{{"read", "8"}, {"write", "n"}});
  program.work = {{"fp32", "1"}};
  add_stated(program);
  CHECK(program.work == std::map<std::string, std::string>{{"fp32", "1"}});
  program.space = folder.path() / "absent.json";
  CHECK_THROWS_WITH(add_stated(program), Contains("absent.json"));
}

TEST_CASE("a program runs on whatever it uses, and nothing compiles it") {
  CHECK_FALSE(runs_on_gpu(command_backend));
  const Kernel kernel = program_kernel(program_of("./app"), {});
  REQUIRE(kernel.backend(command_backend));
  CHECK_FALSE(kernel.backend(command_backend)->needs_kokkos());
  CHECK_FALSE(kernel.backend(command_backend)->needs_gpu_compiler());
}
