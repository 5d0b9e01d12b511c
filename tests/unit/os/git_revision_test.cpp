// The revision of a kernel's repository.

#include <catch2/catch.hpp>

#include "core/file.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"

using namespace rooftune;

TEST_CASE("a folder has the revision of its repository, and says that it was changed") {
  const TemporaryDirectory folder;
  CHECK(git_revision(folder.path() / "absent").empty());
  if (!find_program("git")) return;
  Command setup;
  setup.directory = folder.path();
  // Nobody's own settings; what is above the folder is no repository of ours.
  setup.environment = {{"GIT_CONFIG_GLOBAL", "/dev/null"}, {"HOME", folder.path().string()}};
  setup.argv = {"sh", "-c",
                "mkdir kernel other; echo 1 > kernel/a; echo 1 > other/b; git init -q . && "
                "git add . && git -c user.name=x -c user.email=x@example.org commit -qm x"};
  const Finished made = execute(setup);
  INFO(made.output);
  REQUIRE(made.status.ok());
  const std::string clean = git_revision(folder.path() / "kernel");
  CHECK(clean.size() == 12);
  write_atomically(folder.path() / "other/b", "2");
  write_atomically(folder.path() / "kernel/untracked", "2");
  CHECK(git_revision(folder.path() / "kernel") == clean);
  write_atomically(folder.path() / "kernel/a", "2");
  CHECK(git_revision(folder.path() / "kernel") == clean + " and changes");
}
