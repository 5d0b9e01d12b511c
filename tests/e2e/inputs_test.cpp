// One configuration for several inputs, from the command line to records, page, export and back.
#include <rooftune/tuned_configurations.h>

#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// One thread: on a busy machine two would wait for each other longer than these inputs take.
std::vector<std::string> two_sizes(const std::string& budget,
                                   const std::vector<std::string>& more = {}) {
  std::vector<std::string> all{"--kernel", "triad",     "--problem", "n=2000",   "--problem",
                               "n=9000",   "--threads", "1",         "--budget", budget};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

TEST_CASE("one configuration is tuned for several inputs") {
  const User user;
  const Json result = user.tuned(two_sizes("4", {"--no-staircase"}));
  const Json& inputs = result.at("inputs");
  CHECK(inputs.at("objective") == "mean");
  REQUIRE(inputs.at("inputs").size() == 2);
  double product = 1;
  for (const Json& input : inputs.at("inputs")) {
    const double gap = input.at("best").at("gap").at("value"),
                 bound = input.at("bound").at("seconds");
    CHECK(input.at("best").at("seconds").at("value").get<double>() == Approx(gap * bound));
    CHECK_FALSE(input.at("baseline").at("seconds").is_null());
    product *= gap;
  }
  CHECK(inputs.at("gap").at("value").get<double>() == Approx(std::sqrt(product)));
  CHECK(result.at("headline").get<std::string>().find("over 2 inputs") != std::string::npos);
  // The rest is about the input that is shown.
  const std::size_t shown = inputs.at("shown").get<std::size_t>() - 1;
  CHECK(result.at("problem") == inputs.at("inputs")[shown].at("problem"));
  CHECK(result.at("best").at("gap").at("total") ==
        inputs.at("inputs")[shown].at("best").at("gap").at("value"));
#if defined(__x86_64__)
  CHECK_FALSE(result.at("best").at("counts").is_null());
#endif

  // The same command measures nothing again.
  const Json again = user.tuned(two_sizes("4", {"--no-staircase"}));
  CHECK(again.at("study").at("id") == result.at("study").at("id"));
  CHECK(again.at("inputs") == inputs);

  for (const char* number : {"1", "2"}) {
    const Ran report =
        user.tune({"report", "--kernel", "triad", "--input", number, "-o", "page.html"});
    CHECK(report.code == 0);
    CHECK(report.says(std::string("What follows is input ") + number));
    CHECK(read_text(user.path("page.html")).find("The inputs") != std::string::npos);
    CHECK(user.tune({"explain", "--kernel", "triad", "--input", number, "best"})
              .says("no code is faster than "));
  }
  CHECK(user.tune({"report", "--kernel", "triad", "--input", "3"}).code == 2);
  CHECK(user.tune({"explain", "--kernel", "triad"}).says("objective"));

  REQUIRE(user.tune({"export", "--kernel", "triad", "--problem", "n=9000", "--problem", "n=2000",
                     "--format", "json", "-o", "best.json", "--as-recorded"})
              .code == 0);
  CHECK(user.tune({"export", "--kernel", "triad", "--problem", "n=9000"}).code == 2);
  CHECK(user.tune({"export", "--kernel", "triad", "--format", "json", "--as-recorded"})
            .says("\"n\": 9000"));
  CHECK(user.tune({"export", "--kernel", "triad", "--format", "t4", "--as-recorded"}).code == 0);
  TunedConfigurations tuned;
  REQUIRE(tuned.add(user.path("best.json").string()));
  for (const std::int64_t n : {2000, 9000})
    CHECK(tuned.find("triad", {{"n", n}}, "imagined").match() == TunedConfiguration::Match::exact);
  CHECK(tuned.find("triad", {{"n", 5000}}, "imagined").match() ==
        TunedConfiguration::Match::other_problem);
}

TEST_CASE("the largest gap is another objective, and another study") {
  const User user;
  const Json result = user.tuned(
      two_sizes("2", {"--objective", "minimax", "--no-staircase", "--counters", "none"}));
  double largest = 0;
  for (const Json& input : result.at("inputs").at("inputs"))
    largest = std::max(largest, input.at("best").at("gap").at("value").get<double>());
  CHECK(result.at("inputs").at("gap").at("value").get<double>() == Approx(largest));
  const Ran mean = user.tune(two_sizes("2", {"--dry-run"}));
  CHECK(mean.says(", study "));
  CHECK_FALSE(mean.says(result.at("study").at("id").get<std::string>()));
}

TEST_CASE("inputs that cannot be tuned together are refused with the cure") {
  const User user;
  const auto refused = [&](const std::vector<std::string>& more, const std::string& text) {
    std::vector<std::string> all{"--kernel", "triad", "--budget", "2"};
    all.insert(all.end(), more.begin(), more.end());
    const Ran ran = user.tune(all);
    CHECK(ran.code == 2);
    CHECK(ran.says(text));
  };
  refused({"--problem", "n=2000", "--problem", "n=2e3"}, "is the same input as number 1");
  refused({"--problem", "n=2000", "--objective", "minimax"}, "there is one input");
  refused({"--problem", "n=2000", "--problem", "n=3000", "--path", "published"}, "--path");
  refused({"--problem", "n=2000", "--problem", "n=3000", "--objective", "median"}, "--objective");
  refused({"--problem", "n=2000", "--problem", "m=3000"}, "do not set the same parameters");
  CHECK(user.tune({"--kernel", "diffusion", "--problem", "n=2000", "--problem", "steps=4"})
            .says("write all parameters of an input in one"));
}

TEST_CASE("inputs with different spaces are tuned over what all of them allow") {
  const User user;
  const auto size = [&](const std::vector<std::string>& inputs) {
    std::vector<std::string> all{"--kernel", "diffusion", "--dry-run"};
    for (const std::string& input : inputs) all.insert(all.end(), {"--problem", input});
    const Ran ran = user.tune(all);
    REQUIRE(ran.code == 0);
    const std::string space = "space: ";
    return std::stoull(ran.output.substr(ran.output.find(space) + space.size()));
  };
  // Time blocks longer than the steps of one input are no longer there for the other either.
  const std::uint64_t few = size({"n=2000,steps=4"}), many = size({"n=2000,steps=64"});
  CHECK(few < many);
  CHECK(size({"n=2000,steps=64", "n=2000,steps=4"}) == few);
  CHECK(size({"n=2000,steps=4", "n=2000,steps=64"}) == few);
}

TEST_CASE("spmv is tuned for two matrices") {
  const User user;
  user.write("a.mtx",
             "%%MatrixMarket matrix coordinate real symmetric\n4 4 6\n"
             "1 1 4.0\n2 1 -1\n2 2 4\n3 3 4\n4 3 -1e0\n4 4 4\n");
  user.write(
      "b.mtx",
      "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 4.0\n2 1 -1\n2 2 4\n3 3 4\n");
  const Json result =
      user.tuned({"--kernel", "spmv", "--problem", "matrix=a.mtx", "--problem", "matrix=b.mtx",
                  "--budget", "2", "--counters", "none", "--no-staircase"});
  CHECK(result.at("inputs").at("inputs").size() == 2);
  CHECK(result.at("inputs").at("gap").at("value").get<double>() > 0);
}
