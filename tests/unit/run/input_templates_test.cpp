// Input files of a program: filled in for each run, in a folder where nothing of the user's
// changes.
#include <catch2/catch.hpp>
#include <functional>

#include "run/command_template.h"
#include "run/program_builds.h"
#include "script_bench.h"

using namespace rooftune;
using namespace rooftune::testing::scripts;
using Catch::Contains;

namespace {

/// Acts in a folder, and comes back.
void in_folder(const std::filesystem::path& folder, const std::function<void()>& act) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  try {
    act();
  } catch (...) {
    std::filesystem::current_path(before);
    throw;
  }
  std::filesystem::current_path(before);
}

}  // namespace

TEST_CASE("placeholders of an input file are filled in, and all other braces stand") {
  const testing::ScratchFolder here;
  here.write("deep/a.nml.in", "&loops\n  block = {x}, text = '{{x}}'\n/\n");
  here.write("b.yaml", "solver: {kind: cg, block: {x}, list: [1, {y}]}\n");
  in_folder(here.path(), [&] {
    const InputTemplates templates({"deep/a.nml.in", "b.yaml"});
    CHECK(templates.has("x"));
    CHECK_FALSE(templates.has("kind"));
    const auto files = templates.filled(
        [](const std::string& name) { return std::vector<std::string>{name == "x" ? "8" : "2"}; });
    REQUIRE(files.size() == 2);
    CHECK(files[0].first == "deep/a.nml");
    CHECK(files[0].second == "&loops\n  block = 8, text = '{x}'\n/\n");
    CHECK(files[1].first == "b.yaml");
    CHECK(files[1].second == "solver: {kind: cg, block: 8, list: [1, 2]}\n");
    here.write("b.yaml.in", "");
    CHECK_THROWS_WITH(InputTemplates({"b.yaml", "b.yaml.in"}),
                      Contains("--template") && Contains("b.yaml"));
    CHECK_THROWS_WITH(InputTemplates({"absent.in"}), Contains("absent.in"));
  });
}

TEST_CASE("a run with an input file finds the folder as it is, and changes nothing in it") {
  const testing::ScratchFolder around;
  around.write("beside/data", "5\n");
  const auto here = around.path() / "case";
  around.write("case/input.in", "{x}\n");
  around.write("case/input", "mine\n");
  around.write("case/log", "mine\n");
  around.write("case/out/old", "mine\n");
  around.write("case/app",
               "echo more >> log; cat log > out/old; rm input.in; touch out/new\n"
               "[ $(wc -l < log) = 2 ] && echo time: $(cat input)$(cat ../beside/data)\n");
  Program program;
  program.command = "sh app {y}";
  program.metric = R"(regex:time: (\S+))";
  program.templates = {"input.in"};
  in_folder(here, [&] {
    ScriptBench bench(program);
    const Trial trial = bench.trial();
    CAPTURE(trial.detail);
    REQUIRE(trial.ok());
    CHECK(trial.measurement->seconds.value == 15);
    const Rounds rounds =
        bench.evaluator.race({bench.space.baseline(), with(bench.space, "x", 3)}, {3, 1});
    CHECK(rounds.seconds == std::vector<std::vector<double>>(3, {15, 35}));
    const PlannedCommand plan = bench.evaluator.plan(bench.space.baseline());
    REQUIRE(plan.files.size() == 1);
    CHECK(plan.files[0].second == "1\n");
  });
  CHECK(read_text(here / "input") == "mine\n");
  CHECK(read_text(here / "log") == "mine\n");
  CHECK(read_text(here / "out/old") == "mine\n");
  CHECK(read_text(here / "input.in") == "{x}\n");
  CHECK_FALSE(std::filesystem::exists(here / "out/new"));
}

TEST_CASE("of a large folder the large files are links, and a change of one is told") {
  const testing::ScratchFolder from, to;
  const auto large = from.write("large", std::string(100, 'x'));
  from.write("small", "1");
  const auto copy = to.path() / "around" / "copy";
  copy_tree(from.path(), copy, {}, 160, Large::linked);
  CHECK(std::filesystem::read_symlink(copy / "large") == large);
  CHECK_FALSE(std::filesystem::is_symlink(copy / "small"));
  const PreparedFolder prepared(copy, from.path());
  std::filesystem::remove(copy / "large");
  prepared.put_back();
  CHECK(std::filesystem::is_symlink(copy / "large"));
  from.write("large", "changed");
  CHECK_THROWS_WITH(prepared.put_back(), Contains("large") && Contains("another name"));
}
