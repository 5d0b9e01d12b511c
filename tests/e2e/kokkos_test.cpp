// The back end kokkos from the command line, with the Kokkos of this computer where there is one.
#include <catch2/catch.hpp>

#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("a kernel is tuned with Kokkos, one process per configuration") {
  const User user;
  const Ran list = user.tune({"list", "backends"});
  CHECK(list.code == 0);
  if (!list.says("kokkos  yes")) {
    WARN("skipped: " + list.output);
    return;
  }
  const Json result = user.tuned(
      {"--kernel", "triad", "--backend", "kokkos", "--problem", "n=20000", "--budget", "4"});
  CHECK(result.at("backend") == "kokkos");
  CHECK(result.at("trials").value("ok", 0) == 4);
  CHECK(result.at("best").at("configuration").contains("policy"));
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
