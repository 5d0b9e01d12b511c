// The model that a record holds, and what is said when today's files differ from it.

#include "study/model.h"

#include <catch2/catch.hpp>

#include "core/file.h"
#include "store/study_record.h"
#include "store/study_store.h"
#include "study/find_study.h"
#include "study/result.h"
#include "synthetic_platform.h"

using namespace rooftune;
using namespace rooftune::synthetic;
using Catch::Contains;

namespace {

std::string as_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

StudyRecord studied(const SyntheticKernel& kernel) {
  SyntheticPlatform platform;
  run_study(kernel.spec(20), platform, {});
  return find_study(kernel.spec().results, {{.kernel = "valley"}});
}

}  // namespace

TEST_CASE("nothing is said while today's files are those of the study") {
  const SyntheticKernel kernel;
  const StudyRecord study = studied(kernel);
  CHECK(as_lines(changes_since(study)).empty());
  // As later studies do: a ceiling was seen a little faster. By a tenth is another machine.
  const auto file = kernel.folder().path() / "machines/synthetic.json";
  Json machine = read_json(file);
  for (const bool little : {true, false}) {
    Json& rate = machine["ceilings"][0]["rate"]["value"];
    rate = rate.get<double>() * (little ? 1.01 : 1.1);
    machine["ceilings"][0]["rate"]["high"] = rate;
    write_atomically(file, machine.dump());
    CHECK(as_lines(changes_since(study)).empty() == little);
  }
}

TEST_CASE("what the machine file learnt from the study itself is no change of the file") {
  const SyntheticKernel kernel;
  StudyRecord study = studied(kernel);
  const auto file = kernel.folder().path() / "machines/synthetic.json";
  Json machine = read_json(file);
  Ceiling seen = study.require_setup().machine.ceilings.front();
  Json& rate = machine["ceilings"][0]["rate"]["value"];
  rate = rate.get<double>() * 2;
  machine["ceilings"][0]["rate"]["high"] = rate;
  write_atomically(file, machine.dump());
  CHECK_THAT(as_lines(changes_since(study)), Contains("machine file"));
  seen.rate = Estimate::exact(2 * seen.rate.value);
  study.anchors = AnchorReadings{{seen}, {}};
  CHECK(as_lines(changes_since(study)).empty());
}

TEST_CASE("a changed model, space, source or machine file is named, and today's is a wish") {
  const SyntheticKernel kernel;
  StudyRecord study = studied(kernel);
  const double gap = analyse(study).best->gap.total.value;
  kernel.folder().write("valley/kernel.json", SyntheticKernel::manifest("16*n"));
  CHECK_THAT(as_lines(changes_since(study)),
             Contains("changed in ") && Contains("kernel.json") && Contains("since the study"));
  kernel.folder().write("valley/openmp.cpp", "// another source\n");
  CHECK_THAT(as_lines(changes_since(study)), Contains("kernel.json, openmp.cpp"));
  Json space = read_json(kernel.kernel() / "valley.openmp.json");
  space["knobs"][0]["values"].push_back(10);
  kernel.folder().write("valley/valley.openmp.json", space.dump());
  CHECK_THAT(as_lines(changes_since(study)), Contains("search space"));
  const auto file = kernel.folder().path() / "machines/synthetic.json";
  Json machine = read_json(file);
  machine["cores"] = 3;
  write_atomically(file, machine.dump());
  CHECK_THAT(as_lines(changes_since(study)), Contains("machine file"));
  CHECK(analyse(study).best->gap.total.value == gap);
}

TEST_CASE("what is gone is said to be") {
  const SyntheticKernel kernel;
  StudyRecord study = studied(kernel);
  std::filesystem::remove_all(kernel.kernel());
  CHECK_THAT(as_lines(changes_since(study)),
             Contains("is not there any more") && Contains("cannot be read any more"));
}

TEST_CASE("which parts of a study's identity are other ones today") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  StudyRecord study = studied(kernel);
  CHECK(as_lines(outdated_parts(study, platform)).empty());
  kernel.folder().write("valley/more.h", "// new\n");
  CHECK(as_lines(outdated_parts(study, platform)) == "source more.h\n");
  std::string& explanation = study.header.explanation;
  const std::string compiler = "compiler = ";
  explanation.insert(explanation.find(compiler) + compiler.size(), "another ");
  CHECK(as_lines(outdated_parts(study, platform)) == "source more.h\ncompiler\n");
  kernel.folder().write("valley/valley.openmp.json", SyntheticKernel::space() + " ");
  CHECK_THAT(as_lines(outdated_parts(study, platform)), Contains("\nspace\n"));
  std::filesystem::remove_all(kernel.kernel());
  CHECK_THAT(as_lines(outdated_parts(study, platform)), Contains("there is no folder"));
}

TEST_CASE("a study is found by kernel, machine, problem and the beginning of its id") {
  const SyntheticKernel kernel;
  const StudyRecord study = studied(kernel);
  const auto results = kernel.spec().results;
  CHECK(find_study(results, {{.kernel = "valley", .machine = "synthetic"}}).header.id ==
        study.header.id);
  CHECK(find_study(results, {{}, study.header.id.substr(0, 5)}).header.id == study.header.id);
  CHECK(find_study(results, {{}, "", {{"", {{"n", "1000"}}}}}).header.id == study.header.id);
  CHECK_THROWS_WITH(find_study(results, {{}, "", {{"", {{"n", 7}}}}}), Contains("valley"));
  CHECK_THROWS_WITH(find_study(results, {{.kernel = "triad"}}),
                    Contains("no study of kernel triad"));
}

TEST_CASE("the setup of a record round-trips with its model") {
  const SyntheticKernel kernel;
  const StudyRecord study = studied(kernel);
  const Json json = encode(*study.setup);
  CHECK(encode(decoded<StudySetup>(json, "setup")) == json);
}
