// tune bench: the best on record against the untuned form and other codes.
#include <fmt/format.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// A kernel of the user's own with a peer that is right, one that is wrong, one that is missing,
/// and a program.
void write_peers(const User& user) {
  user.write("mine/kernel.json", R"({
    "schema": "rooftune-kernel-1", "name": "mine", "title": "y = 2 x",
    "parameters": [{"name": "n", "type": "integer", "default": 5000}],
    "arguments": [{"name": "n", "type": "int64", "value": "n"},
                  {"name": "x", "type": "double*", "count": "n", "access": "read",
                   "fill": {"kind": "uniform", "low": 0, "high": 1, "seed": 1}},
                  {"name": "y", "type": "double*", "count": "n", "access": "write"}],
    "work": {"least": {"fp64": "n"}, "items": "n", "item": "element"},
    "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
    "tolerance": {"relative": 1e-13, "scale": "max"},
    "reference": "reference.cpp", "backends": {"openmp": {"source": "openmp.cpp"}}})");
  const std::string signature = "void mine(std::int64_t n, const double* x, double* y) ";
  const std::string head = "#include <cstdint>\n";
  for (const char* file : {"reference", "openmp", "right"})
    user.write(std::string("mine/") + file + ".cpp",
               head + signature + "{ for (std::int64_t i = 0; i < n; ++i) y[i] = 2 * x[i]; }\n");
  user.write("mine/wrong.cpp",
             head + signature + "{ for (std::int64_t i = 0; i < n; ++i) y[i] = 3 * x[i]; }\n");
  user.write("mine/missing.cpp", "#include <no_such_library.h>\n");
  user.write("mine/mine.openmp.json", R"({
    "schema": "rooftune-space-1", "kernel": "mine", "backend": "openmp",
    "knobs": [{"name": "unroll", "kind": "compile", "values": [1, 2], "default": 1,
               "breaks": ["ilp"], "doc": "nothing"}], "constraints": []})");
  user.write("mine/peers.json", R"({"schema": "rooftune-peers-1", "peers": [
    {"name": "right", "title": "right", "source": "right.cpp", "cure": "-"},
    {"name": "wrong", "title": "wrong", "source": "wrong.cpp", "cure": "-"},
    {"name": "other", "title": "other", "source": "right.cpp", "when": "n < 10", "cure": "-"},
    {"name": "missing", "title": "missing", "source": "missing.cpp", "cure": "install it"},
    {"name": "card", "title": "card", "backend": "cuda", "source": "right.cpp", "cure": "-"},
    {"name": "printer", "title": "a program", "program": "printer", "arguments": ["=n"],
     "pattern": "took ([0-9.]+) ms", "seconds": "value*1e-3", "cure": "write it"}]})");
  user.write("printer", "#!/bin/sh\necho \"n $1 took 5.5 ms\"\n");
  chmod(user.path("printer").c_str(), 0755);
}

}  // namespace

TEST_CASE("the best on record is compared with the baseline and every peer that runs") {
  const User user;
  write_peers(user);
  user.tuned({"--kernel", "./mine", "--budget", "2"});
  const std::map<std::string, std::string> printer{
      {"ROOFTUNE_PEER_PRINTER", user.path("printer").string()}};
  const Ran ran =
      user.tune({"bench", "--kernel", "./mine", "--rounds", "8", "--json", "b.json"}, printer);
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  const Json json = read_json(user.path("b.json"));
  CHECK(json.at("schema") == "rooftune-bench-1");
  std::map<std::string, Json> rows;
  for (const Json& row : json.at("competitors")) rows[row.at("name")] = row;
  CHECK(rows.at("best").at("ratio").at("value") == 1);
  for (const char* name : {"baseline", "right"}) {
    CHECK(rows.at(name).at("absent") == "");
    CHECK(rows.at(name).at("seconds").at("value").get<double>() > 0);
    CHECK(rows.at(name).at("ratio").at("low").get<double>() <=
          rows.at(name).at("ratio").at("high").get<double>());
  }
  CHECK(rows.at("printer").at("seconds").at("value").get<double>() == Approx(5.5e-3));
  CHECK(rows.at("wrong").at("absent").get<std::string>().find("wrong_result") == 0);
  CHECK(rows.at("missing").at("absent").get<std::string>().find("build_failed") == 0);
  CHECK(ran.says("not compared: wrong_result"));
  CHECK_THAT(rows.at("missing").at("absent").get<std::string>(), Catch::EndsWith("; install it"));
  // Who asks for one of another kind of machine is told.
  CHECK(rows.count("card") == 0);
  CHECK(user.tune({"bench", "--kernel", "./mine", "--rounds", "6", "--peers", "card"})
            .says("card: not compared: it runs on a GPU, which"));
  CHECK(rows.at("other").at("absent") == "it is for problems with n < 10");
}

