// Which of several exports an application gets: by machine, then by problem.
#include <rooftune/tuned_configurations.h>

#include <catch2/catch.hpp>
#include <vector>

#include "export_files.h"

using namespace rooftune;
using namespace rooftune::testing;
using Catch::Contains;
using Match = TunedConfiguration::Match;

namespace {

TunedConfiguration ask(const TunedConfigurations& all, double n, const char* machine = nullptr) {
  return all.find("triad", {{"n", static_cast<std::int64_t>(n)}, {"layout", "soa"}}, machine);
}

/// The answer to n = 1000 where this is all there is.
struct Only {
  explicit Only(const Json& machine, const char* asked = nullptr) {
    const ExportFolder folder;
    REQUIRE(all.add(folder.write("a.json", exported(machine, size(1000), 4))));
    const TunedConfiguration found = ask(all, 1000, asked);
    match = found.match();
    reason = found.reason();
    unroll = found.integer("unroll", 1);
  }
  TunedConfigurations all;
  Match match;
  std::string reason;
  std::int64_t unroll;
};

/// No knob of it reaches the application.
void check_unused(const Only& only, const std::string& why) {
  INFO(only.reason);
  CHECK(only.match == Match::defaults);
  CHECK(only.unroll == 1);
  CHECK_THAT(only.reason, Contains(why));
}

}  // namespace

TEST_CASE("an application learns the identity that tune probe gives its host") {
  const rooftune_machine& here = this_machine();
  const Json probed = this_host();
  CHECK(probed["id"] == here.id);
  CHECK(probed["class"]["model"] == here.model);
  CHECK(probed["class"]["cores"] == here.cores);
  CHECK(probed["class"]["threads"] == here.threads);
  CHECK(probed["class"]["simd_bits"] == here.simd_bits);
  CHECK(probed["identity"]["features"] == here.features);
  CHECK(probed["identity"]["caches"] == here.caches);
}

TEST_CASE("what was tuned here is exact, named or not, and every type of knob is read") {
  const ExportFolder folder;
  TunedConfigurations all;
  REQUIRE(all.add(folder.write("a.json", exported(this_host(), size(1000), 4))));
  const std::string id = this_machine().id;
  for (const char* machine : {static_cast<const char*>(nullptr), "", "host", id.c_str()}) {
    const TunedConfiguration found = ask(all, 1000, machine);
    CHECK(found.match() == Match::exact);
    CHECK(found.integer("unroll", 0) == 4);
    CHECK(found.truth("nt", false));
    CHECK(std::string(found.text("format", "")) == "csr");
    CHECK(found.real("ratio", 0) == 0.5);
    CHECK(found.real("unroll", 0) == 4);
    CHECK(found.machine() == id);
    CHECK(std::string(found.study()) == "s1");
    CHECK(std::string(found.verdict()) == "2x faster");
    CHECK(std::string(found.reason()).empty());
  }
}

TEST_CASE("a knob that is absent or of another type falls back") {
  const ExportFolder folder;
  TunedConfigurations all;
  all.add(folder.write("a.json", exported(this_host(), size(1000), 4)));
  const TunedConfiguration found = ask(all, 1000);
  CHECK(found.integer("format", 3) == 3);
  CHECK(found.integer("ratio", 3) == 3);
  CHECK(found.integer("absent", 5) == 5);
  CHECK(std::string(found.text("unroll", "x")) == "x");
  CHECK(found.truth("unroll", true));
  CHECK(found.real("nt", 7) == 7);
}

TEST_CASE("all knobs are listed by name") {
  const ExportFolder folder;
  TunedConfigurations all;
  all.add(folder.write("a.json", exported(this_host(), size(1000), 4)));
  const TunedConfiguration found = ask(all, 1000);
  std::string names;
  for (std::size_t i = 0; i < found.size(); ++i) names += std::string(found[i].name) + " ";
  CHECK(names == "format nt ratio unroll ");
  CHECK(std::string(found[0].text) == "csr");
  CHECK(found[1].integer == 1);
  CHECK(found[2].real == 0.5);
  CHECK(found[3].integer == 4);
  CHECK(std::string(found[4].name).empty());
}

TEST_CASE("another machine of this one's class is used, and said so") {
  const Only only(another_host());
  CHECK(only.match == Match::other_machine);
  CHECK(only.unroll == 4);
  CHECK_THAT(only.reason, Contains("another one of this machine's class"));
}

