// The back end kokkos from the command line, with the Kokkos of this computer where there is one.
#include <catch2/catch.hpp>

#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// True when this computer has a Kokkos; otherwise says so.
bool has_kokkos(const User& user) {
  const Ran list = user.tune({"list", "backends"});
  CHECK(list.code == 0);
  const bool found = list.says("kokkos  yes");
  if (!found) WARN("skipped: " + list.output);
  return found;
}

/// So many configurations, the baseline first, run and agree with the reference. What a study does
/// besides is the same for every back end.
void tunes(const User& user, const std::string& kernel, const std::string& problem,
           const std::string& evaluations) {
  INFO(kernel);
  const Json result =
      user.tuned({"--kernel", kernel, "--backend", "kokkos", "--problem", problem, "--strategy",
                  "random", "--seed", "2", "--budget", evaluations, "--no-staircase",
                  "--no-anchors", "--no-transfer", "--counters", "none"});
  CHECK(result.at("backend") == "kokkos");
  INFO(result.at("trials").dump());
  CHECK(result.at("trials").value("ok", 0) >= std::stoi(evaluations));
}

/// All kernels but triad.
void tunes_all(const User& user, const std::string& evaluations) {
  tunes(user, "euler", "n=20011", evaluations);
  tunes(user, "finite_difference", "n=20011,shift=3", evaluations);
  tunes(user, "diffusion", "n=5003", evaluations);
  tunes(user, "diffusion3d", "nx=33,ny=21,nz=18", evaluations);
  tunes(user, "spmv", "kind=powerlaw,n=10", evaluations);
  tunes(user, "pic_deposit", "nx=9,ny=8,nz=7,per_cell=3,order=2", evaluations);
  tunes(user, "hor_visc", "nx=21,ny=17,nz=6", evaluations);
  tunes(user, "gpp", "nb=6,ngpown=5,ncouls=70,nvband=2", evaluations);
  tunes(user, "lbmhd", "nx=12,ny=10,nz=9", evaluations);
  tunes(user, "snap", "cells=3,twojmax=4", evaluations);
}

/// The library of the study of triad: right beside its reference, and found by a project that adds
/// its folder.
void links_library(const User& user) {
  const Ran exported = user.tune({"export", "--kernel", "triad", "--backend", "kokkos", "--format",
                                  "library", "-o", "lib", "--as-recorded"});
  INFO(exported.output);
  REQUIRE(exported.code == 0);
  user.write("app/CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.24)\nproject(app CXX)\nenable_testing()\n"
             "add_subdirectory(../lib lib)\nadd_executable(app ../lib/test/self_test.cpp)\n"
             "target_compile_features(app PRIVATE cxx_std_20)\n"
             "target_link_libraries(app PRIVATE tuned_triad_kokkos::tuned_triad_kokkos)\n"
             "add_test(NAME v1 COMMAND app v1)\nadd_test(NAME baseline COMMAND app baseline)\n");
  build_project(user, "app", "app.build");
  const std::string tested =
      output_of(user, {"ctest", "--test-dir", "app.build", "--output-on-failure"});
  CHECK(tested.find("100% tests passed, 0 tests failed out of 2") != std::string::npos);
}

}  // namespace

TEST_CASE("triad is tuned with Kokkos, and a project links its library") {
  const User user;
  if (!has_kokkos(user)) return;
  tunes(user, "triad", "n=20011", "3");
  links_library(user);
}

TEST_CASE("rows, tiles, teams and atomics agree with their references with Kokkos") {
  const User user;
  if (!has_kokkos(user)) return;
  tunes(user, "spmv", "kind=powerlaw,n=10", "1");
  tunes(user, "diffusion3d", "nx=33,ny=21,nz=18", "1");
  tunes(user, "pic_deposit", "nx=9,ny=8,nz=7,per_cell=3,order=2", "1");
}

TEST_CASE("the baseline and random configurations of every kernel agree with Kokkos", "[.night]") {
  const User user;
  if (has_kokkos(user)) tunes_all(user, "4");
}

TEST_CASE("a Kokkos that is not there is refused with the cure, and checks skip it visibly") {
  const User user;
  const std::map<std::string, std::string> nowhere{{"ROOFTUNE_KOKKOS", "/no/such/kokkos"}};
  const Ran ran = user.tune({"--kernel", "triad", "--backend", "kokkos", "--budget", "3"}, nowhere);
  CHECK(ran.code == 3);
  CHECK(
      ran.says("ROOFTUNE_KOKKOS=/no/such/kokkos: Kokkos cannot be used: there is no such folder"));
  CHECK(ran.says("hint: install a Kokkos"));
  const Ran check = user.tune({"check", "triad", "--problem", "n=1000"}, nowhere);
  CHECK(check.code == 0);
  CHECK(check.says("kokkos: SKIPPED, Kokkos cannot be used"));
}
