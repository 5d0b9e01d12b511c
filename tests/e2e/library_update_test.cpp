// An installed library is exchanged by a night for a faster one, keeps its place before a slower
// one, and is moved back: the application is linked once.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "rogue.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;
namespace fs = std::filesystem;

namespace {

constexpr const char* installed_own = "prefix/lib/libtuned_own.so";

/// Says whether the variant in use sleeps, which the mode `late` does.
constexpr const char* naps_application = R"(#include <stdio.h>
#include <tuned_own.h>
static int naps;
int usleep(unsigned microseconds) { naps += microseconds > 0; return 0; }
int main(void) {
  double x[3] = {1, 2, 3}, y[3];
  tuned_own_call(3, x, y);
  printf("%g, %s naps\n", y[2], naps > 0 ? "some" : "no");
  return 0;
}
)";

Ran export_own(const User& user, const std::string& to) {
  return user.tune({"export", "--kernel", "own", "--as-recorded", "--format", "library", "-o", to});
}

/// The library of the mode `late`, installed, and an application linked with it.
void install_late(const User& user) {
  write_rogue(user, "own", {"late"});
  user.tuned({"--kernel", "./own", "--budget", "1", "-q"});
  REQUIRE(export_own(user, "lib").code == 0);
  build_project(user, "lib", "build",
                {"-DBUILD_SHARED_LIBS=ON", "-DBUILD_TESTING=OFF", "-DCMAKE_INSTALL_LIBDIR=lib"});
  output_of(user, {"cmake", "--install", "build", "--prefix", user.path("prefix").string()});
  user.write("app.c", naps_application);
  output_of(user, {"gcc", "app.c", "-o", "app", "-Iprefix/include", "-Lprefix/lib", "-ltuned_own",
                   "-Wl,-rpath," + user.path("prefix/lib").string()});
}

}  // namespace

TEST_CASE("an installed library is exchanged for a faster one only, and moved back") {
  const User user;
  install_late(user);
  const auto runs = [&] { return output_of(user, {user.path("app").string()}); };
  REQUIRE(runs() == "6, some naps\n");
  const Ran same = export_own(user, installed_own);
  CHECK(same.code == 0);
  CHECK(same.says("holds the best of these studies already"));

  user.write("prefix/lib/libtuned_foreign.so", "ELF");
  const auto refused = [&](const std::string& file, const std::string& why) {
    const Ran ran = export_own(user, file);
    INFO(ran.output);
    CHECK(ran.code == 2);
    CHECK(ran.says(why));
  };
  refused("prefix/lib/libtuned_foreign.so", "is no shared object of an exported library");
  refused("prefix/lib/libtuned_gone.so", "there is no such shared object");
  fs::permissions(user.path(installed_own), fs::perms::others_write, fs::perm_options::add);
  refused(installed_own, "others may write to it, and it would run as you");
  fs::permissions(user.path(installed_own), fs::perms::others_write, fs::perm_options::remove);

  write_rogue(user, "own", {"well", "late"});
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "exports": "./prefix/lib",
    "watch": false, "studies": [{"kernel": "./own", "budget": 2, "strategy": "exhaustive",
                                 "threads": 1, "staircase": false, "anchors": false}]})");
  const auto night = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"sweep", "plan.json", "-q", "--json", "night.json"});
    Ran ran = user.tune(more);
    CHECK(ran.says("warning: " + user.path("prefix/lib/libtuned_foreign.so").string()));
    return ran;
  };
  Ran ran = night({});
  INFO(ran.output);
  CHECK(ran.says("own: libtuned_own.so: what it holds takes"));
  CHECK(runs() == "6, some naps\n");
  ran = night({"--update-exports"});
  INFO(ran.output);
  CHECK(ran.says("is exchanged: it took"));
  CHECK(read_json(user.path("night.json")).at("studies").at(0).at("exports").at(0).at("written") ==
        true);
  CHECK(runs() == "6, no naps\n");

  // Sources of today are preferred: those of the first study again.
  write_rogue(user, "own", {"late"});
  const std::string before = read_text(user.path(installed_own));
  ran = export_own(user, installed_own);
  INFO(ran.output);
  CHECK(ran.code == 1);
  CHECK(ran.says("the newer is slower; the installed library stays"));
  CHECK(read_text(user.path(installed_own)) == before);

  const fs::path object = fs::canonical(user.path(installed_own));
  fs::remove(object);
  refused(installed_own, "*.until-*");
  fs::path kept;
  for (const auto& file : fs::directory_iterator(object.parent_path()))
    if (file.path().string().find(".until-") != std::string::npos) kept = file.path();
  fs::rename(kept, object);
  CHECK(runs() == "6, some naps\n");
}
