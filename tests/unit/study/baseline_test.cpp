#include "study/baseline.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "core/file.h"
#include "os/temporary_directory.h"
#include "study/find_study.h"
#include "study/own_code.h"

using namespace rooftune;

namespace {

StudyHeader header_of(const std::string& machine_id, const std::string& explanation) {
  StudyHeader header;
  header.id = "5f00";
  header.kernel = "triad";
  header.backend = "openmp";
  header.machine = "host";
  header.machine_id = machine_id;
  header.strategy = "roofline";
  header.problem = {{"n", 1000}};
  header.threads = 2;
  header.cache_state = "warm";
  header.explanation = explanation;
  return header;
}

}  // namespace

TEST_CASE("a series goes on when the compiler changes and not when the machine does") {
  const std::string key = series_key(header_of("m1", "compiler = a"), 0);
  CHECK(key.starts_with("triad.openmp.host."));
  CHECK(series_key(header_of("m1", "compiler = b"), 0) == key);
  CHECK(series_key(header_of("m2", "compiler = a"), 0) != key);
  CHECK(series_key(header_of("m1", "compiler = a"), 5) != key);
}

TEST_CASE("what changed between two studies is told by label") {
  const std::string before =
      "kernel = triad\nsource openmp.cpp = <900 bytes, 12>\nsource kernel.json = {\n  \"a\": 1\n}\n"
      "compiler flags = -O3\nseed = 1\n";
  CHECK(changed_parts(before, before).empty());
  CHECK(changed_parts(before,
                      "kernel = triad\nsource openmp.cpp = <901 bytes, 13>\n"
                      "source kernel.json = {\n  \"a\": 2\n}\ncompiler flags = -O3\nseed = 2\n"
                      "header strips.h = 99\n") ==
        std::vector<std::string>{"source openmp.cpp", "source kernel.json", "header strips.h"});
}

TEST_CASE("a damaged baseline is a fault with its place and hides no other") {
  const TemporaryDirectory results;
  CHECK_FALSE(read_baseline(results.path(), "nothing"));
  make_folders(baseline_folder(results.path()));
  const auto file = baseline_folder(results.path()) / "triad.json";
  const auto fault = [&](const std::string& text) {
    write_atomically(file, text);
    try {
      read_baseline(results.path(), "triad");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(fault("{").find("triad.json") != std::string::npos);
  CHECK(fault(R"({"schema": "rooftune-baseline-9"})").find("newer Rooftune") != std::string::npos);
  const std::string text = fault(R"({"schema": "rooftune-baseline-2", "key": "triad",
    "accepted": {"study": "x"}, "roofs": {}, "earlier": [], "artefact": 7})");
  CHECK(text.find("/accepted") != std::string::npos);
  CHECK(text.find("/artefact") != std::string::npos);
  std::vector<std::string> faults;
  CHECK(read_baselines(results.path(), faults).empty());
  CHECK(faults.size() == 1);
}

TEST_CASE("code named by a record runs where it was tuned and nobody else may change anything") {
  using std::filesystem::perms;
  const TemporaryDirectory results, kernel;
  const auto share = [](const std::filesystem::path& place, bool shared) {
    std::filesystem::permissions(
        place, perms::others_write,
        shared ? std::filesystem::perm_options::add : std::filesystem::perm_options::remove);
  };
  StudyRecord record;
  record.header = header_of("m1", "");
  record.setup.emplace().kernel_folder = kernel.path();
  const auto folder = study_directory(results.path(), record.header);
  record.place = folder;
  make_folders(folder);
  const auto file = folder / "20260101T000000.000000Z.host.1.jsonl";
  write_atomically(file, "");
  setenv("ROOFTUNE_CACHE", (results.path() / "cache").c_str(), 1);
  const auto refused = [&](const std::string& why) {
    CHECK_THROWS_WITH(require_own_code(record), Catch::Contains(why) &&
                                                    Catch::Contains("would run as you") &&
                                                    Catch::Contains("tune it yourself"));
  };
  // A copy of another user's records is ours.
  refused("you have not tuned this study here");
  remember_own_code(record);
  remember_own_code(record);
  require_own_code(record);
  const auto source = kernel.path() / "openmp.cpp";
  write_atomically(source, "");
  for (const auto& place : {folder, file, kernel.path(), source}) {
    share(place, true);
    refused(place.string() + ": others may write to it");
    share(place, false);
  }
  record.setup->kernel_folder = results.path();
  refused("you have not tuned this study here, and the kernel in " + results.path().string());
  record.header.backend = "command";
  const auto program = kernel.path() / "program";
  write_atomically(program, "");
  record.setup->command = {"tune", "--command", program.string() + " -n {n}"};
  refused("and the program");
  remember_own_code(record);
  require_own_code(record);
  share(program, true);
  refused(program.string() + ": others may write to it, and the program");
  unsetenv("ROOFTUNE_CACHE");
}
