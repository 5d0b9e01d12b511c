// Folders of code: nobody else's files are taken for the user's.

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "core/error.h"
#include "os/paths.h"
#include "os/temporary_directory.h"
#include "support/environment_variable.h"

using namespace rooftune;
using Catch::Contains;

namespace {

mode_t permissions(const std::filesystem::path& folder) {
  struct stat status {};
  REQUIRE(stat(folder.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("a private folder is the user's alone under any umask") {
  const TemporaryDirectory scratch;
  const mode_t before = umask(0);
  make_private(scratch.path() / "a/b", "ROOFTUNE_CACHE");
  umask(before);
  CHECK(permissions(scratch.path() / "a") == 0700);
  CHECK(permissions(scratch.path() / "a/b") == 0700);
  make_private(scratch.path() / "a/b", "ROOFTUNE_CACHE");
  require_private(scratch.path() / "absent", "ROOFTUNE_CACHE");
}

TEST_CASE("others lose the right to write to the user's own folder") {
  const TemporaryDirectory scratch;
  const auto folder = scratch.path() / "cache";
  std::filesystem::create_directory(folder);
  for (const mode_t mode : {0775U, 0777U}) {
    REQUIRE(chmod(folder.c_str(), mode) == 0);
    require_private(folder, "ROOFTUNE_CACHE");
    CHECK(permissions(folder) == 0755);
  }
}

TEST_CASE("a folder shared with a group is refused, and stays as it is") {
  const TemporaryDirectory scratch;
  const auto folder = scratch.path() / "project";
  std::filesystem::create_directory(folder);
  REQUIRE(chmod(folder.c_str(), 02775) == 0);
  CHECK_THROWS_WITH(require_private(folder, "ROOFTUNE_CACHE"),
                    Contains("others may write to it") && Contains("chmod go-w"));
  CHECK(permissions(folder) == 02775);
}

TEST_CASE("a folder that others can replace is refused, one below a sticky folder is not") {
  const TemporaryDirectory scratch;
  const auto above = scratch.path() / "above", folder = above / "cache";
  make_private(folder, "ROOFTUNE_CACHE");
  REQUIRE(chmod(above.c_str(), 0777) == 0);
  CHECK_THROWS_WITH(require_private(folder, "ROOFTUNE_CACHE"),
                    Contains(folder.string() + ": others may put") &&
                        Contains("chmod o-w " + above.string()) && Contains("ROOFTUNE_CACHE"));
  REQUIRE(chmod(above.c_str(), 01777) == 0);
  require_private(folder, "ROOFTUNE_CACHE");
  std::filesystem::create_directory_symlink(folder, scratch.path() / "link");
  require_private(scratch.path() / "link", "ROOFTUNE_CACHE");
  REQUIRE(chmod(above.c_str(), 0777) == 0);
  CHECK_THROWS_AS(require_private(scratch.path() / "link", "ROOFTUNE_CACHE"), Error);
}

TEST_CASE("another user's folder is refused") {
  const TemporaryDirectory scratch;
  const auto folder = scratch.path() / "theirs";
  std::filesystem::create_directory(folder);
  // Only root can give a folder away; others have root's, which is trusted.
  if (geteuid() == 0) {
    REQUIRE(chown(folder.c_str(), 12345, 12345) == 0);
    try {
      require_private(folder, "ROOFTUNE_CACHE");
      FAIL("no error");
    } catch (const Error& error) {
      CHECK_THAT(error.what(), Contains("another user (number 12345)") &&
                                   Contains("set ROOFTUNE_CACHE to a folder of your own"));
      CHECK(error.code() == ExitCode::usage);
    }
  } else {
    require_private("/usr", "ROOFTUNE_CACHE");
  }
}

TEST_CASE("who holds a folder or a link on the way to a file may change it") {
  const testing::ScratchFolder scratch;
  const auto folder = scratch.path();
  for (const char* below : {"own", "open", "links"})
    std::filesystem::create_directory(folder / below);
  const auto file = scratch.write("own/file", ""), first = folder / "own/first",
             second = folder / "links/second", relative = folder / "own/relative";
  std::filesystem::create_symlink(second, first);
  std::filesystem::create_symlink(file, second);
  std::filesystem::create_symlink("../own/./first", relative);
  for (const auto& place : {file, first, relative}) CHECK(others_may_change(place).empty());
  REQUIRE(chmod((folder / "links").c_str(), 0777) == 0);
  CHECK(others_may_change(file).empty());
  for (const auto& place : {first, relative})
    CHECK_THAT(others_may_change(place), Contains("links above it is open to all"));
  REQUIRE(chmod((folder / "links").c_str(), 01777) == 0);
  CHECK(others_may_change(first).empty());
  if (geteuid() != 0) {
    WARN("skipped: what belongs to others, which only root can make");
    return;
  }
  // Below a sticky folder a link is its owner's.
  REQUIRE(lchown(second.c_str(), 12345, 12345) == 0);
  CHECK_THAT(others_may_change(relative), Contains("second above it belongs to another user"));
  const auto way = folder / "links/way";
  std::filesystem::create_symlink(folder / "own", way);
  REQUIRE(lchown(way.c_str(), 12345, 12345) == 0);
  CHECK_THROWS_WITH(make_private(way / "cache", "ROOFTUNE_CACHE"),
                    Contains("way above it belongs to another user (number 12345)") &&
                        Contains("set ROOFTUNE_CACHE"));
  // A project's disk belongs to somebody who is trusted with all that lies there.
  REQUIRE(chown((folder / "own").c_str(), 12345, 12345) == 0);
  CHECK_NOTHROW(make_private(folder / "own/cache", "ROOFTUNE_CACHE"));
}

TEST_CASE("temporary files are made where nobody else may rename them") {
  const TemporaryDirectory scratch;
  const testing::EnvironmentVariable chosen("TMPDIR", scratch.path().string());
  REQUIRE(chmod(scratch.path().c_str(), 01777) == 0);
  CHECK_FALSE(TemporaryDirectory("rooftune-x").path().empty());
  REQUIRE(chmod(scratch.path().c_str(), 0777) == 0);
  CHECK_THROWS_WITH(TemporaryDirectory("rooftune-x"),
                    Contains("others may put another folder") && Contains("TMPDIR"));
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
    CHECK(entry.path().filename() == ".rooftune-owner");
}

TEST_CASE("a folder that cannot be made names the variable that chooses another") {
  try {
    make_private("/proc/rooftune/cache", "ROOFTUNE_CACHE");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), Contains("/proc/rooftune: cannot be made") &&
                                 Contains("set ROOFTUNE_CACHE") && Contains("HOME"));
    CHECK(error.code() == ExitCode::io);
  }
}

TEST_CASE("a folder without the right to load code is refused, with the variable to set") {
  const TemporaryDirectory scratch;
  require_executable(scratch.path(), "TMPDIR");
  struct statvfs system {};
  if (statvfs("/proc", &system) != 0 || (system.f_flag & ST_NOEXEC) == 0) return;
  try {
    require_executable("/proc", "ROOFTUNE_CACHE");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), Contains("/proc: its file system is mounted noexec") &&
                                 Contains("set ROOFTUNE_CACHE to a folder elsewhere"));
    CHECK(error.code() == ExitCode::io);
  }
}

TEST_CASE("without HOME the password database knows the user's folder") {
  const testing::EnvironmentVariable chosen("ROOFTUNE_CACHE", ""), xdg("XDG_CACHE_HOME", "");
  {
    const testing::EnvironmentVariable home("HOME", "/somewhere");
    CHECK(cache_directory() == "/somewhere/.cache/rooftune");
  }
  const testing::EnvironmentVariable none("HOME", "");
  // Never a name in a folder that all can write.
  const auto temporary = std::filesystem::temp_directory_path();
  std::filesystem::path cache;
  try {
    cache = cache_directory();
  } catch (const Error& error) {
    CHECK_THAT(error.what(), Contains("HOME") && Contains("ROOFTUNE_CACHE"));
    CHECK(error.code() == ExitCode::usage);
    return;
  }
  CHECK_FALSE(cache.string().starts_with(temporary.string() + "/"));
  CHECK(std::filesystem::is_directory(cache.parent_path().parent_path()));
}
