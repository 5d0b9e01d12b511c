// Problem parameters as a person types them.
#include <catch2/catch.hpp>

#include "kernel/kernel.h"
#include "support/manifest_folder.h"

using namespace rooftune;
using namespace rooftune::testing;
using Catch::Contains;

namespace {

Kernel kernel_with_file(const ManifestFolder& folder) {
  Json manifest = triad_manifest();
  manifest["parameters"].push_back(
      Json{{"name", "matrix"}, {"type", "file"}, {"default", ""}, {"doc", "Matrix Market file"}});
  folder.write("kernel.json", manifest.dump());
  return read_kernel(folder.path());
}

}  // namespace

TEST_CASE("defaults complete what was not chosen") {
  const ManifestFolder folder(triad_manifest());
  const Kernel kernel = read_kernel(folder.path());
  CHECK(problem_parameters(kernel, {}) ==
        Facts{{"n", Value(1000)}, {"order", Value("up")}, {"s", Value(3.5)}});
  CHECK(problem_parameters(kernel, {{"order", "down"}}).at("order") == Value("down"));
}

TEST_CASE("a default may depend on the kind of machine") {
  Json manifest = triad_manifest();
  manifest["parameters"][0]["default"] = {{"cpu", 1000}, {"gpu", "1Mi"}};
  const ManifestFolder folder(manifest);
  const Kernel kernel = read_kernel(folder.path());
  CHECK(problem_parameters(kernel, {}).at("n") == Value(1000));
  CHECK(problem_parameters(kernel, {}, MachineKind::gpu).at("n") == Value(1 << 20));
  CHECK(problem_parameters(kernel, {}, MachineKind::gpu).at("s") == Value(3.5));
  CHECK(problem_parameters(kernel, {{"n", "7"}}, MachineKind::gpu).at("n") == Value(7));
}

TEST_CASE("where a reference would take minutes, the defaults of a CPU are what it validates") {
  Json manifest = triad_manifest();
  manifest["work"]["nominal"] = "1e6*n";
  const ManifestFolder folder(manifest);
  Kernel kernel = read_kernel(folder.path());
  const auto chosen = [&](const char* n) { return problem_parameters(kernel, {{"n", n}}); };
  CHECK_FALSE(validation_problem(kernel, chosen("50000")));
  CHECK(validation_problem(kernel, chosen("70000")) == problem_parameters(kernel, {}));
  // Its own size is no smaller one; and a kernel may leave the size to its user.
  kernel.parameters[0].fallback = Value(70000);
  CHECK_FALSE(validation_problem(kernel, chosen("70000")));
  kernel.parameters[0].required = true;
  CHECK_FALSE(validation_problem(kernel, chosen("80000")));
}

TEST_CASE("whole numbers may be written with exponents and prefixes, exactly") {
  const ManifestFolder folder(triad_manifest());
  const Kernel kernel = read_kernel(folder.path());
  const auto n = [&](const std::string& text) {
    const Value value = problem_parameters(kernel, {{"n", text}}).at("n");
    CHECK(value.is_integer());
    return value.integer();
  };
  CHECK(n("250000") == 250000);
  CHECK(n("2e6") == 2000000);
  CHECK(n("16Mi") == 16777216);
  CHECK(n("1.5Ki") == 1536);
  CHECK(n("3k") == 3000);
  CHECK(n("1G") == 1000000000);
  for (const char* bad : {"", "2.5", "1e-3", "16MiB", "0x10", "nan", "inf", "1e400", "9e18", "- 3",
                          "5 ", "99999999999999999999999", "1,000", "true"}) {
    INFO(bad);
    CHECK_THROWS_WITH(problem_parameters(kernel, {{"n", bad}}), Contains("--problem n"));
  }
}

TEST_CASE("ranges, choices and names are checked, all at once") {
  const ManifestFolder folder(triad_manifest());
  const Kernel kernel = read_kernel(folder.path());
  CHECK_THROWS_WITH(problem_parameters(kernel, {{"n", "0"}}),
                    Contains("out of range") && Contains("from 1 to 4000000000"));
  CHECK_THROWS_WITH(problem_parameters(kernel, {{"n", "1e18"}}), Contains("out of range"));
  CHECK_THROWS_WITH(problem_parameters(kernel, {{"order", "dwn"}}),
                    Contains("did you mean \"down\""));
  CHECK_THROWS_WITH(problem_parameters(kernel, {{"ordr", "up"}, {"s", "x"}, {"n", "5e9"}}),
                    Contains("did you mean \"order\"") && Contains("no finite number") &&
                        Contains("out of range"));
}

TEST_CASE("a parameter without a default must be chosen") {
  Json manifest = triad_manifest();
  manifest["parameters"][0].erase("default");
  const ManifestFolder folder(manifest);
  const Kernel kernel = read_kernel(folder.path());
  CHECK(kernel.parameters[0].required);
  CHECK_THROWS_WITH(problem_parameters(kernel, {}), Contains("needs this parameter"));
  CHECK(problem_parameters(kernel, {{"n", "7"}}).at("n") == Value(7));
}

TEST_CASE("files must exist and become absolute, and no file is the empty name") {
  const ManifestFolder folder(triad_manifest());
  const Kernel kernel = kernel_with_file(folder);
  CHECK(problem_parameters(kernel, {}).at("matrix") == Value(""));
  folder.write("data/a.mtx", "x");
  const std::string file = (folder.path() / "data/../data/a.mtx").string();
  CHECK(problem_parameters(kernel, {{"matrix", file}}).at("matrix") ==
        Value((folder.path() / "data/a.mtx").string()));
  const auto relative = std::filesystem::relative(folder.path() / "data/a.mtx");
  const std::string found =
      problem_parameters(kernel, {{"matrix", relative.string()}}).at("matrix").text();
  CHECK(std::filesystem::path(found).is_absolute());
  CHECK(std::filesystem::equivalent(found, file));
  CHECK_THROWS_WITH(problem_parameters(kernel, {{"matrix", "nowhere.mtx"}}),
                    Contains("no file") && Contains("nowhere.mtx"));
  CHECK_THROWS_WITH(problem_parameters(kernel, {{"matrix", folder.path().string()}}),
                    Contains("is a directory"));
  CHECK_THROWS_WITH(problem_parameters(kernel, {{"matrix", "/dev/zero"}}),
                    Contains("a pipe or a device"));
  const std::string hidden = (folder.path() / "a\x1b[2J.mtx").string();
  folder.write("a\x1b[2J.mtx", "x");
  CHECK_THROWS_WITH(problem_parameters(kernel, {{"matrix", hidden}}),
                    Contains("not printed") && !Contains("\x1b"));
}
