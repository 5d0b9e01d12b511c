// What a spec names is read and checked before anything runs.
#include "study/prepare.h"

#include <catch2/catch.hpp>

#include "study/knowledge.h"
#include "synthetic_platform.h"

using namespace rooftune;
using namespace rooftune::synthetic;
using Catch::Contains;

TEST_CASE("a prepared study has its space, model, bound and identity") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const PreparedStudy study = prepare(kernel.spec(), platform);
  CHECK(study.backend.name == "openmp");
  CHECK(study.spec.threads == 1);
  CHECK(study.first().space->size() == 200);
  CHECK(study.first().model.known() == Facts{{"n", 1000}, {"input", "a"}, {"rows", 1000}});
  CHECK(study.first().roofline.work.nominal == Flops(1000));
  CHECK(study.header.problem == Json{{"input", "a"}, {"n", 1000}});
  CHECK(study.header.id.size() == 16);
  CHECK_THAT(study.header.explanation, Contains("source kernel.json"));
  CHECK(prepare(kernel.spec(), platform).header.id == study.header.id);
}

TEST_CASE("a value has its type, a text is read as people type it, and both are one problem") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  StudySpec typed = kernel.spec(), text = kernel.spec();
  typed.inputs = {{"", {{"n", 2000}, {"input", "dir/x,y=1.mtx"}}}};
  text.inputs = {{"", {{"n", "2k"}, {"input", "dir/x,y=1.mtx"}}}};
  const PreparedStudy first = prepare(typed, platform), second = prepare(text, platform);
  CHECK(first.first().model.problem.at("input") == Value("dir/x,y=1.mtx"));
  CHECK(first.first().model.problem.at("n") == Value(2000));
  CHECK(first.header.id == second.header.id);
}

TEST_CASE("what a spec has wrong is named with the option at fault") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const auto fault = [&](const auto& change) {
    StudySpec spec = kernel.spec();
    change(spec);
    try {
      prepare(spec, platform);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(fault([](StudySpec& s) { s.kernel = "valey"; }), Contains("valey"));
  CHECK_THAT(fault([](StudySpec& s) { s.machine = "synthetik"; }),
             Contains("--machine") && Contains("did you mean \"synthetic\""));
  CHECK_THAT(fault([](StudySpec& s) { s.backend = "cuda"; }),
             Contains("no back end \"cuda\"") && Contains("openmp"));
  CHECK_THAT(fault([](StudySpec& s) { s.threads = 64; }),
             Contains("64 threads") && Contains("--threads"));
  CHECK_THAT(fault([](StudySpec& s) { s.objective = Goal::mean; }),
             Contains("--objective") && Contains("one input"));
  CHECK_THAT(fault([](StudySpec& s) { s.path = FirstSteps::published; }),
             Contains("no published path") && Contains("published.openmp.json"));
  CHECK_THAT(fault([](StudySpec& s) {
               s.inputs = {{"", {{"m", 3}}}};
             }),
             Contains("no parameter \"m\""));
  CHECK_THAT(fault([](StudySpec& s) {
               s.inputs = {{"n=1k", {{"n", "1k"}}}, {"n=1000", {{"n", 1000}}}};
             }),
             Contains("same input as number 1") && Contains("n=1000"));
  CHECK_THAT(fault([](StudySpec& s) {
               s.inputs = {{"", {{"n", std::int64_t{1} << 50}}}};
             }),
             Contains("this machine has") && Contains("smaller size"));
}

TEST_CASE("what is known before the first trial comes from bound and walls") {
  const SyntheticKernel kernel;
  SyntheticPlatform platform;
  const PreparedStudy study = prepare(kernel.spec(), platform);
  CHECK(knowledge_of(study).wanted.contains(Paradigm::write_allocate));
  const LeastTimeOf least = least_times(study);
  REQUIRE(least);
  const auto time = least(study.first().space->baseline());
  REQUIRE(time);
  CHECK(time->time.value() < study.bound.time.value());
}