TEST_CASE("a machine of another class is not used, though it is called host as every one is") {
  Json machine = another_host();
  machine["class"]["cores"] = 8 * this_machine().cores;
  check_unused(Only(machine), "cores");
  machine = another_host();
  machine["class"]["simd_bits"] = 2 * this_machine().simd_bits;
  check_unused(Only(machine), "vectors");
  machine = another_host();
  for (auto& [level, bytes] : machine["class"]["caches"].items())
    bytes = 4 * bytes.get<std::int64_t>();
  if (!machine["class"]["caches"].empty()) check_unused(Only(machine), "KiB");
  machine = another_host();
  machine.erase("class");
  check_unused(Only(machine), "export it again");
  machine = another_host();
  machine["class"]["kind"] = "gpu";
  check_unused(Only(machine), "is a GPU");
}

TEST_CASE("what needs an instruction set that is not here is never used, not even by name") {
  Json machine = another_host();
  machine["class"]["features"].push_back("avx1024");
  check_unused(Only(machine), "has avx1024, which this one lacks");
  check_unused(Only(machine, "another"), "has avx1024, which this one lacks");
  // Whatever it says of itself.
  machine["id"] = this_machine().id;
  check_unused(Only(machine), "has avx1024, which this one lacks");
}

TEST_CASE("nodes of a cluster that differ in their names only are one machine") {
  Json machine = this_host();
  machine["id"] = "another";
  machine["identity"]["hostname"] = "node17";
  CHECK(Only(machine).match == Match::exact);
  // Which of two such nodes this is does not matter: the newest study decides.
  const ExportFolder folder;
  folder.write("a.json", exported(this_host(), size(1000), 2, "2026-11-21T10:01:06Z"));
  folder.write("b.json", exported(machine, size(1000), 8, "2026-11-22T10:01:06Z"));
  const TunedConfigurations all(folder.path().c_str());
  CHECK(ask(all, 1000).integer("unroll", 1) == 8);
}

TEST_CASE("a GPU, or any other machine, is asked for by name or id") {
  Json machine{
      {"name", "a100"}, {"id", "4f2a"}, {"class", {{"kind", "gpu"}, {"features", Json::array()}}}};
  CHECK(Only(machine, "a100").match == Match::exact);
  CHECK(Only(machine, "4f2a").match == Match::exact);
  check_unused(Only(machine, "h100"), "no export of the machine that was asked for");
}

TEST_CASE("this machine goes before the nearer problem, its class before others") {
  const ExportFolder folder;
  Json larger = another_host();
  larger["class"]["cores"] = 2 * this_machine().cores;
  TunedConfigurations all;
  all.add(folder.write("a.json", exported(larger, size(1000), 16)));
  CHECK(ask(all, 1000).integer("unroll", 1) == 16);
  all.add(folder.write("b.json", exported(another_host(), size(200), 8)));
  CHECK(ask(all, 1000).integer("unroll", 1) == 8);
  CHECK(ask(all, 1000).match() == Match::other_machine);
  CHECK_THAT(ask(all, 1000).reason(), Contains("for the problem layout=soa n=200"));
  all.add(folder.write("c.json", exported(this_host(), size(9), 2)));
  CHECK(ask(all, 1000).integer("unroll", 1) == 2);
  CHECK(ask(all, 1000).match() == Match::other_problem);
}

TEST_CASE("the nearest problem wins, by ratio and not by difference") {
  const ExportFolder folder;
  TunedConfigurations all;
  all.add(folder.write("a.json", exported(this_host(), size(100), 2)));
  all.add(folder.write("b.json", exported(this_host(), size(10000), 8)));
  const TunedConfiguration found = ask(all, 2000);
  CHECK(found.match() == Match::other_problem);
  CHECK(found.integer("unroll", 0) == 8);
  CHECK_THAT(found.reason(), Contains("n=10000"));
  CHECK(ask(all, 200).integer("unroll", 0) == 2);
  // A text that differs weighs more than any number.
  CHECK(all.find("triad", {{"n", 100}, {"layout", "aos"}}).match() == Match::other_problem);
  all.add(folder.write("c.json", exported(this_host(), {{"n", 1}, {"layout", "aos"}}, 16)));
  CHECK(all.find("triad", {{"n", 100}, {"layout", "aos"}}).integer("unroll", 0) == 16);
}

