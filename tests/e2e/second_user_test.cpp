// What another user can put, give away or link where `tune` reads and writes: no code of his runs,
// no file of the user's changes, nobody waits for ever. Each try begins with the same study.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <functional>

#include "core/file.h"
#include "rogue.h"

using namespace rooftune;
using namespace rooftune::e2e;
namespace fs = std::filesystem;

namespace {

constexpr uid_t somebody = 54321;
constexpr const char* precious = "precious\n";

/// A user with a study of ./good, a night of it, and a file that must stay.
class Victim {
 public:
  Victim() {
    write_rogue(user, "good", {"well"});
    user.write("good/more/own.h", "// own\n");
    user.write("secret", precious);
    user.write("elsewhere/file", "");
    user.write("plan.json", R"({"schema": "rooftune-sweep-1", "name": "night", "notify": [["true"]],
      "defaults": {"budget": 1, "threads": 1, "problem": {"n": 10}},
      "studies": [{"kernel": "./good"}]})");
    REQUIRE(user.tune(again).code == 0);
    const Ran night = user.tune({"sweep", "plan.json", "-q"});
    INFO(night.output);
    REQUIRE(night.code == 0);
    REQUIRE(user.tune({"report", "--kernel", "good"}).code == 0);
    for (const char* each : own)
      fs::copy(user.path(each), kept_.path() / each, fs::copy_options::recursive);
  }
  void restore() const {
    for (const char* each : own) {
      fs::remove_all(user.path(each));
      fs::copy(kept_.path() / each, user.path(each), fs::copy_options::recursive);
    }
  }
  /// The newest file or folder below results whose name has this in it.
  fs::path result(const std::string& part) const {
    fs::path found;
    for (const auto& entry : fs::recursive_directory_iterator(user.path("results")))
      if (entry.path().string().find(part) != std::string::npos) found = entry.path();
    INFO(part);
    REQUIRE_FALSE(found.empty());
    return found;
  }
  fs::path study() const { return result("/digest.json").parent_path(); }

  const User user;
  const std::vector<std::string> again{"--kernel", "./good", "--problem", "n=10",
                                       "--budget", "1",      "-q",        "--fresh"};

 private:
  static constexpr std::array own{"good", "results", "plan.json", "elsewhere"};
  const TemporaryDirectory kept_;
};

void make_fifo(const fs::path& place) {
  fs::remove_all(place);
  REQUIRE(mkfifo(place.c_str(), 0666) == 0);
}

void put_link(const fs::path& place, const fs::path& target) {
  fs::remove_all(place);
  fs::create_symlink(target, place);
}

void give(const fs::path& place) { REQUIRE(lchown(place.c_str(), somebody, somebody) == 0); }

struct Try {
  const char* name;
  bool by_root;  ///< only root can play the other user
  std::function<void()> act;
  std::vector<std::string> words;
  int code;
  const char* says;
  std::map<std::string, std::string> environment = {};
};

}  // namespace

