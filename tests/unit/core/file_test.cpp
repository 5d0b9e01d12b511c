// Where texts are written: links, devices and modes stay what they are, and what cannot be written
// is said before.
#include "core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include "core/error.h"
#include "support/scratch_folder.h"

using namespace rooftune;
using Catch::Contains;

namespace {

mode_t mode_of(const std::filesystem::path& file) {
  struct stat status {};
  REQUIRE(stat(file.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                                std::filesystem::directory_iterator{}));
}

void make_older(const std::filesystem::path& file, std::chrono::hours age) {
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - age);
}

}  // namespace

TEST_CASE("what cannot be read to its end is empty where that is no fault") {
  // Opens, and refuses the first read, as /proc does of a process that has just ended.
  CHECK_THROWS_AS(read_text("/proc/self/mem"), Error);
  CHECK(text_if_readable("/proc/self/mem").empty());
  CHECK(text_if_readable("/nowhere/at/all").empty());
  CHECK(text_if_readable("/proc/self/stat") != "");
}

TEST_CASE("where the user says, a link stays one, and its target is written") {
  const testing::ScratchFolder folder;
  const auto target = folder.write("below/target", "old");
  const auto link = folder.path() / "link", dangling = folder.path() / "dangling";
  std::filesystem::create_symlink("below/target", link);
  std::filesystem::create_symlink("below/later", dangling);
  require_writable_target(link);
  require_writable_target(dangling);
  write_for_user(link, "new");
  write_for_user(dangling, "later");
  CHECK(std::filesystem::is_symlink(link));
  CHECK(std::filesystem::is_symlink(dangling));
  CHECK(read_text(target) == "new");
  CHECK(read_text(folder.path() / "below/later") == "later");
  std::filesystem::create_symlink("/dev/null", folder.path() / "sink");
  write_for_user(folder.path() / "sink", "gone");
  CHECK(std::filesystem::is_character_file(folder.path() / "sink"));
  CHECK(is_written_through(folder.path() / "sink"));
}

TEST_CASE("what others put in the place of a file of the tool's own is replaced, not followed") {
  const testing::ScratchFolder folder;
  const auto secret = folder.write("secret", "old"), page = folder.path() / "page.html";
  REQUIRE(chmod(secret.c_str(), 0600) == 0);
  const std::array<std::function<void()>, 4> acts{
      [&] { std::filesystem::create_symlink("secret", page); },
      [&] { std::filesystem::create_symlink("/nowhere/at/all", page); },
      [&] { std::filesystem::create_hard_link(secret, page); },
      [&] { REQUIRE(mkfifo(page.c_str(), 0600) == 0); }};
  for (const auto& act : acts) {
    std::filesystem::remove(page);
    act();
    write_atomically(page, "new");
    CHECK(std::filesystem::symlink_status(page).type() == std::filesystem::file_type::regular);
    CHECK(read_text(page) == "new");
    CHECK(read_text(secret) == "old");
  }
}

TEST_CASE("a FIFO is written through") {
  const testing::ScratchFolder folder;
  const auto pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  require_writable_target(pipe);
  write_for_user(pipe, "text");
  std::array<char, 16> block{};
  CHECK(read(reader, block.data(), block.size()) == 4);
  CHECK(std::filesystem::is_fifo(pipe));
  close(reader);
}

TEST_CASE("a pipe with a name is not waited for, a shell's is read") {
  const testing::ScratchFolder folder;
  const auto named = folder.path() / "pipe";
  REQUIRE(mkfifo(named.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read_text(named), Contains(named.string() + ": is a pipe with a name"));
  CHECK(text_if_readable(named).empty());
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const Descriptor out(ends[0]);
  Descriptor in(ends[1]);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    REQUIRE(write_all(in.get(), "late"));
    in.reset();
  });
  const std::string text = read_text(fmt::format("/dev/fd/{}", out.get()));
  writer.join();
  CHECK(text == "late");
}

TEST_CASE("a file that is written anew keeps its mode") {
  const testing::ScratchFolder folder;
  for (const mode_t mode : {0600U, 0640U, 0666U, 0755U}) {
    const auto file = folder.write("f", "old");
    REQUIRE(chmod(file.c_str(), mode) == 0);
    write_atomically(file, "new");
    CHECK(read_text(file) == "new");
    CHECK(mode_of(file) == mode);
  }
  const mode_t umask_before = umask(077);
  write_atomically(folder.path() / "g", "new");
  umask(umask_before);
  CHECK(mode_of(folder.path() / "g") == 0600);
}

