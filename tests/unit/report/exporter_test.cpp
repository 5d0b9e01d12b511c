#include "report/exporter.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>

#include "report/answer.h"
#include "support/sample_report.h"
#include "support/scratch_folder.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// Compiles a text with g++ (or gcc) as `language`; true when it is accepted without a warning.
bool compiles(const std::string& text, const std::string& language) {
  const testing::ScratchFolder folder;
  const auto file =
      folder.write("use.txt", text + "\nint use(void);\nint use(void) { return 0; }\n");
  const std::string command =
      "g++ -x " + language + " -Wall -Wextra -Wpedantic -Werror -fsyntax-only " + file.string();
  return std::system(command.c_str()) == 0;
}

}  // namespace

TEST_CASE("the header is C and C++") {
  const std::string header = header_export(sample::report(), {});
  CHECK(compiles(header, "c++ -std=c++17"));
  CHECK(compiles(header, "c -std=c99"));
  CHECK(compiles(header + header, "c++ -std=c++17"));
}

TEST_CASE("the header says values, and where they come from") {
  const std::string header = header_export(sample::report(), {"-O3", "-march=x86-64-v3"});
  for (const char* needed :
       {"#define ROOFTUNE_SPMV_FORMAT_BCSR 1", "#define ROOFTUNE_SPMV_FORMAT_TEXT \"bcsr\"",
        "#define ROOFTUNE_SPMV_SIMD_WIDTH 8", "#define ROOFTUNE_SPMV_HUGE_PAGES 1",
        "#ifndef ROOFTUNE_SPMV_TUNED_H",
        "#define ROOFTUNE_SPMV_MACHINE_ID \"0f1e2d3c4b5a69788796a5b4c3d2e1f0\"",
        "#define ROOFTUNE_SPMV_FLAGS \"-O3 -march=x86-64-v3\""})
    CHECK_THAT(header, Contains(needed));
}

TEST_CASE("nothing that a user writes breaks out of the header") {
  StudyResult report = sample::report();
  report.header.kernel = "2d*/ int x; /*";
  report.header.id = "\"a\n";
  Configuration& best = report.best->configuration = Configuration();
  best.set("double", 2.0);
  best.set("2d__int_x____", true);
  best.set("text", "a\"b\\c\n?\?/");
  best.set("study", 7);
  for (const char* word : {"asm", "typename", "xor", "linux", "unix", "errno"}) best.set(word, 1);
  best.set("a-b", 1);
  best.set("a_b", 2);
  best.set("big", std::int64_t{9000000000000});
  const std::string header = header_export(report, {});
  INFO(header);
  CHECK(compiles("#include <cerrno>\n" + header, "c++ -std=gnu++17"));
  CHECK(compiles(header, "c -std=c99"));
  CHECK_THAT(header, Contains("_STUDY 7") && Contains("_A_B 1") && !Contains("_A_B 2"));
}

TEST_CASE("the JSON holds configuration, defaults and provenance") {
  const Json json = parse_json(json_export(sample::report(), {}), "export");
  CHECK(json["schema"] == "rooftune-export-1");
  CHECK(json["configuration"]["format"] == "bcsr");
  CHECK(json["defaults"]["format"] == "csr");
  // Applications refuse others.
  CHECK(json["knobs"]["format"]["values"] == Json{"csr", "bcsr", "sell"});
  CHECK(json["machine"]["id"] == "0f1e2d3c4b5a69788796a5b4c3d2e1f0");
  CHECK(json["provenance"]["bound"]["ceilings"][0] == "DRAM load huge 2t");
  CHECK(json["provenance"]["gap"]["work"].is_null());
  CHECK(json["provenance"]["notes"].size() == 2);
  CHECK(json["provenance"]["verdict"]["sentence"] == headline(claims(sample::report())));
}

TEST_CASE("the JSON tells what the machine can, as far as it is known") {
  StudyResult report = sample::report();
  Json can = parse_json(json_export(report, {}), "export")["machine"]["class"];
  CHECK(can == Json{{"kind", "cpu"},
                    {"model", "Sample CPU @ 2.60GHz"},
                    {"cores", 2},
                    {"simd_bits", 512},
                    {"features", {"fma", "avx2", "avx512f"}}});
  report.roofline.machine.identity["cpus"] = "4";
  report.roofline.machine.identity["caches"] = "L1 48 KiB x 2, L2 1024 KiB x 2";
  report.speedup.reset();
  const Json json = parse_json(json_export(report, {}), "export");
  can = json["machine"]["class"];
  CHECK(can["threads"] == 4);
  CHECK(can["caches"] == Json{{"L1", 49152}, {"L2", 1048576}});
  report.baseline_stands = true;
  report.inconclusive = {"the race was disturbed"};
  const Json verdict = parse_json(json_export(report, {}), "export")["provenance"]["verdict"];
  CHECK(verdict["conclusive"] == false);
  CHECK(verdict["inconclusive"] == report.inconclusive);
}

TEST_CASE("a study without a result exports nothing") {
  StudyResult report = sample::report();
  report.best.reset();
  for (const auto write : {header_export, json_export, best_known_export})
    CHECK_THROWS_WITH(write(report, {}), Contains("no validated configuration"));
}

TEST_CASE("defaults come from the space when the baseline failed") {
  StudyResult report = sample::report();
  report.baseline.reset();
  const Json json = parse_json(json_export(report, {}), "export");
  CHECK(json["defaults"]["format"] == "csr");
  CHECK(json["defaults"]["threads"] == 1);
}
