// What an application survives: files of any kind, threads side by side, no memory in a look-up.
#include <rooftune/tuned_configurations.h>
#include <sys/stat.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>
#include <thread>

#include "export_files.h"
#include "support/environment_variable.h"

using namespace rooftune;
using namespace rooftune::testing;
using Catch::Contains;
using Match = TunedConfiguration::Match;

namespace {
/// This thread's count; the library's own allocations come through here as well.
thread_local std::size_t allocations = 0;
}  // namespace

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes ? bytes : 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("a look-up allocates nothing") {
  const ExportFolder folder;
  for (int n = 1; n < 20; ++n)
    folder.write(std::to_string(n) + ".json",
                 exported(n % 2 ? this_host() : another_host(), size(100 * n), n));
  const std::size_t at_start = allocations;
  const TunedConfigurations all(folder.path().c_str());
  REQUIRE(allocations > at_start);
  const std::string name(100, 'x');
  const std::size_t before = allocations;
  for (const char* machine : {"", "another", "nobody"}) {
    const TunedConfiguration found =
        all.find("triad", {{"n", 750}, {"layout", name}, {name.c_str(), 1.5}}, machine);
    all.find("nothing", {}, machine).integer("unroll", 1);
    found.integer("unroll", 1);
    found.text("format", "");
    found.text(name.c_str(), "");
    for (std::size_t i = 0; i < found.size(); ++i) found[i];
    to_text(found.match());
  }
  CHECK(allocations == before);
}

