// Every member of a study that people may set is an option, by the list of StudySpec.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <catch2/catch.hpp>

#include "cli/command_table.h"
#include "core/error.h"
#include "support/scratch_folder.h"

using namespace rooftune;

namespace {

StudySpec parsed(const std::vector<std::string>& words) {
  std::vector<const char*> argv{"tune", "--kernel", "triad"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return parse(static_cast<int>(argv.size()), argv.data()).tune.spec;
}

}  // namespace

TEST_CASE("tune has an option for every member of a study, with its sentence") {
  CLI::App app;
  CommandLine line;
  add_all(app, line, 80);
  int members = 0;
  const auto visit = [&]<class T>(std::string name, const T& member, const Option& option) {
    if constexpr (std::same_as<T, std::optional<Program>>) return;
    // Further figures are words of --metric.
    if (static_cast<const void*>(&member) == &line.tune.program.figures) return;
    INFO(name);
    std::replace(name.begin(), name.end(), '_', '-');
    if constexpr (std::same_as<T, bool>)
      if (member) name = "no-" + name;
    const CLI::Option* const added = app.get_option_no_throw("--" + name);
    REQUIRE(added);
    const std::string about = option.about;
    CHECK_THAT(added->get_description(), Catch::Contains(about.substr(1)));
    ++members;
  };
  StudySpec::fields(line.tune.spec, visit);
  CHECK(members >= 20);
  Program::fields(line.tune.program, visit);
  CHECK(members >= 35);
}

TEST_CASE("options of a study have the types of its members") {
  const StudySpec spec =
      parsed({"--budget", "40,10min", "--cache", "cold", "--no-pruning", "--path", "published",
              "--problem", "n=4", "--objective", "minimax", "--builders", "3", "--threads", "2"});
  CHECK(spec.budget == Budget{.evaluations = 40, .time = Seconds(600)});
  CHECK(spec.cache == CacheState::cold);
  CHECK_FALSE(spec.pruning);
  CHECK(spec.anchors);
  CHECK(spec.path == FirstSteps::published);
  CHECK(spec.inputs.at(0).parameters.at("n") == Value("4"));
  CHECK(spec.objective == Goal::minimax);
  CHECK(spec.builders == 3);
  CHECK(spec.threads == 2);
}

TEST_CASE("of several metrics the one without a name is tuned, else the first") {
  const auto program = [](const std::vector<std::string>& metrics) {
    std::vector<const char*> argv{"tune", "--command", "./app", "--space", "app.json"};
    for (const std::string& metric : metrics) argv.insert(argv.end(), {"--metric", metric.c_str()});
    return *parse(static_cast<int>(argv.size()), argv.data()).tune.spec.program;
  };
  using Figures = std::map<std::string, std::string>;
  CHECK(program({}).metric == "wall");
  CHECK(program({"regex:a=(.)"}).metric == "regex:a=(.)");
  const Program named = program({"speed=max:regex:v=(.)", "energy=min:json:/e"});
  CHECK(named.metric == "max:speed");
  CHECK(named.figures == Figures{{"speed", "max:regex:v=(.)"}, {"energy", "min:json:/e"}});
  const Program formula = program({"speed=regex:(.)", "watts=regex:(.)", "max:speed / watts"});
  CHECK(formula.metric == "max:speed / watts");
  CHECK(formula.figures.size() == 2);
  CHECK(program({"a=max:regex:(.)", "wall"}).figures == Figures{{"a", "max:regex:(.)"}});
  CHECK(program({"wall", "a=regex:(.)"}).metric == "wall");
  using Catch::Contains;
  CHECK_THROWS_WITH(program({"wall", "regex:(.)"}), Contains("two metrics without a name"));
  CHECK_THROWS_WITH(program({"a=json:/a", "a=json:/b"}), Contains("two figures are called a"));
}

TEST_CASE("a path of a problem may hold commas, and a parameter is set once") {
  const auto inputs = parsed({"--problem", "matrix=\"a,b=c.mtx\",seed=3"}).inputs;
  CHECK(inputs.at(0).parameters == Facts{{"matrix", "a,b=c.mtx"}, {"seed", "3"}});
  CHECK(parsed({"--problem", "matrix=a,b.mtx"}).inputs.at(0).parameters ==
        Facts{{"matrix", "a,b.mtx"}});
  const testing::ScratchFolder folder;
  const std::string there = folder.write("a,b=c,d=e.mtx", "").string();
  CHECK(parsed({"--problem", "n=1,matrix=" + there + ",seed=3"}).inputs.at(0).parameters ==
        Facts{{"n", "1"}, {"matrix", there}, {"seed", "3"}});
  CHECK_THROWS_WITH(parsed({"--problem", "n=2000,n=3000"}),
                    Catch::Contains("\"n\" is set twice") && Catch::Contains("several --problem"));
}

TEST_CASE("a value that an option does not take is refused with its name") {
  using Catch::Contains;
  CHECK_THROWS_WITH(parsed({"--builders", "70000"}), Contains("--builders: must be 0 to 65536"));
  CHECK_THROWS_WITH(parsed({"--target-gap", "0.5"}), Contains("must be at least 1"));
  CHECK_THROWS_WITH(parsed({"--budget", "soon"}), Contains("--budget"));
}
