// Ends of compilers: whose fault they are, and the line that says why.
#include <catch2/catch.hpp>

#include "build/compilation.h"
#include "build/host_compiler.h"
#include "support/workshop.h"

using namespace rooftune;
using testing::Workshop;

TEST_CASE("a compiler that was killed is asked once more, and is no fault of the source") {
  const Workshop workshop;
  const Artefact well = workshop.built_by(
      "[ -e killed ] || { : > killed; kill -9 $$; }; echo library > variant.so", {});
  CHECK(well.error == "");
  CHECK_FALSE(well.from_outside);
  for (const char* words : {"kill -9 $$",
                            "echo 'g++: fatal error: Killed signal terminated "
                            "program cc1plus'; exit 1"}) {
    const Artefact ill = workshop.built_by(
        "echo >> " + (workshop.folder.path() / "tries").string() + "; " + words, {});
    CHECK_FALSE(ill.error.empty());
    CHECK(ill.from_outside);
  }
  CHECK(std::filesystem::file_size(workshop.folder.path() / "tries") == 4);
  CHECK_FALSE(workshop
                  .built_by("echo 'g++: internal compiler error: Segmentation fault signal "
                            "terminated program cc1plus'; exit 4",
                            {})
                  .from_outside);
}

TEST_CASE("a compiler that links no OpenMP is found out, with the line that says why") {
  CHECK(sample_fault(host_compiler()) == "");
  const Workshop workshop;
  CHECK(sample_fault({workshop.script("cxx",
                                      "echo 'ld: cannot find -lomp'\n"
                                      "echo 'clang: error: linker command failed'; exit 1"),
                      "14",
                      {}}) == "ld: cannot find -lomp");
}

TEST_CASE("the first error of a log is found, without the folders") {
  CHECK(first_error("In file included from /k/a.h:1,\n/k/openmp.cpp:3:5: error: no\nmore",
                    {"/k"}) == "openmp.cpp:3:5: error: no");
  CHECK(first_error("only words", {}) == "only words");
  CHECK(first_error("/usr/bin/ld: cannot find -lomp: No such file or directory\n"
                    "clang: error: linker command failed with exit code 1 (use -v to see it)",
                    {}) == "/usr/bin/ld: cannot find -lomp: No such file or directory");
  CHECK(first_error("words\ncollect2: error: ld returned 1 exit status", {}) ==
        "collect2: error: ld returned 1 exit status");
  CHECK(first_error("", {}) == "");
}
