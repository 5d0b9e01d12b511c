#include "runtime/best_configuration.h"

#include <catch2/catch.hpp>

#include "support/scratch_folder.h"

using namespace rooftune;
using Match = TunedConfiguration::Match;

namespace {

/// Files by the names that the library takes.
class Folder : public testing::ScratchFolder {
 public:
  std::string path() const { return ScratchFolder::path().string(); }
  std::string write(const std::string& name, const std::string& text) const {
    return ScratchFolder::write(name, text).string();
  }
};

std::string exported(const std::string& machine, const std::string& id, int n, int unroll) {
  return R"({"schema":"rooftune-export-1","kernel":"triad","machine":{"name":")" + machine +
         R"(","id":")" + id + R"("},"problem":{"n":)" + std::to_string(n) +
         R"(,"layout":"soa"},"configuration":{"unroll":)" + std::to_string(unroll) +
         R"(,"nt":true,"format":"csr","ratio":0.5},"provenance":{"study":"s1"}})";
}

const RuntimeValues defaults{{"unroll", std::int64_t{1}}, {"other", std::int64_t{9}}};

RuntimeValues problem(std::int64_t n) { return {{"n", n}, {"layout", std::string("soa")}}; }

}  // namespace

TEST_CASE("the exact export is found by id or name") {
  const Folder folder;
  TunedConfigurations all;
  REQUIRE(all.add(folder.write("a.json", exported("host", "id1", 1000, 4))));
  for (const char* machine : {"host", "id1", ""}) {
    const TunedConfiguration found = all.find("triad", machine, problem(1000), defaults);
    CHECK(found.match == Match::exact);
    CHECK(found.integer("unroll", 0) == 4);
    CHECK(found.integer("other", 0) == 9);
    CHECK(found.truth("nt", false));
    CHECK(found.text("format", "") == "csr");
    CHECK(found.real("ratio", 0) == 0.5);
    CHECK(found.study == "s1");
    CHECK(found.reason.empty());
  }
}

TEST_CASE("the nearest problem wins, by ratio and not by difference") {
  const Folder folder;
  TunedConfigurations all;
  all.add(folder.write("a.json", exported("host", "id1", 100, 2)));
  all.add(folder.write("b.json", exported("host", "id1", 10000, 8)));
  const TunedConfiguration found = all.find("triad", "host", problem(2000), defaults);
  CHECK(found.match == Match::other_problem);
  CHECK(found.integer("unroll", 0) == 8);
  CHECK_FALSE(found.reason.empty());
  CHECK(all.find("triad", "host", problem(200), defaults).integer("unroll", 0) == 2);
}

TEST_CASE("this machine's export beats a nearer problem of another machine") {
  const Folder folder;
  TunedConfigurations all;
  all.add(folder.write("a.json", exported("other", "id2", 1000, 16)));
  all.add(folder.write("b.json", exported("host", "id1", 9, 2)));
  CHECK(all.find("triad", "id1", problem(1000), defaults).integer("unroll", 0) == 2);
  const TunedConfiguration foreign = all.find("triad", "third", problem(1000), defaults);
  CHECK(foreign.match == Match::other_machine);
  CHECK(foreign.integer("unroll", 0) == 16);
}

TEST_CASE("a text that differs weighs more than any number") {
  const Folder folder;
  TunedConfigurations all;
  all.add(folder.write("a.json", exported("host", "id1", 1000, 4)));
  RuntimeValues wanted = problem(1000);
  wanted["layout"] = std::string("aos");
  CHECK(all.find("triad", "host", wanted, defaults).match == Match::other_problem);
}

TEST_CASE("no export: the defaults, with the reason") {
  const TunedConfigurations none;
  const TunedConfiguration found = none.find("triad", "host", {}, defaults);
  CHECK(found.match == Match::defaults);
  CHECK(found.values == defaults);
  CHECK_FALSE(found.reason.empty());
}

TEST_CASE("values of another type fall back") {
  const Folder folder;
  TunedConfigurations all;
  all.add(folder.write("a.json", exported("host", "id1", 1000, 4)));
  const TunedConfiguration found = all.find("triad", "host", problem(1000), defaults);
  CHECK(found.integer("format", 3) == 3);
  CHECK(found.text("unroll", "x") == "x");
  CHECK(found.truth("unroll", true));
  CHECK(found.integer("absent", 5) == 5);
  CHECK(found.real("unroll", 0) == 4);
}

TEST_CASE("broken files are told and left out, good ones stay") {
  const Folder folder;
  folder.write("a.json", "{ not json");
  folder.write("b.json", "[1, 2]");
  folder.write("c.json",
               R"({"schema":"rooftune-export-1","kernel":7,"machine":3,"configuration":[1]})");
  folder.write("d.json", R"({"schema":"something-else"})");
  folder.write("e.json", exported("host", "id1", 10, 4));
  folder.write("f.txt", "not looked at");
  TunedConfigurations all;
  CHECK_FALSE(all.add(folder.path()));
  CHECK(all.faults().size() == 4);
  CHECK(all.size() == 1);
  CHECK_FALSE(all.add(folder.path() + "/absent.json"));
  CHECK(all.faults().size() == 5);
}

TEST_CASE("one configuration for several problems fits each, after one that is for it alone") {
  const Folder folder;
  std::string several = exported("host", "id1", 1000, 8);
  several.pop_back();
  several += R"(,"problems":[{"n":1000,"layout":"soa"},{"n":4000,"layout":"soa"}]})";
  TunedConfigurations all;
  REQUIRE(all.add(folder.write("a_several.json", several)));
  REQUIRE(all.add(folder.write("b_alone.json", exported("host", "id1", 4000, 2))));
  CHECK(all.find("triad", "host", problem(1000), defaults).match == Match::exact);
  CHECK(all.find("triad", "host", problem(1000), defaults).integer("unroll", 0) == 8);
  CHECK(all.find("triad", "host", problem(4000), defaults).integer("unroll", 0) == 2);
  CHECK(all.find("triad", "host", problem(1200), defaults).match == Match::other_problem);
  CHECK(all.find("triad", "host", problem(1200), defaults).integer("unroll", 0) == 8);
}