TEST_CASE("a file of many problems and knobs holds each of them once") {
  const ExportFolder folder;
  Json many = exported(this_host(), size(10), 4);
  for (int i = 0; i < 500; ++i) {
    many["configuration"]["a knob with a long name, number " + std::to_string(i)] = i;
    many["problems"].push_back({{"n", i}});
  }
  const std::string file = folder.write("a.json", many);
  TunedConfigurations all;
  const std::size_t before = allocations;
  REQUIRE(all.add(file));
  // A copy of the knobs for each problem would take 500 times 500.
  CHECK(allocations - before < 100'000);
  CHECK(all.size() == 500);
}

TEST_CASE("broken files are told and left out, good ones stay") {
  const ExportFolder folder;
  folder.write("a.json", std::string("{ not json"));
  folder.write("b.json", std::string("[1, 2]"));
  folder.write("c.json", Json{{"schema", "rooftune-export-1"}, {"kernel", 7}, {"machine", 3}});
  folder.write("d.json", Json{{"schema", "something-else"}});
  folder.write("e.json", exported(this_host(), size(10), 4));
  folder.write("f.txt", std::string("not looked at"));
  folder.write("g.json", std::string());
  Json newer = exported(this_host(), size(10), 8);
  newer["schema"] = "rooftune-export-2";
  folder.write("h.json", newer);
  REQUIRE(mkfifo((folder.path() + "/i.json").c_str(), 0600) == 0);
  std::filesystem::create_directory(folder.path() + "/j.json");
  std::filesystem::create_symlink("nowhere", folder.path() + "/k.json");
  std::filesystem::create_symlink("/dev/zero", folder.path() + "/l.json");
  TunedConfigurations all;
  CHECK_FALSE(all.add(folder.path()));
  CHECK(all.faults().size() == 10);
  CHECK(all.size() == 1);
  CHECK_FALSE(all.add(folder.path() + "/absent.json"));
  CHECK(all.faults().size() == 11);
  bool told = false;
  for (const std::string& fault : all.faults()) {
    CHECK_THAT(fault, Contains(folder.path()));
    told = told || fault.find("rooftune-export-2, this library reads rooftune-export-1") !=
                       std::string::npos;
  }
  CHECK(told);
  CHECK(std::string(rooftune_fault(nullptr, 0)).empty());
}

TEST_CASE("an export that was cut off anywhere leaves the application its own values") {
  const ExportFolder folder;
  const std::string text = exported(this_host(), size(10), 4).dump();
  TunedConfigurations all;
  for (std::size_t length = 0; length < text.size(); length += 7)
    CHECK_FALSE(all.add(folder.write("a.json", text.substr(0, length))));
  CHECK(all.size() == 0);
  CHECK(all.find("triad", {{"n", 10}}).match() == Match::defaults);
}

TEST_CASE("members of wrong types are as good as absent") {
  const ExportFolder folder;
  const Json good = exported(this_host(), size(10), 4);
  for (const char* place : {"/machine", "/machine/class", "/machine/class/features",
                            "/machine/class/cores", "/machine/class/caches", "/machine/identity",
                            "/problem", "/configuration", "/provenance", "/provenance/date"})
    for (const Json& damage : {Json(), Json(-1), Json(1e308), Json("x"), Json::array({1, {}}),
                               Json::object({{"x", {1}}})}) {
      INFO(place << " " << damage.dump());
      Json bad = good;
      bad[Json::json_pointer(place)] = damage;
      TunedConfigurations all;
      all.add(folder.write("a.json", bad));
      const TunedConfiguration found = all.find("triad", {{"n", 10}});
      CHECK((found.match() == Match::exact) == std::string(found.reason()).empty());
      CHECK((found.match() == Match::defaults) == (found.size() == 0));
    }
}

TEST_CASE("ROOFTUNE_EXPORTS names files and folders") {
  const ExportFolder one, other;
  one.write("a.json", exported(this_host(), size(10), 4));
  const std::string file = other.write("b.txt", exported(this_host(), size(1000), 8));
  {
    const EnvironmentVariable variable("ROOFTUNE_EXPORTS", one.path() + "::" + file);
    const TunedConfigurations all(nullptr);
    CHECK(all.size() == 2);
    CHECK(all.faults().empty());
    CHECK(all.find("triad", {{"n", 1000}}).integer("unroll", 1) == 8);
  }
  const EnvironmentVariable variable("ROOFTUNE_EXPORTS", "");
  const TunedConfigurations none(nullptr);
  REQUIRE(none.faults().size() == 1);
  CHECK_THAT(none.faults()[0], Contains("ROOFTUNE_EXPORTS is not set"));
}

TEST_CASE("the C interface takes NULL for everything") {
  CHECK(rooftune_add(nullptr, "x") == 0);
  CHECK(rooftune_count(nullptr) == 0);
  CHECK(rooftune_fault_count(nullptr) == 0);
  rooftune_free(nullptr);
  const rooftune_answer nothing = rooftune_look_up(nullptr, nullptr, nullptr, nullptr, 7);
  CHECK(nothing.match == ROOFTUNE_DEFAULTS);
  CHECK(rooftune_knob_integer(&nothing, nullptr, 3) == 3);
  CHECK(rooftune_knob_integer(nullptr, "x", 3) == 3);
  CHECK(rooftune_knob_text(nullptr, nullptr, nullptr) == nullptr);
  CHECK(rooftune_knob_count(nullptr) == 0);
  const ExportFolder folder;
  TunedConfigurations all;
  all.add(folder.write("a.json", exported(this_host(), size(10), 4)));
  const rooftune_value empty[] = {{nullptr, ROOFTUNE_TEXT, 0, 0, nullptr},
                                  {"layout", ROOFTUNE_TEXT, 0, 0, nullptr},
                                  {"n", 99, 0, 0, nullptr}};
  rooftune_exports* const exports = rooftune_load((folder.path() + "/a.json").c_str());
  CHECK(rooftune_look_up(exports, "triad", nullptr, empty, 3).match == ROOFTUNE_DEFAULTS);
  rooftune_free(exports);
}

TEST_CASE("what is loaded twice is there once") {
  const ExportFolder folder;
  folder.write("a.json", exported(this_host(), size(10), 4));
  TunedConfigurations all(folder.path().c_str());
  all.add(folder.path());
  all.add(folder.write("copy.json", exported(this_host(), size(10), 4)));
  CHECK(all.size() == 1);
}

TEST_CASE("a reload takes what is there: an older file put back, and nothing that was withdrawn") {
  const ExportFolder folder;
  const Json older = exported(this_host(), size(10), 4, "2026-11-21T10:00:00Z");
  folder.write("a.json", older);
  folder.write("b.json", exported(this_host(), size(1000), 16));
  TunedConfigurations all(folder.path().c_str());
  folder.write("a.json", exported(this_host(), size(10), 8, "2026-11-22T10:00:00Z"));
  REQUIRE(all.reload(folder.path().c_str()));
  const TunedConfiguration newer = all.find("triad", {{"n", 10}});
  CHECK(newer.integer("unroll", 1) == 8);
  // Adding keeps the newest, whatever the files say now.
  folder.write("a.json", older);
  all.add(folder.path());
  CHECK(all.find("triad", {{"n", 10}}).integer("unroll", 1) == 8);
  REQUIRE(all.reload(folder.path().c_str()));
  CHECK(all.find("triad", {{"n", 10}}).integer("unroll", 1) == 4);
  CHECK(all.size() == 2);
  CHECK(newer.integer("unroll", 1) == 8);

  std::filesystem::remove(folder.path() + "/b.json");
  folder.write("a.json", std::string("{"));
  CHECK_FALSE(all.reload(folder.path().c_str()));
  CHECK(all.size() == 0);
  CHECK(all.faults().size() == 1);
  CHECK_FALSE(all.reload("/nowhere"));
  folder.write("a.json", older);
  const EnvironmentVariable variable("ROOFTUNE_EXPORTS", folder.path());
  CHECK(all.reload());
  CHECK(all.find("triad", {{"n", 10}}).match() == Match::exact);
  CHECK(all.reload(""));
  CHECK(all.size() == 0);
  CHECK(rooftune_reload(nullptr, "x") == 0);
}

TEST_CASE("a reload of unchanged files takes no memory for ever") {
  const ExportFolder folder;
  for (int n = 1; n < 20; ++n)
    folder.write(std::to_string(n) + ".json", exported(this_host(), size(100 * n), n));
  TunedConfigurations all(folder.path().c_str());
  const TunedConfiguration before = all.find("triad", {{"n", 300}});
  const void* const name = before[0].name;
  REQUIRE(all.reload(folder.path().c_str()));
  CHECK(all.find("triad", {{"n", 300}})[0].name == name);
}

TEST_CASE("a value that the search space did not allow is no configuration") {
  const ExportFolder folder;
  Json edited = exported(this_host(), size(10), 99999);
  edited["knobs"] = {{"unroll", {{"kind", "compile"}, {"values", {1, 2, 4}}}},
                     {"nt", {{"values", {false, true}}}},
                     {"format", {{"values", {"csr", "sell"}}}},
                     {"ratio", {{"values", "any"}}}};
  TunedConfigurations all;
  CHECK_FALSE(all.add(folder.write("a.json", edited)));
  REQUIRE(all.faults().size() == 1);
  CHECK_THAT(all.faults()[0],
             Contains("a.json: unroll = 99999 is none of the values") && Contains("[1,2,4]"));
  CHECK(all.find("triad", {{"n", 10}}).integer("unroll", 1) == 1);
  for (const Json& text : {Json("CSR"), Json(1), Json()}) {
    edited["configuration"] = {{"unroll", 2}, {"format", text}};
    CHECK_FALSE(all.add(folder.write("a.json", edited)));
  }
  edited["configuration"] = {{"unroll", 2}, {"format", "sell"}, {"ratio", 7}, {"other", 7}};
  CHECK(all.add(folder.write("a.json", edited)));
  CHECK(all.find("triad", {{"n", 10}}).integer("unroll", 1) == 2);
}

TEST_CASE("threads load and look up side by side") {
  const ExportFolder one, other;
  constexpr int files = 20;
  for (int n = 1; n <= files; ++n) {
    one.write(std::to_string(n) + ".json", exported(this_host(), size(n), n));
    other.write(std::to_string(n) + ".json", exported(this_host(), size(1000 * n), 1000 * n));
  }
  TunedConfigurations all;
  std::atomic<bool> wrong = false, loaded = false;
  const auto load = [&](const ExportFolder& folder) {
    return [&] {
      for (int n = 1; n <= files; ++n)
        if (!all.add(folder.path() + "/" + std::to_string(n) + ".json")) wrong = true;
    };
  };
  const auto ask = [&] {
    std::vector<TunedConfiguration> answers;
    while (!loaded) {
      answers.push_back(all.find("triad", {{"n", 3}}));
      // An exact answer has the knob of its problem, whoever loads meanwhile; old answers stay.
      for (const TunedConfiguration& answer : answers)
        if (answer.match() == Match::exact && answer.integer("unroll", 0) != 3) wrong = true;
      if (answers.size() > 100) answers.erase(answers.begin());
      all.faults();
      this_machine();
    }
  };
  std::thread asking(ask), asking_too(ask), first(load(one)), second(load(other));
  first.join();
  second.join();
  loaded = true;
  asking.join();
  asking_too.join();
  CHECK_FALSE(wrong);
  CHECK(all.size() == 2 * files);
  CHECK(all.find("triad", {{"n", 5000}}).integer("unroll", 0) == 5000);
}
