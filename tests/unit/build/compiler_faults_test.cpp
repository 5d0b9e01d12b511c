// Ends of compilers: whose fault they are, and the line that says why.
#include <catch2/catch.hpp>

#include "build/compilation.h"
#include "build/host_compiler.h"
#include "os/paths.h"
#include "support/environment_variable.h"
#include "support/workshop.h"

using namespace rooftune;
using testing::EnvironmentVariable;
using testing::knob;
using testing::space_with;
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

TEST_CASE("the newest compiler of the other family that builds variants is the second one") {
  const Workshop workshop;
  const HostCompiler gnu{"/usr/bin/g++", "g++ (Debian) 12.2.0", {"-std=c++20", "-fopenmp"}};
  const auto install = [&](const char* name, const std::string& says, const char* builds) {
    workshop.script(name, "[ \"$1\" != --version ] || { echo '" + says + "'; exit; }\n" + builds);
  };
  const auto second = [&](const std::string& folder) {
    const EnvironmentVariable path("PATH", folder);
    return other_compiler(gnu);
  };
  CHECK_FALSE(second((workshop.folder.path() / "empty").string()));
  install("clang++-38", "clang version 38.1.0", "PATH=/usr/bin:/bin exec g++ \"$@\"");
  install("clang++-39", "clang version 39.1.0", "echo 'cannot find -lomp'; exit 1");
  install("clang++-40", "icpx 2040.1", "PATH=/usr/bin:/bin exec g++ \"$@\"");
  const auto found = second(workshop.folder.path().string());
  REQUIRE(found);
  CHECK(found->version == "clang version 38.1.0");
  CHECK(family(*found) == "clang++");
  CHECK(openmp_libraries(*found).front() == "libomp.so.5");
  CHECK(family(gnu) == "g++");
  CHECK(openmp_libraries(gnu) == Texts{"libgomp.so.1"});
}

TEST_CASE("a configuration is built by the compiler that it names") {
  const Workshop workshop;
  workshop.script("clang++-40",
                  "[ \"$1\" != --version ] || { echo 'clang version 40.1.0'; exit; }\n"
                  "exec g++ \"$@\"");
  const EnvironmentVariable path("PATH",
                                 workshop.folder.path().string() + ":" + environment_text("PATH"));
  ArtefactCache cache = workshop.cache();
  const SearchSpace space = space_with({knob("c", Knob::Kind::compiler, {"g++", "clang++"})});
  Configuration other = space.baseline();
  other.set("c", "clang++");
  const auto described = [&](const Configuration& one) {
    return cache.described(workshop.kernel, workshop.backend, space, one);
  };
  CHECK_FALSE(contains(described(space.baseline()).command, "clang++-40"));
  CHECK(described(other).command.starts_with((workshop.folder.path() / "clang++-40").string()));
  CHECK(described(other).key != described(space.baseline()).key);
  const Artefact built = cache.variant(workshop.kernel, workshop.backend, space, other);
  CHECK(built.error == "");
  CHECK(contains(built.explanation, "clang version 40.1.0"));
  const EnvironmentVariable nowhere("PATH", (workshop.folder.path() / "cache").string());
  CHECK_THROWS_WITH(cache.compiler(space, other),
                    Catch::Contains("there is no clang++ here that builds variants"));
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
