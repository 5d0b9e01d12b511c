
#include <catch2/catch.hpp>
#include <fstream>

#include "build/includes.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"
#include "support/scratch_folder.h"

using namespace rooftune;
using Catch::Contains;

namespace {

const std::vector<Macro> macros{{"KNOB_WIDTH", "8"},
                                {"KNOB_FORM_ROWS", "0"},
                                {"KNOB_FORM_CHUNKS", "1"},
                                {"KNOB_FORM", "KNOB_FORM_CHUNKS"}};

std::string text_of(const std::string& source, const testing::ScratchFolder& folder) {
  return amalgamated(folder.write("source.cpp", source), folder.path(), macros).text;
}

}  // namespace

TEST_CASE("knobs become their numbers, and only whole words do") {
  const testing::ScratchFolder folder;
  const std::string text =
      text_of("int a = KNOB_WIDTH, b = MY_KNOB_WIDTH, c = KNOB_FORM == KNOB_FORM_ROWS;\n", folder);
  CHECK(text == "int a = 8, b = MY_KNOB_WIDTH, c = 1 == 0;\n");
}

TEST_CASE("what other configurations need is gone, what the compiler decides stays") {
  const testing::ScratchFolder folder;
  folder.write("rows.h", "int rows;\n");
  folder.write("chunks.h", "#pragma once\nint chunks;\n");
  const std::string text = text_of(
      "#include <cstdint>\n"
      "#if KNOB_FORM == KNOB_FORM_ROWS && \\\n    KNOB_WIDTH == 8\n#include \"rows.h\"\n"
      "#else\n#include \"chunks.h\"\n#endif\n#include \"chunks.h\"\n"
      "#if defined(__AVX2__)\nint wide;\n#endif\n",
      folder);
  CHECK_THAT(text, Contains("int chunks;") && Contains("#if defined(__AVX2__)\nint wide;"));
  CHECK_THAT(text, !Contains("include") && !Contains("pragma once"));
  CHECK(text.find("int chunks;") == text.rfind("int chunks;"));
  // Without unifdef the branch stays, behind a condition that is false.
  if (find_program("unifdef"))
    CHECK_THAT(text, !Contains("int rows;") && !Contains("1 == 0"));
  else
    WARN("unifdef is not here: branches of other configurations stay");
}

TEST_CASE("headers of the system stand in front") {
  const testing::ScratchFolder folder;
  const auto source = folder.write("source.cpp", "#include <cmath>\n# include  <omp.h>\nint a;\n");
  const Amalgamation code = amalgamated(source, folder.path(), macros);
  CHECK(code.system_headers == std::set<std::string>{"cmath", "omp.h"});
  CHECK(code.text == "int a;\n");
  CHECK_THAT(code.includes(), Contains("#include <omp.h>\n"));
}

TEST_CASE("a header of its own that is not there is named") {
  const testing::ScratchFolder folder;
  CHECK_THROWS_WITH(text_of("#include \"gone.h\"\n", folder), Contains("gone.h"));
}

TEST_CASE("included files are found through each other, once") {
  const TemporaryDirectory folder;
  const auto write = [&](const char* name, const char* text) {
    std::ofstream(folder.path() / name) << text;
  };
  std::filesystem::create_directory(folder.path() / "include");
  write("a.cpp", "#include \"b.h\"\n  #  include <c.h>\n#include <vector>\n// #include \"d.h\"\n");
  write("b.h", "#include \"b.h\"\n#include \"include/e.h\"\n");
  write("include/c.h", "");
  write("include/e.h", "#include \"../b.h\"\n");
  write("d.h", "");
  std::vector<std::string> names;
  for (const auto& file : included_files(folder.path() / "a.cpp", folder.path() / "include"))
    names.push_back(file.filename());
  CHECK(names == std::vector<std::string>{"b.h", "c.h", "e.h"});
}
