// The files of docs/examples/nightly are what systemd, cron, GitHub, GitLab and ReFrame read.
#include <catch2/catch.hpp>
#include <regex>
#include <sstream>

#include "core/file.h"
#include "support/scratch_folder.h"
#include "support/tool.h"
#include "sweep/plan.h"

using namespace rooftune;
using rooftune::testing::run_tool;

namespace {

const std::filesystem::path examples =
    std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "docs/examples/nightly";

std::string example(const char* name) { return read_text(examples / name); }

}  // namespace

TEST_CASE("the example's plan is a plan of kernels that are here") {
  const Plan plan = read_plan(examples / "nightly.json");
  CHECK(plan.studies.size() == 4);
  for (const PlannedStudy& study : plan.studies)
    CHECK(std::filesystem::exists(std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "kernels" /
                                  study.spec.kernel / "kernel.json"));
}

TEST_CASE("systemd verifies the example's timer and service") {
  const auto analyze = testing::tool("systemd-analyze");
  if (!analyze) return;
  // It looks whether the program is there.
  const testing::ScratchFolder folder;
  const std::string service = example("rooftune-nightly.service"), program = "/usr/bin/tune";
  REQUIRE(service.find("ExecStart=" + program) != std::string::npos);
  folder.write("rooftune-nightly.service",
               std::regex_replace(service, std::regex(program), "/bin/true"));
  const auto timer = folder.write("rooftune-nightly.timer", example("rooftune-nightly.timer"));
  const Finished good = run_tool({*analyze, "verify", "--man=no", timer.string()});
  INFO(good.output);
  CHECK(good.status.ok());
  CHECK(good.output.empty());
  const auto wrong = folder.write("wrong.timer", "[Timer]\nOnCalendar=sometimes\n");
  CHECK_FALSE(run_tool({*analyze, "verify", "--man=no", wrong.string()}).output.empty());
}

TEST_CASE("the example's line for cron has a time and a command that a shell reads") {
  static const std::regex line("([0-9*]+ ){5}(.*)");
  std::istringstream text(example("crontab"));
  int lines = 0;
  for (std::string one; std::getline(text, one);) {
    if (one.starts_with("#")) continue;
    ++lines;
    std::smatch match;
    REQUIRE(std::regex_match(one, match, line));
    CHECK(one.find('%') == std::string::npos);  // ends a command of cron
    CHECK(run_tool({"/bin/sh", "-n", "-c", match[2]}).status.ok());
  }
  CHECK(lines == 1);
}

TEST_CASE("the example's jobs are YAML of the shape that GitHub and GitLab read") {
  const auto python = testing::python_with("yaml");
  if (!python) return;
  const char* const script = R"(
import sys, yaml
github, gitlab = (yaml.safe_load(open(sys.argv[1] + name)) for name in ('/github-actions.yml', '/gitlab-ci.yml'))
steps = github['jobs']['sweep']['steps']
assert github[True]['schedule'][0]['cron'] == '0 2 * * *'  # YAML 1.1 takes "on" for a truth
assert all(('uses' in step) != ('run' in step) for step in steps)
assert any(step.get('with', {}).get('tool') == 'customSmallerIsBetter' for step in steps)
assert gitlab['nightly']['artifacts']['reports']['junit'] == 'junit.xml'
commands = [step['run'] for step in steps if 'run' in step] + gitlab['nightly']['script']
assert [command.split()[0] for command in commands] == ['tune', 'jq', 'tune']
assert all(command.startswith(('tune sweep nightly.json ', 'jq ')) for command in commands)
)";
  const Finished finished = run_tool({*python, "-c", script, examples.string()});
  INFO(finished.output);
  CHECK(finished.status.ok());
}

TEST_CASE("the example's container file has instructions only") {
  static const std::regex instruction(
      "(#.*|FROM [a-z]+|ENV [A-Z_]+=/[a-z]+|COPY [^ ]+ [^ ]+|WORKDIR /[a-z]+|"
      "ENTRYPOINT (\\[.*\\]))");
  std::istringstream text(example("Containerfile"));
  std::string entry;
  for (std::string line; std::getline(text, line);) {
    INFO(line);
    std::smatch match;
    REQUIRE(std::regex_match(line, match, instruction));
    if (match[2].matched) entry = match[2];
  }
  const Json words = parse_json(entry, "ENTRYPOINT");
  CHECK(words.at(0) == "tune");
  CHECK(words.at(1) == "sweep");
}

TEST_CASE("the example for ReFrame is Python, and its patterns find the figures of a study") {
  const auto python = testing::python_with("ast, re");
  if (!python) return;
  const char* const script = R"(
import ast, re, sys
source = open(sys.argv[1]).read()
patterns = [''.join(part.value if isinstance(part, ast.Constant) else {'name': 'gpp-cold', 'figure': 'gap'}[part.value.id]
                    for part in node.values)
            for node in ast.walk(ast.parse(source)) if isinstance(node, ast.JoinedStr) and len(node.values) > 2
            or isinstance(node, ast.JoinedStr) and '^' in ast.dump(node)]
found = [re.search(pattern, line).groups() for pattern in patterns if pattern.startswith('^')
         for line in ['study=gpp-cold plan=nightly kernel=gpp machine=host state=done seconds=0.5 gap=1.25 speedup=3']]
assert found == [(), ('1.25',)], found
)";
  const Finished finished =
      run_tool({*python, "-c", script, (examples / "reframe_test.py").string()});
  INFO(finished.output);
  CHECK(finished.status.ok());
}
