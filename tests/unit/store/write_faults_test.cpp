// A directory that cannot take records: a clear Error, and no harm to what was written before.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

#include "support/store_fixture.h"

using namespace rooftune;
using namespace rooftune::testing;
using Catch::Contains;

namespace {

/// Files of this process end at `bytes`: a full disk without a disk to fill.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

/// The process is an ordinary user inside its scope, also when root runs the tests.
class OrdinaryUser {
 public:
  OrdinaryUser() : was_root_(geteuid() == 0) {
    if (was_root_) REQUIRE(seteuid(65534) == 0);
  }
  ~OrdinaryUser() {
    if (was_root_ && seteuid(0) != 0) std::abort();
  }

 private:
  bool was_root_;
};

std::string fault_of(const std::filesystem::path& results) {
  try {
    const RecordWriter writer(results, example_header());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a read-only results directory is said to be one, before anything is measured") {
  const ResultsDirectory results;
  std::filesystem::create_directories(results.path());
  chmod(results.path().parent_path().c_str(), 0755);
  chmod(results.path().c_str(), 0555);
  std::string fault;
  {
    const OrdinaryUser user;
    fault = fault_of(results.path());
  }
  chmod(results.path().c_str(), 0755);
  CHECK_THAT(fault, Contains("Permission denied") && Contains(results.path().string()) &&
                        Contains("--results"));
}

TEST_CASE("a file where the results directory should be is named") {
  const ResultsDirectory results;
  put_text(results.path(), "in the way");
  CHECK_THAT(fault_of(results.path()),
             Contains("Not a directory") && Contains(results.path().string()));
}

TEST_CASE("a disk that is full from the start leaves no file behind") {
  const ResultsDirectory results;
  std::string fault;
  {
    const FileLimit full(100);
    fault = fault_of(results.path());
  }
  CHECK_THAT(fault, Contains("File too large") && Contains("make room"));
  CHECK_FALSE(results.study());
}

TEST_CASE("a disk that fills up keeps every earlier record whole, and goes on when there is room") {
  const ResultsDirectory results;
  RecordWriter writer(results.path(), example_header());
  writer.append(example_trial(0, 1));
  const auto size = std::filesystem::file_size(writer.file());
  {
    const FileLimit full(size + 50);
    CHECK_THROWS_WITH(writer.append(example_trial(1, 2)), Contains("make room"));
    CHECK_THROWS_AS(writer.append(example_trial(1, 2)), Error);
  }
  CHECK(std::filesystem::file_size(writer.file()) == size);
  CHECK(results.study()->faults.empty());
  writer.append(example_trial(1, 4));
  const auto study = results.study();
  CHECK(study->faults.empty());
  REQUIRE(study->history.size() == 2);
  CHECK(study->history.trials()[1].configuration == example_configuration(4));
}

TEST_CASE("names that would leave the directory are refused") {
  const ResultsDirectory results;
  for (const std::string name : {"../up", "a/b", "", "a.b", ".."}) {
    StudyHeader header = example_header();
    header.kernel = name;
    INFO(name);
    CHECK_THROWS_WITH(RecordWriter(results.path(), header), Contains("file name"));
  }
}
