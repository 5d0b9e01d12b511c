// Temporary directories: gone with their owner, and after its kill with the next one's start.
#include "os/temporary_directory.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "core/error.h"

using namespace rooftune;

namespace {

constexpr const char* mark = ".rooftune-owner";

void write(const std::filesystem::path& file) { std::ofstream(file) << "x"; }

/// A process that owns a directory in `parent` and does nothing else.
class Owner {
 public:
  explicit Owner(const std::filesystem::path& parent) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      const TemporaryDirectory folder(parent, "rooftune-owned");
      const std::string text = folder.path().string() + "\n";
      if (::write(ends[1], text.data(), text.size()) < 0) _exit(1);
      for (;;) pause();
    }
    close(ends[1]);
    char byte = 0;
    std::string text;
    while (read(ends[0], &byte, 1) == 1 && byte != '\n') text += byte;
    close(ends[0]);
    path_ = text;
  }
  ~Owner() { end(); }
  void end() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  pid_t pid_ = -1;
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("a temporary directory goes with its owner and with nobody else") {
  std::filesystem::path path;
  {
    const TemporaryDirectory folder("rooftune-test");
    path = folder.path();
    std::filesystem::create_directories(path / "a/b");
    write(path / "a/b/file");
    CHECK(path.filename().string().starts_with("rooftune-test-"));
    remove_abandoned(path.parent_path());
    CHECK(std::filesystem::exists(path / "a/b/file"));
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("what a killed owner leaves is removed, links in it are not followed") {
  const TemporaryDirectory parent;
  const auto elsewhere = parent.path() / "elsewhere";
  std::filesystem::create_directory(elsewhere);
  write(elsewhere / "kept");
  Owner owner(parent.path());
  REQUIRE(std::filesystem::is_directory(owner.path()));
  std::filesystem::create_directories(owner.path() / "a/b");
  write(owner.path() / "a/b/file");
  std::filesystem::create_directory_symlink(elsewhere, owner.path() / "link");
  CHECK(remove_abandoned(parent.path()) == 0);
  CHECK(std::filesystem::exists(owner.path() / "a/b/file"));
  owner.end();
  CHECK(std::filesystem::exists(owner.path() / "a/b/file"));
  CHECK(remove_abandoned(parent.path()) == 1);
  CHECK_FALSE(std::filesystem::exists(owner.path()));
  CHECK(std::filesystem::exists(elsewhere / "kept"));
}

TEST_CASE("the first temporary directory of a process clears away what was left before") {
  const TemporaryDirectory parent;
  Owner owner(parent.path());
  owner.end();
  REQUIRE(std::filesystem::exists(owner.path()));
  const TemporaryDirectory next(parent.path(), "rooftune-next");
  CHECK_FALSE(std::filesystem::exists(owner.path()));
  CHECK(std::filesystem::exists(next.path()));
}

TEST_CASE("a sweep leaves alone what no owner of ours has marked") {
  const TemporaryDirectory parent;
  const auto folder = [&](const std::string& name) {
    std::filesystem::create_directory(parent.path() / name);
    write(parent.path() / name / "file");
    return parent.path() / name;
  };
  const auto unmarked = folder("rooftune-unmarked");
  const auto foreign = folder("another-marked");
  write(foreign / mark);
  const auto linked = folder("rooftune-linked");
  std::filesystem::create_symlink(foreign / mark, linked / mark);
  const auto odd = folder("rooftune-odd");
  std::filesystem::create_directory(odd / mark);
  std::filesystem::create_directory_symlink(foreign, parent.path() / "rooftune-link");
  write(parent.path() / "rooftune-file");
  CHECK(remove_abandoned(parent.path()) == 0);
  for (const auto& each : {unmarked, foreign, linked, odd})
    CHECK(std::filesystem::exists(each / "file"));
  CHECK(std::filesystem::is_symlink(parent.path() / "rooftune-link"));
  CHECK(std::filesystem::exists(parent.path() / "rooftune-file"));
  CHECK(remove_abandoned(parent.path() / "nowhere") == 0);
}

TEST_CASE("a sweep never takes a directory that is being made") {
  const TemporaryDirectory parent;
  std::atomic<bool> over{false};
  std::atomic<int> lost{0}, taken{0};
  std::thread sweeper([&] {
    while (!over) taken += static_cast<int>(remove_abandoned(parent.path()));
  });
  std::vector<std::thread> makers;
  for (int maker = 0; maker < 3; ++maker)
    makers.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const TemporaryDirectory folder(parent.path(), "rooftune-made");
        write(folder.path() / "file");
        lost += std::filesystem::exists(folder.path() / "file") ? 0 : 1;
      }
    });
  for (auto& maker : makers) maker.join();
  over = true;
  sweeper.join();
  INFO(taken.load() << " were taken before they were owned, and made again");
  CHECK(lost == 0);
  remove_abandoned(parent.path());
  int left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(parent.path()))
    left += entry.path().filename() == mark ? 0 : 1;
  CHECK(left == 0);
}

TEST_CASE("a directory that is kept has a name for good and no mark") {
  const TemporaryDirectory parent;
  const auto name = parent.path() / "rooftune-kept";
  {
    TemporaryDirectory folder(parent.path(), "rooftune-test");
    write(folder.path() / "file");
    CHECK(folder.keep_as(name));
  }
  CHECK(std::filesystem::exists(name / "file"));
  CHECK_FALSE(std::filesystem::exists(name / mark));
  CHECK(remove_abandoned(parent.path()) == 0);
  std::filesystem::path second;
  {
    TemporaryDirectory folder(parent.path(), "rooftune-test");
    second = folder.path();
    CHECK_FALSE(folder.keep_as(name));
  }
  CHECK_FALSE(std::filesystem::exists(second));
  CHECK(std::filesystem::exists(name / "file"));
}

TEST_CASE("no temporary directory is an error that names the place and the cure") {
  const TemporaryDirectory parent;
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  setenv("TMPDIR", (parent.path() / "nowhere").c_str(), 1);
  std::string text;
  try {
    const TemporaryDirectory folder;
  } catch (const Error& error) {
    text = error.what();
  }
  before ? setenv("TMPDIR", kept.c_str(), 1) : unsetenv("TMPDIR");
  CHECK(text.find("nowhere") != std::string::npos);
  CHECK(text.find("set TMPDIR") != std::string::npos);
}