TEST_CASE("numbers are one number, whatever their type, and what is not asked for fits") {
  const ExportFolder folder;
  TunedConfigurations all;
  all.add(folder.write("a.json", exported(this_host(), {{"n", 1000}, {"s", 3.0}, {"z", 0}}, 2)));
  CHECK(all.find("triad", {{"n", 1000.0}, {"s", 3}, {"z", 0}}).match() == Match::exact);
  CHECK(all.find("triad", {{"n", 1000}}).match() == Match::exact);
  CHECK(all.find("triad", {}).match() == Match::exact);
  CHECK(all.find("triad", {{"n", 1000}, {"z", 1}}).match() == Match::other_problem);
  CHECK(all.find("triad", {{"n", -1000}}).match() == Match::other_problem);
  CHECK(all.find("triad", {{"n", "1000"}}).match() == Match::other_problem);
  // Nobody knows what was meant.
  CHECK(all.find("triad", {{"n", 1000}, {"m", 1}}).match() == Match::defaults);
  // Their logarithms are one double.
  const std::int64_t large = (std::int64_t{1} << 62) + 1;
  all.add(folder.write("b.json", exported(this_host(), {{"n", large}}, 4)));
  CHECK(all.find("triad", {{"n", large}}).match() == Match::exact);
  CHECK(all.find("triad", {{"n", large - 1}}).match() == Match::other_problem);
}

TEST_CASE("exports of a kernel may have other parameters each, and many") {
  const ExportFolder folder;
  TunedConfigurations all;
  Json many = Json::object();
  std::vector<std::string> names;
  for (int i = 0; i < 30; ++i) {
    names.push_back("p" + std::to_string(i));
    many[names.back()] = i + 1;
  }
  all.add(folder.write("a.json", exported(this_host(), many, 2)));
  all.add(folder.write("b.json", exported(this_host(), {{"p0", 1}, {"p1", 2}}, 4)));
  // As long as the two names above, were they one text.
  all.add(folder.write("c.json", exported(this_host(), {{"p0\np1", 1}}, 8)));
  std::vector<ProblemParameter> asked;
  for (const std::string& name : names) asked.emplace_back(name.c_str(), many[name].get<int>());
  const auto found = [&] { return all.find("triad", asked.data(), asked.size()); };
  CHECK(found().match() == Match::exact);
  CHECK(found().integer("unroll", 1) == 2);
  asked.back() = ProblemParameter("p29", 31);
  CHECK(found().match() == Match::other_problem);
  CHECK(all.find("triad", {{"p1", 2}, {"p0", 1}}).integer("unroll", 1) == 4);
  CHECK(all.find("triad", {{"p0\np1", 1}}).integer("unroll", 1) == 8);
}

TEST_CASE("one configuration for several problems fits each, after one that is for it alone") {
  const ExportFolder folder;
  Json several = exported(this_host(), size(1000), 8);
  several["problems"] = {size(1000), size(4000)};
  TunedConfigurations all;
  REQUIRE(all.add(folder.write("a.json", several)));
  REQUIRE(all.add(folder.write("b.json", exported(this_host(), size(4000), 2))));
  CHECK(all.size() == 3);
  CHECK(ask(all, 1000).match() == Match::exact);
  CHECK(ask(all, 1000).integer("unroll", 0) == 8);
  CHECK(ask(all, 4000).integer("unroll", 0) == 2);
  CHECK(ask(all, 1200).match() == Match::other_problem);
  CHECK(ask(all, 1200).integer("unroll", 0) == 8);
}

TEST_CASE("the answer does not depend on names of files or the order of loading") {
  const std::vector<Json> files{exported(this_host(), size(1000), 2),
                                exported(this_host(), size(1000), 4, "2026-11-23T00:00:00Z"),
                                exported(this_host(), size(1000), 8)};
  const auto answer = [&](const std::vector<std::size_t>& order) {
    const ExportFolder folder;
    TunedConfigurations all;
    for (const std::size_t i : order)
      all.add(folder.write(std::to_string(all.size()) + ".json", files[i]));
    return ask(all, 1000).integer("unroll", 0);
  };
  CHECK(answer({0, 1, 2}) == 4);
  CHECK(answer({2, 1, 0}) == 4);
  CHECK(answer({0, 2}) == answer({2, 0}));
}

TEST_CASE("a kernel without exports has the application's own values, with the reason") {
  const TunedConfigurations none;
  const TunedConfiguration found = none.find("triad", {{"n", 1}});
  CHECK(found.match() == Match::defaults);
  CHECK(found.integer("unroll", 3) == 3);
  CHECK(found.size() == 0);
  CHECK_THAT(found.reason(), Contains("no export of this kernel"));
}