TEST_CASE("without a study of that problem there is nothing to compare") {
  const User user;
  write_peers(user);
  user.tuned({"--kernel", "./mine", "--budget", "1"});
  const Ran ran = user.tune({"bench", "--kernel", "./mine", "--problem", "n=77"});
  CHECK(ran.code == 2);
  CHECK(ran.says("no study of kernel mine with this problem"));
  CHECK(ran.says("tune first: tune --kernel ./mine --backend openmp --problem n=77"));
}

namespace {

/// Of the value 99 of its knob the kernel does a hundred times the work; `times` as often of all.
void write_wasteful(const User& user, int times) {
  user.write(
      "mine/openmp.cpp",
      fmt::format("#include <cstdint>\nvoid mine(std::int64_t n, const double* x, double* y) "
                  "{{\n  for (int k = 0; k < {} * KNOB_WASTE; ++k)\n    for (std::int64_t i "
                  "= 0; i < n; ++i) {{\n      y[i] = 2 * x[i];\n      asm volatile(\"\" ::: "
                  "\"memory\");\n    }}\n}}\n",
                  times));
}

}  // namespace

TEST_CASE("bench, exports and baselines choose the best study of today's sources, not the newest") {
  const User user;
  write_peers(user);
  write_wasteful(user, 1);
  user.write("mine/mine.openmp.json", R"({
    "schema": "rooftune-space-1", "kernel": "mine", "backend": "openmp",
    "knobs": [{"name": "waste", "kind": "compile", "values": [99, 1], "default": 99,
               "breaks": ["ilp"], "doc": "how often"}], "constraints": []})");
  const auto tune_all = [&] {
    return user.tuned({"--kernel", "./mine", "--budget", "2", "--strategy", "exhaustive"})
        .at("study")
        .at("id")
        .get<std::string>();
  };
  const auto exported = [&](const std::string& study) {
    const Ran ran = user.tune(
        {"export", "--kernel", "./mine", "--format", "json", "-o", "best.json", "--as-recorded"});
    INFO(ran.output);
    REQUIRE(ran.code == 0);
    CHECK(read_json(user.path("best.json")).at("provenance").at("study") == study);
    return ran;
  };
  const std::string fast = tune_all();
  user.tuned({"--kernel", "./mine", "--budget", "1", "--seed", "2"});
  CHECK_FALSE(exported(fast).says("older sources"));
  const auto bench = [&] {
    const Ran ran = user.tune(
        {"bench", "--kernel", "./mine", "--rounds", "6", "--peers", "right", "--json", "b.json"});
    INFO(ran.output);
    REQUIRE(ran.code == 0);
    return read_json(user.path("b.json")).at("competitors").front().at("title").get<std::string>();
  };
  CHECK(bench().find(fast) != std::string::npos);

  write_wasteful(user, 8);
  const Ran old = exported(fast);
  CHECK(old.says("is of older sources, and none of today's fits"));
  CHECK(old.says("source openmp.cpp"));
  const std::string slow = tune_all();
  CHECK(exported(slow).says("study " + fast.substr(0, 8) + " of older sources was faster"));
  CHECK(bench().find(slow) != std::string::npos);
  CHECK(user.tune({"baseline", "accept", "--kernel", "./mine", "--why", "today's"})
            .says("accepted study " + slow));
}

TEST_CASE("trials run again beside the best, and show their source") {
  const User user;
  write_peers(user);
  const Json tuned = user.tuned({"--kernel", "./mine", "--budget", "2"});
  const std::string id = tuned.at("study").at("id");
  const Ran ran = user.tune({"bench", "--study", id, "--trial", "1", "--set", "unroll=2",
                             "--rounds", "6", "--json", "b.json"});
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  std::vector<std::string> names;
  const Json compared = read_json(user.path("b.json"));
  for (const Json& row : compared.at("competitors")) {
    names.push_back(row.at("name"));
    CHECK(row.at("seconds").at("value").get<double>() > 0);
  }
  CHECK(names == std::vector<std::string>{"best", "baseline", "trial 1", "unroll=2"});
  const Ran knob = user.tune({"bench", "--study", id, "--set", "unrol=2"});
  CHECK(knob.code == 2);
  CHECK(knob.says("did you mean \"unroll\"?"));
  CHECK(user.tune({"bench", "--study", id, "--set", "unroll=3"}).says("no value 3"));
  const Ran source = user.tune({"explain", "1", "--study", id, "--source"});
  CHECK(source.says("2 * x[i]"));
  CHECK(!source.says("KNOB_"));
  CHECK(user.tune({"explain", "baseline", "--study", id, "--diff"}).output.empty());
  user.write("mine/kernel.json", read_text(user.path("mine/kernel.json")) + "\n");
  CHECK(!user.tune({"explain", "1", "--study", id, "--source"}).says("changed since"));
  user.write("mine/openmp.cpp", read_text(user.path("mine/openmp.cpp")) + "// changed\n");
  const Ran later = user.tune({"explain", "1", "--study", id, "--source"});
  INFO(later.output);
  CHECK(later.says("changed since the study: openmp.cpp"));
}