TEST_CASE("what a second user puts in the way runs nothing, changes nothing and holds nobody up") {
  const Victim victim;
  const User& user = victim.user;
  const auto path = [&](const char* name) { return user.path(name); };
  const auto hop = [&](const char* name) {
    put_link(path("elsewhere/hop"), path("elsewhere/true"));
    fs::rename(path(name), path("elsewhere/true"));
    put_link(path(name), path("elsewhere/hop"));
    give(path("elsewhere"));
    // What the last link leads to is the user's.
    fs::rename(path("elsewhere/true"), user.path("true"));
    put_link(path("elsewhere/hop"), user.path("true"));
  };
  const std::vector<std::string> exported{"export", "--kernel", "good", "--problem", "n=10"},
      listed{"list", "studies"}, page{"report", "--kernel", "good"},
      night{"sweep", "plan.json", "-q"};
  const std::vector<Try> tries{
      {"nothing", false, [] {}, exported, 0, "built and validated again"},
      {"a kernel of his", true, [&] { give(path("good")); }, exported, 2, "belongs to another"},
      {"a source of his", true, [&] { give(path("good/openmp.cpp")); }, exported, 2,
       "openmp.cpp: belongs to another"},
      {"a header that all may write", false,
       [&] { REQUIRE(chmod(path("good/more/own.h").c_str(), 0666) == 0); }, exported, 2,
       "own.h: others may write to it"},
      {"a source over his link", true, [&] { hop("good/openmp.cpp"); }, exported, 2,
       "elsewhere above it belongs to another"},
      {"records of his", true, [&] { give(victim.study()); }, exported, 2, "belongs to another"},
      {"a part of records is a pipe", false, [&] { make_fifo(victim.result("/parts/")); }, exported,
       2, "hint: "},
      {"a part of records is another", false,
       [&] { write_atomically(victim.result("/parts/"), "{}"); }, exported, 2, "hint: "},
      {"a digest is a pipe", false, [&] { make_fifo(victim.result("/digest.json")); }, listed, 0,
       "good"},
      {"a page is a link", false, [&] { put_link(victim.result(".html"), path("secret")); }, page,
       0, "good"},
      {"a chart is a link", false, [&] { put_link(victim.result(".svg"), path("secret")); }, page,
       0, "good"},
      {"a lock is a link", false, [&] { put_link(victim.study() / "lock", path("secret")); },
       victim.again, 74, "cannot be locked"},
      {"a lock is the user's file", false,
       [&] {
         fs::remove(victim.study() / "lock");
         fs::create_hard_link(path("secret"), victim.study() / "lock");
       },
       victim.again, 0, "good"},
      {"a study's folder is a link", false, [&] { put_link(victim.study(), path("elsewhere")); },
       victim.again, 2, "is a link"},
      {"a baseline is a pipe", false, [&] { make_fifo(victim.result("/baselines/")); }, night, 4,
       "is a pipe with a name"},
      {"an outcome is a pipe",
       false,
       [&] {
         make_fifo(victim.result("/good.json"));
         fs::remove(victim.result("/summary.json"));
       },
       {"sweep", "plan.json", "-q", "--continue"},
       0,
       "good"},
      {"a plan of his", true, [&] { give(path("plan.json")); }, night, 2, "belongs to another"},
      {"a plan over his link", true, [&] { hop("plan.json"); }, night, 2,
       "elsewhere above it belongs to another"},
      {"a cache over his link",
       true,
       [&] {
         fs::create_symlink(path("."), path("elsewhere/his"));
         REQUIRE(lchown(path("elsewhere/his").c_str(), somebody, somebody) == 0);
       },
       victim.again,
       2,
       "elsewhere/his above it belongs to another",
       {{"ROOFTUNE_CACHE", path("elsewhere/his/cache").string()}}},
      {"temporary files where all may rename",
       false,
       [&] { REQUIRE(chmod(path("elsewhere").c_str(), 0777) == 0); },
       victim.again,
       2,
       "others may put another folder in its place",
       {{"TMPDIR", path("elsewhere").string()}}},
      {"a manifest is a pipe", false, [&] { make_fifo(path("good/kernel.json")); }, victim.again, 2,
       "kernel.json: is a pipe with a name"}};
  std::size_t skipped = 0;
  for (const Try& one : tries) {
    if (one.by_root && geteuid() != 0 && ++skipped > 0) continue;
    INFO(one.name);
    victim.restore();
    one.act();
    std::map<std::string, std::string> environment{{"COLUMNS", "300"}};
    environment.insert(one.environment.begin(), one.environment.end());
    const Ran ran = user.tune(one.words, environment, 60);
    INFO(ran.output);
    CHECK(ran.code == one.code);
    CHECK(ran.says(one.says));
    CHECK(read_text(path("secret")) == precious);
    for (const auto& entry : fs::directory_iterator(path("elsewhere")))
      CHECK_FALSE(entry.path().extension() == ".jsonl");
  }
  if (skipped > 0) WARN("skipped: " << skipped << " tries, as only root can play another user");
}

TEST_CASE("a script of another user in a program's command, check or variable is not run again") {
  const User user;
  if (geteuid() != 0) {
    WARN("skipped: only root can play another user");
    return;
  }
  for (const char* script : {"app.sh", "check.sh"}) {
    user.write(script, "#!/bin/sh\necho done\n");
    fs::permissions(user.path(script), fs::perms::owner_all);
  }
  user.write("app.json", R"({"knobs": [{"name": "b", "values": [1, 2], "default": 1}]})");
  const Ran tuned = user.tune({"--command", "./app.sh {b}", "--space", "app.json", "--budget", "1",
                               "--check", "command:./check.sh", "-q"});
  INFO(tuned.output);
  REQUIRE(tuned.code == 0);
  const std::vector<std::string> exported{"export", "--kernel", "app", "--format", "json"};
  // The user's own scripts are run again; on a busy machine their times may not suffice.
  const Ran own = user.tune(exported);
  INFO(own.output);
  CHECK((own.code == 0 || own.says("when the machine is quieter")));
  give(user.path("check.sh"));
  const Ran refused = user.tune(exported);
  INFO(refused.output);
  CHECK(refused.code == 2);
  CHECK(refused.says("check.sh: belongs to another user"));
}
