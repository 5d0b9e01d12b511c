// The connector beside what plays a Kokkos with tuning (Debian's has none), and a study of such an
// application from outside.
#include <rooftune/rooftune.h>

#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

struct Played {
  bool ok = false;
  std::string output;
  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
};

Played play(const User& user, std::vector<std::string> words,
            std::map<std::string, std::string> environment, const char* program = FAKE_KOKKOS) {
  Command command;
  words.insert(words.begin(), program);
  command.argv = std::move(words);
  command.environment = std::move(environment);
  command.environment["KOKKOS_TOOLS_LIBS"] = ROOFTUNE_KOKKOS_CONNECTOR;
  command.directory = user.path("");
  const Finished finished = execute(command);
  return {finished.status.ok(), finished.output};
}

void write_export(const User& user, const std::string& file, const std::string& kernel,
                  const Json& knobs) {
  user.write(file, Json{{"schema", "rooftune-export-1"},
                        {"kernel", kernel},
                        {"machine", {{"name", "host"}, {"id", rooftune_this_machine()->id}}},
                        {"problem", Json::object()},
                        {"configuration", knobs},
                        {"provenance", {{"study", kernel}, {"date", "2026-11-01T00:00:00Z"}}}}
                       .dump());
}

}  // namespace

TEST_CASE("an application gets exported sizes by label, and its own where nothing is exported") {
  const User user;
  write_export(
      user, "tuned/app.json", "fake_kokkos",
      {{"inner_product_team_size", 2}, {"sweep_tile_size_0", 64}, {"sweep_tile_size_1", 8}});
  const Played played = play(
      user, {"5.1.0", "team:inner product", "team:other", "tiles:sweep", "tiles:rest", "own:many"},
      {{"ROOFTUNE_EXPORTS", "tuned"}});
  INFO(played.output);
  CHECK(played.ok);
  CHECK(played.says("inner product: team of 2\ninner product: team of 2\n"));
  CHECK(played.says("other: team of 1, its own\nother: team of 1, its own\n"));
  CHECK(played.says("sweep: tile 64x8, sum right"));
  CHECK(played.says("rest: tile 2x2, its own, sum right"));
  CHECK(played.says("many: 3\n"));
  CHECK(played.says("tuned values for 2 of 4 kernels"));
  CHECK_FALSE(played.says("undeclared"));
}

TEST_CASE("no application gets a size that is not among its candidates") {
  const User user;
  const Played played = play(user, {"5.1.0", "team:a", "tiles:b"},
                             {{"ROOFTUNE_KOKKOS_VALUES",
                               "a_team_size=3;b_tile_size_0=48;b_tile_size_1=1024;nothing=1;=;"}});
  INFO(played.output);
  CHECK(played.ok);
  CHECK(played.says("a: team of 1, its own"));
  CHECK(played.says("b: tile 2x2, its own"));
  CHECK(played.says("a_team_size is to be 3, which Kokkos does not offer here"));
  // Where Kokkos cannot be kept from asking, sizes that nothing is said of are sensible.
  CHECK(play(user, {"5.1.0", "tiles:b"}, {{"ROOFTUNE_EXPORTS", "none"}}, FAKE_STATIC_KOKKOS)
            .says("b: tile 16x16, sum right"));
}

TEST_CASE("tiles are refused where Kokkos computes wrong results with them") {
  const User user;
  const std::map<std::string, std::string> values{
      {"ROOFTUNE_KOKKOS_VALUES", "a_tile_size_0=32;a_tile_size_1=16;c_team_size=4"}};
  const Played played = play(user, {"4.6.1", "tiles:a", "tiles:b", "team:c", "tiles:a"}, values);
  INFO(played.output);
  CHECK(played.ok);
  CHECK_FALSE(played.says("sum wrong"));
  CHECK(played.says("c: team of 4\n"));
  const std::size_t said = played.output.find("Kokkos 4.6.1 computes wrong results");
  REQUIRE(said != std::string::npos);
  CHECK(played.output.find("computes wrong results", said + 20) == std::string::npos);
  CHECK(play(user, {"unknown", "tiles:a"}, values).says("computes wrong results"));
  // Nothing can be taken from a program that Kokkos is part of.
  const Played ended = play(user, {"4.6.1", "tiles:a"}, values, FAKE_STATIC_KOKKOS);
  CHECK_FALSE(ended.ok);
  CHECK(ended.says("linked statically"));
  CHECK_FALSE(ended.says("sum"));
}

TEST_CASE("a Kokkos application is tuned from outside, exported and run as found") {
  const User user;
  const std::string program = std::string(FAKE_KOKKOS) + " 4.6.1 team:outer 'team:in ner' tiles:t";
  const std::vector<std::string> words{"--command",  program,      "--kokkos", "in ner",
                                       "--strategy", "exhaustive", "--budget", "4",
                                       "--check",    "none"};  // it prints the sizes
  const Json result = user.tuned(words);
  CHECK(result.at("best").at("configuration") == Json{{"in_ner_team_size", 4}});
  // Its own choice is the baseline, and another kernel's time is none of its.
  CHECK(result.at("baseline").at("configuration") == Json{{"in_ner_team_size", -1}});
  CHECK(result.at("speedup").at("value") > 1);
  CHECK(user.tune(words).says("tune export --study"));
  std::vector<std::string> words_of_export{"export", "--kernel", "fake_kokkos",     "--format",
                                           "json",   "-o",       "fake_kokkos.json"};
  Ran exported = user.tune(words_of_export);
  CHECK(exported.says("timed again"));
  // The program sleeps, and on a busy machine it wakes late: then its times disagree with the
  // study's, and the export is refused with this cure.
  if (exported.code != 0 && exported.says("when the machine is quieter")) {
    words_of_export.emplace_back("--as-recorded");
    exported = user.tune(words_of_export);
  }
  INFO(exported.output);
  REQUIRE(exported.code == 0);
  const Played played = play(user, {"4.6.1", "team:outer", "team:in ner"},
                             {{"ROOFTUNE_EXPORTS", user.path("fake_kokkos.json").string()}});
  INFO(played.output);
  CHECK(played.says("in ner: team of 4\n"));
  CHECK(played.says("outer: team of 1, its own"));
}

TEST_CASE("what cannot be tuned from outside is told with its cure") {
  const User user;
  const auto said = [&](const std::string& command, const std::string& label) {
    return user.tune({"--command", command, "--kokkos", label});
  };
  const Ran misspelt = said(std::string(FAKE_KOKKOS) + " 5.1.0 team:spin", "spni");
  CHECK(misspelt.code == 2);
  CHECK(misspelt.says("did you mean \"spin\"?"));
  const Ran none = said(std::string(FAKE_KOKKOS) + " 5.1.0 own:a", "");
  CHECK(none.code == 2);
  CHECK(none.says("Kokkos_ENABLE_TUNING"));
  CHECK(said("echo done", "").says("loaded no tool"));
  CHECK(said("false", "").says("run it by hand"));
}