TEST_CASE("what killed writers left neither blocks nor stays") {
  const testing::ScratchFolder folder;
  // The next container has the same process numbers.
  for (int n = 0; n < 100; ++n) folder.write(fmt::format(".f.{}.{}.part", getpid(), n), "half");
  write_atomically(folder.path() / "f", "whole");
  CHECK(read_text(folder.path() / "f") == "whole");
  const testing::ScratchFolder other;
  const auto stale = other.write(".f.0123456789abcdef.part", "half"),
             young = other.write(".g.0123456789abcdef.part", "half"),
             foreign = other.write(".notes.part", "mine"),
             linked = other.path() / ".l.0123456789abcdef.part";
  std::filesystem::create_symlink(foreign, linked);
  make_older(stale, std::chrono::hours(48));
  make_older(foreign, std::chrono::hours(48));
  write_atomically(other.path() / "f", "whole");
  CHECK_FALSE(std::filesystem::exists(stale));
  CHECK(std::filesystem::exists(young));
  CHECK(std::filesystem::exists(foreign));
  CHECK(std::filesystem::is_symlink(linked));
  CHECK(files_in(other.path()) == 4);
}

TEST_CASE("a target that cannot be written is refused with the cure, and nothing is made") {
  const testing::ScratchFolder folder;
  const auto missing = folder.path() / "no" / "such" / "f.json";
  CHECK_THROWS_WITH(require_writable_target(missing),
                    Contains(missing.string() + ": there is no folder") &&
                        Contains("mkdir -p " + missing.parent_path().string()));
  CHECK_THROWS_WITH(
      require_writable_target(folder.path()),
      Contains(folder.path().string() + ": is a directory") && Contains("name a file"));
  CHECK_THROWS_WITH(require_writable_target(folder.path() / "new/"), Contains("is a directory"));
  // Root may write everywhere.
  if (geteuid() != 0) {
    REQUIRE(chmod(folder.path().c_str(), 0500) == 0);
    CHECK_THROWS_WITH(require_writable_target(folder.path() / "g"),
                      Contains("no file can be made"));
    REQUIRE(chmod(folder.path().c_str(), 0700) == 0);
  }
  const auto file = folder.write("f", "old");
  CHECK_THROWS_WITH(require_writable_target(file / "below"), Contains("there is no folder"));
  require_writable_target(folder.path() / "g");
  CHECK(files_in(folder.path()) == 1);
  CHECK(read_text(file) == "old");
}

TEST_CASE("folders that cannot be made are an error with their path") {
  const testing::ScratchFolder folder;
  const auto file = folder.write("f", "");
  make_folders(folder.path() / "a/b");
  CHECK(std::filesystem::is_directory(folder.path() / "a/b"));
  CHECK_THROWS_WITH(make_folders(file / "below"),
                    Contains((file / "below").string() + ": cannot be made"));
}

TEST_CASE("a folder of the tool's own is made below the user's, and through no link") {
  const testing::ScratchFolder folder, elsewhere;
  std::filesystem::create_directory_symlink(elsewhere.path(), folder.path() / "typed");
  const auto root = folder.path() / "typed";
  CHECK(folder_below(root, "a/b") == root / "a/b");
  CHECK(std::filesystem::is_directory(elsewhere.path() / "a/b"));
  CHECK(folder_below(root, "a/b") == root / "a/b");
  for (const auto& target : {folder.path(), folder.path() / "nothing"}) {
    std::filesystem::create_directory_symlink(target, elsewhere.path() / "a/link");
    for (const char* below : {"a/link", "a/link/b"})
      CHECK_THROWS_WITH(
          folder_below(root, below),
          Contains((root / "a/link").string() + ": is a link") && Contains("remove it"));
    std::filesystem::remove(elsewhere.path() / "a/link");
  }
  CHECK(files_in(folder.path()) == 1);
  elsewhere.write("f", "");
  CHECK_THROWS_WITH(folder_below(root, "f/b"), Contains("cannot be made"));
}
