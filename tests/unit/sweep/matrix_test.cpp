#include <catch2/catch.hpp>

#include "core/file.h"
#include "os/temporary_directory.h"
#include "sweep/schedule.h"

using namespace rooftune;

namespace {

Plan planned(const std::string& members) {
  const TemporaryDirectory folder;
  write_atomically(folder.path() / "plan.json",
                   R"({"schema": "rooftune-sweep-1", "name": "night", )" + members + "}");
  return read_plan(folder.path() / "plan.json");
}

std::string refused(const std::string& members) {
  try {
    planned(members);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::vector<std::string> names_in(const Plan& plan, const std::vector<std::size_t>& order) {
  std::vector<std::string> names;
  for (const std::size_t i : order) names.push_back(plan.studies[i].name);
  return names;
}

std::vector<std::string> names_of(const Plan& plan) {
  std::vector<std::string> names;
  for (const PlannedStudy& study : plan.studies) names.push_back(study.name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a matrix is every combination, named by what tells it apart") {
  const Plan plan = planned(R"("defaults": {"budget": 3}, "matrix": {
    "kernel": ["spmv", "gpp"], "backend": ["openmp", "kokkos"], "machine": ["host"],
    "problem": {"spmv": [{"matrix": "/data/a.mtx"}, {"matrix": "b.mtx"}]},
    "exclude": [{"kernel": "gpp", "backend": "kokkos"},
                {"backend": "kokkos", "problem": {"matrix": "b.mtx"}}]},
    "studies": [{"kernel": "triad", "budget": 9}])");
  CHECK(names_of(plan) == Names{"spmv.openmp.matrix=a.mtx", "spmv.openmp.matrix=b.mtx",
                                "spmv.kokkos.matrix=a.mtx", "gpp.openmp", "triad"});
  CHECK(plan.studies[0].spec.inputs.at(0).parameters.at("matrix") == Value("/data/a.mtx"));
  CHECK(plan.studies[2].spec.backend == "kokkos");
  CHECK(plan.studies[3].spec.budget == Budget{.evaluations = 3});
  CHECK(plan.studies[4].spec.budget == Budget{.evaluations = 9});
}

TEST_CASE("every fault of a matrix is named at its place") {
  const std::string text = refused(R"("matrix": {"kernel": "spmv", "threads": [],
    "colour": [1], "exclude": [{"kernel": "gpp"}]}, "threshold": "much", "notify": ["mail"])");
  for (const char* const part :
       {"/matrix/kernel: must be a list", "/matrix/threads: must be a list",
        "unknown member \"colour\"", "excludes nothing: {\"kernel\":\"gpp\"}", "/threshold",
        "/notify/0: expected an array"}) {
    INFO(part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(refused(R"("matrix": {"kernel": ["a"], "threads": ["many"]})").find("threads") !=
        std::string::npos);
}

TEST_CASE(
    "studies run by priority, then as planned, and under a total those with most to gain first") {
  const char* const studies = R"("studies": [{"name": "a", "kernel": "k"},
    {"name": "b", "kernel": "k"}, {"name": "c", "kernel": "k"},
    {"name": "d", "kernel": "k", "priority": 1}])";
  const Plan all = planned(studies);
  CHECK(names_in(all, in_order(all, {})) == Names{"d", "a", "b", "c"});
  const std::map<std::string, LastNight> last = {
      {"a", {"1", 100, 7, 2.0}}, {"b", {"1", 100, 8, 4.0}}, {"d", {"1", 1, 9, 1.0}}};
  const Plan limited = planned(std::string(R"("budget": {"total": "1h"}, )") + studies);
  CHECK(limited.total == 3600.0);
  // Never measured, the larger gap, the smaller one.
  CHECK(names_in(limited, in_order(limited, last)) == Names{"d", "c", "b", "a"});
  CHECK(expected_seconds(all.studies[1], last) == 8.0);
  CHECK(expected_seconds(all.studies[2], last) == 120.0);
}
