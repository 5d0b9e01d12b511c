#include "report/exporter.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>

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
  const std::string header = header_export(best_configuration(sample::report()));
  CHECK(compiles(header, "c++ -std=c++17"));
  CHECK(compiles(header, "c -std=c99"));
  CHECK(compiles(header + header, "c++ -std=c++17"));
}

TEST_CASE("the header says values, enumerators and provenance") {
  const std::string header = header_export(best_configuration(sample::report()));
  for (const char* needed :
       {"#define ROOFTUNE_SPMV_FORMAT_CSR 0",
        "#define ROOFTUNE_SPMV_FORMAT ROOFTUNE_SPMV_FORMAT_BCSR",
        "#define ROOFTUNE_SPMV_SIMD_WIDTH 8", "#define ROOFTUNE_SPMV_HUGE_PAGES 1",
        "#ifndef ROOFTUNE_SPMV_TUNED_H", "0f1e2d3c4b5a69788796a5b4c3d2e1f0", "DRAM load huge 2t",
        "1.23x [1.19, 1.25]", "g++ 12.2.0", "2026-11-21"})
    CHECK_THAT(header, Contains(needed));
}

TEST_CASE("nothing that a user writes breaks out of the header") {
  BestConfiguration best = best_configuration(sample::report());
  best.identity.kernel = "2d*/ int x; /*";
  best.notes = {"*/ #error out /*", "a\\\nb", "\xff?\?/"};
  best.configuration = Configuration();
  best.configuration.set("double", 2.0);
  best.configuration.set("2d__int_x____", true);
  best.configuration.set("text", "a\"b\\c\n?\?/");
  best.configuration.set("study", 7);
  for (const char* word : {"asm", "typename", "xor", "linux", "unix", "errno"})
    best.configuration.set(word, 1);
  best.configuration.set("mode", "text");
  best.configuration.set("big", std::int64_t{9000000000000});
  best.knobs.clear();
  Knob mode;
  mode.name = "mode";
  mode.values = {"a-b", "a_b", "text"};
  mode.doc = "*/ oops";
  best.knobs.push_back(mode);
  const std::string header = header_export(best);
  INFO(header);
  CHECK(compiles("#include <cerrno>\n" + header, "c++ -std=gnu++17"));
  CHECK(compiles(header, "c -std=c99"));
  CHECK_THAT(header, Contains("_STUDY 7"));
}

TEST_CASE("the JSON holds configuration, defaults and provenance") {
  const Json json = parse_json(json_export(best_configuration(sample::report())), "export");
  CHECK(json["schema"] == "rooftune-export-1");
  CHECK(json["configuration"]["format"] == "bcsr");
  CHECK(json["defaults"]["format"] == "csr");
  // Applications refuse others.
  CHECK(json["knobs"]["format"]["values"] == Json{"csr", "bcsr", "sell"});
  CHECK(json["machine"]["id"] == "0f1e2d3c4b5a69788796a5b4c3d2e1f0");
  CHECK(json["provenance"]["bound"]["ceilings"][0] == "DRAM load huge 2t");
  CHECK(json["provenance"]["gap"]["work"].is_null());
  CHECK(json["provenance"]["notes"].size() == 2);
  CHECK(json["provenance"]["verdict"]["sentence"] ==
        "3.89x [3.81, 3.95] faster than the baseline, 1.23x [1.19, 1.25] from the bound");
}

TEST_CASE("the JSON tells what the machine can, as far as it is known") {
  BestConfiguration best = best_configuration(sample::report());
  Json can = parse_json(json_export(best), "export")["machine"]["class"];
  CHECK(can == Json{{"kind", "cpu"},
                    {"model", "Sample CPU @ 2.60GHz"},
                    {"cores", 2},
                    {"simd_bits", 512},
                    {"features", {"fma", "avx2", "avx512f"}}});
  best.machine_identity["cpus"] = "4";
  best.machine_identity["caches"] = "L1 48 KiB x 2, L2 1024 KiB x 2";
  best.speedup.reset();
  const Json json = parse_json(json_export(best), "export");
  can = json["machine"]["class"];
  CHECK(can["threads"] == 4);
  CHECK(can["caches"] == Json{{"L1", 49152}, {"L2", 1048576}});
  CHECK(json["provenance"]["verdict"]["sentence"] == "1.23x [1.19, 1.25] from the bound");
  best.baseline_stands = true;
  best.inconclusive = {"the race was disturbed"};
  CHECK(parse_json(json_export(best), "export")["provenance"]["verdict"]["sentence"] ==
        "inconclusive (the race was disturbed): nothing beats the defaults beyond the noise, "
        "1.23x [1.19, 1.25] from the bound");
}

TEST_CASE("a study without a result exports nothing") {
  StudyResult report = sample::report();
  report.best.reset();
  CHECK_THROWS_WITH(best_configuration(report), Contains("no validated configuration"));
}

TEST_CASE("defaults come from the space when the baseline failed") {
  StudyResult report = sample::report();
  report.baseline.reset();
  const BestConfiguration best = best_configuration(report);
  CHECK(best.baseline.at("format") == Value("csr"));
  CHECK(best.baseline.at("threads") == Value(1));
}

TEST_CASE("exporters are found by name") {
  CHECK(std::string(find_exporter("json")->name) == "json");
  CHECK_FALSE(find_exporter("heder"));
  for (const ExporterRow& row : exporters())
    CHECK_FALSE(row.write(best_configuration(sample::report())).empty());
}

namespace {

/// The last line that a program prints.
std::string last_line(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string line, last;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    if (c == '\n') {
      last = line;
      line.clear();
    } else {
      line += static_cast<char>(c);
    }
  REQUIRE(pclose(pipe) == 0);
  return last;
}

BestConfiguration quoted_values() {
  BestConfiguration best = best_configuration(sample::report());
  best.configuration = Configuration();
  best.configuration.set("text", "a'b\"c\\d$(touch x)`id`;]=]");
  best.configuration.set("a-b", 1);
  best.configuration.set("a_b", 2);
  best.configuration.set("real", 0.5);
  best.configuration.set("truth", true);
  best.knobs.clear();
  best.notes = {"a\nexport PATH=/nowhere"};
  return best;
}

}  // namespace

TEST_CASE("a shell reads the values as they are") {
  const testing::ScratchFolder folder;
  const auto file = folder.write("best.sh", environment_export(quoted_values()));
  CHECK(last_line(". " + file.string() + "; printf '%s\\n' \"$ROOFTUNE_SPMV_TEXT\"") ==
        "a'b\"c\\d$(touch x)`id`;]=]");
  CHECK(last_line(". " + file.string() + "; echo $ROOFTUNE_SPMV_A_B,$ROOFTUNE_SPMV_A_B_2") ==
        "1,2");
}

TEST_CASE("an export says what the application has to apply and whether it stands") {
  StudyResult report = sample::report();
  report.inconclusive = {"the machine was busy"};
  BestConfiguration best = best_configuration(report);
  best.flags = {"-O3", "-march=x86-64-v3"};
  const std::string header = header_export(best);
  CHECK_THAT(header, Contains("not conclusive: the machine was busy") &&
                         Contains("-O3 -march=x86-64-v3") && Contains("arrays huge_pages=true") &&
                         Contains("OpenMP threads="));
  CHECK(parse_json(json_export(best), "export")["provenance"]["verdict"]["conclusive"] == false);
}
