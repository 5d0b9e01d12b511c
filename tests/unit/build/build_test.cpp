// Compiler, shims, macros, keys and the cache.
#include <signal.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "build/artefact.h"
#include "build/flags.h"
#include "build/includes.h"
#include "build/shim.h"
#include "core/error.h"
#include "core/file.h"
#include "os/dynamic_library.h"
#include "os/temporary_directory.h"
#include "support/environment_variable.h"
#include "support/workshop.h"

using namespace rooftune;
using Catch::Contains;
using Catch::StartsWith;
using testing::knob;
using testing::one_knob;
using testing::space_with;
using testing::Workshop;

TEST_CASE("the host compiler has a version and the flags of this CPU") {
  const HostCompiler compiler = host_compiler();
  CHECK(std::filesystem::exists(compiler.path));
  CHECK_FALSE(compiler.version.empty());
  CHECK(std::find(compiler.flags.begin(), compiler.flags.end(), "-fopenmp") !=
        compiler.flags.end());
}

TEST_CASE("a chosen compiler that is not there is an error with the package to install") {
  const testing::EnvironmentVariable chosen("ROOFTUNE_CXX", "/nowhere/g++");
  try {
    host_compiler();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK_THAT(error.what(), Contains("/nowhere/g++") && Contains("apt-get install g++"));
    CHECK(error.code() == ExitCode::unavailable);
  }
}

TEST_CASE("a compiler command of several words keeps its order") {
  const testing::EnvironmentVariable chosen("ROOFTUNE_CXX", "env g++");
  const HostCompiler compiler = host_compiler();
  CHECK_THAT(compiler.path, Contains("env"));
  CHECK(compiler.flags.at(0) == "g++");
  CHECK_THAT(compiler.version, Contains("g++") || Contains("GCC"));
}

TEST_CASE("a shim passes scalars by value and read arrays as const") {
  const Workshop workshop;
  const std::string text = shim(workshop.kernel, workshop.backend.source, "twice", true, false);
  CHECK_THAT(text, Contains("#include \"" + workshop.backend.source.string() + "\""));
  CHECK_THAT(text, Contains("twice(*static_cast<const std::int64_t*>(a[0]), "
                            "static_cast<const double*>(a[1]), static_cast<double*>(a[2]));"));
  CHECK_THAT(text, Contains("rt_prepare") && !Contains("rt_finish"));
  CHECK_THROWS_AS(shim(workshop.kernel, "/a\"b/c.cpp", "twice", false, false), Error);
}

TEST_CASE("a variant is built once, loads, and computes") {
  const Workshop workshop;
  ArtefactCache cache = workshop.cache();
  const SearchSpace space = space_with({});
  const Artefact first = cache.variant(workshop.kernel, workshop.backend, space, space.baseline());
  INFO(first.log);
  REQUIRE(first.error == "");
  CHECK_FALSE(first.cached);
  CHECK(first.seconds > 0);
  const Artefact second = cache.variant(workshop.kernel, workshop.backend, space, space.baseline());
  CHECK(second.cached);
  CHECK(second.seconds == 0);
  CHECK(second.key == first.key);
  CHECK(read_text(first.library.parent_path() / "key.txt") == first.explanation);
  const DynamicLibrary library(first.library);
  const auto call = reinterpret_cast<CallSymbol>(library.symbol(call_symbol));
  std::int64_t n = 2;
  double x[] = {3, 4}, y[] = {0, 0};
  void* const arguments[] = {&n, x, y};
  call(arguments);
  CHECK(y[0] == 6);
  CHECK(y[1] == 8);
  // Nothing of the kernel's own may meet another variant's in one process.
  CHECK(library.find("_Z5twicelPKdPd") == nullptr);
}

TEST_CASE("the key follows sources, headers of headers, knobs, flags and compiler") {
  const Workshop workshop;
  ArtefactCache cache = workshop.cache();
  const SearchSpace space = one_knob();
  const auto key = [&](const Configuration& configuration) {
    return cache.described(workshop.kernel, workshop.backend, space, configuration).key;
  };
  const std::string before = key(space.baseline());
  CHECK(key(space.configuration(1)) != before);
  workshop.write("deep.h", "inline double deep() { return 2.0; }\n");
  const std::string deeper = key(space.baseline());
  CHECK(deeper != before);
  Backend flagged = workshop.backend;
  flagged.flags = {"-fno-math-errno"};
  CHECK(cache.described(workshop.kernel, flagged, space, space.baseline()).key != deeper);
  HostCompiler other = host_compiler();
  other.version += " (another)";
  ArtefactCache elsewhere(workshop.folder.path() / "cache", other);
  CHECK(elsewhere.described(workshop.kernel, workshop.backend, space, space.baseline()).key !=
        deeper);
  workshop.write("unrelated.h", "nothing");
  CHECK(key(space.baseline()) == deeper);
}

TEST_CASE("a key is explained by its labelled parts") {
  const Workshop workshop;
  ArtefactCache cache = workshop.cache();
  const SearchSpace space = one_knob();
  const Artefact described =
      cache.described(workshop.kernel, workshop.backend, space, space.baseline());
  CHECK_FALSE(described.cached);
  CHECK_THAT(described.explanation, Contains("macros = -DKNOB_U=1\n") && Contains("version = ") &&
                                        Contains("deep.h") && Contains("shim = "));
  CHECK_FALSE(std::filesystem::exists(workshop.folder.path() / "cache"));
}

TEST_CASE("a failed build is remembered in this cache object only") {
  const Workshop workshop;
  workshop.write("openmp.cpp",
                 "void twice(std::int64_t n, const double* x, double* y) {\n  oops;\n}\n");
  ArtefactCache cache = workshop.cache();
  const SearchSpace space = space_with({});
  const Artefact first = cache.variant(workshop.kernel, workshop.backend, space, space.baseline());
  CHECK_THAT(first.error, StartsWith("openmp.cpp:2:") && Contains("error:") && Contains("oops"));
  CHECK_FALSE(first.log.empty());
  CHECK(first.seconds > 0);
  const Artefact second = cache.variant(workshop.kernel, workshop.backend, space, space.baseline());
  CHECK(second.error == first.error);
  CHECK(second.seconds == 0);
  ArtefactCache anew = workshop.cache();
  CHECK(anew.variant(workshop.kernel, workshop.backend, space, space.baseline()).seconds > 0);
  // Nothing half made stays behind.
  CHECK(std::filesystem::is_empty(workshop.folder.path() / "cache" / "building"));
}

TEST_CASE("missing functions show when building, not when running") {
  const Workshop workshop;
  workshop.write(
      "openmp.cpp",
      "void elsewhere(); void twice(std::int64_t, const double*, double*) { elsewhere(); }");
  ArtefactCache cache = workshop.cache();
  const SearchSpace space = space_with({});
  CHECK_THAT(cache.variant(workshop.kernel, workshop.backend, space, space.baseline()).error,
             Contains("elsewhere"));
}

TEST_CASE("a compiler that hangs is killed, one that writes nothing has failed") {
  const Workshop workshop;
  const auto error = [&](const std::string& script) { return workshop.built_by(script, {}).error; };
  CHECK(workshop.built_by("sleep 1000", {}, 0.5).error == "the compiler was killed after 0.5 s");
  CHECK(error("exit 0") == "the compiler wrote no shared object");
  CHECK(error("exit 3") == "the compiler ended with exit code 3");
  CHECK(error("yes 'noise' | head -c 9000000; echo 'x.cpp:1:1: error: bad' ; exit 1") == "noise");
}

TEST_CASE("a compiler that prints for ever is killed at its deadline") {
  const Workshop workshop;
  const Artefact artefact = workshop.built_by("exec yes noise", {}, 1);
  CHECK(artefact.error == "the compiler was killed after 1 s");
  CHECK(artefact.log.size() == 16u << 10);
}

TEST_CASE("a compiler that takes too much is killed, and the build says of what") {
  const Workshop workshop;
  const Bounds bounds{std::size_t{64} << 20, std::size_t{20} << 20, 40};
  const auto error = [&](const std::string& script) {
    return workshop.built_by(script, bounds).error;
  };
  CHECK(error("exec tail /dev/zero") ==
        "the compiler was killed: it took more than 64 MiB of memory");
  // What it started counts as well.
  CHECK(error("setsid tail /dev/zero & wait") ==
        "the compiler was killed: it took more than 64 MiB of memory");
  const std::string disk = "the compiler was killed: it took more than 20 MiB of disk";
  CHECK(error("yes > flood; exit 1") == disk);
  CHECK(error("mkdir d; n=0; while :; do n=$((n + 1)); head -c 1000000 /dev/zero > d/$n; done") ==
        disk);
  CHECK(error("while :; do sleep 1000 & done") ==
        "the compiler was killed: it took more than 40 processes");
  // Those whose parents have ended count, too.
  CHECK(error("while :; do (setsid sleep 1000 &); done") ==
        "the compiler was killed: it took more than 40 processes");
  CHECK(std::filesystem::is_empty(workshop.folder.path() / "cache" / "building"));
}

TEST_CASE("nothing that a killed compiler started outlives it") {
  const Workshop workshop;
  const auto pids = workshop.folder.path() / "pids";
  const std::string file = pids.string(),
                    forks = "sh -c 'echo $$ >> " + file + "; exec sleep 1000'";
  const Bounds little{std::size_t{64} << 20};
  workshop.built_by(forks + " & setsid " + forks + " & (setsid " + forks + " &); while [ $(cat " +
                        file + " | wc -l) -lt 3 ]; do sleep 0.1; done; exec tail /dev/zero",
                    little);
  std::ifstream list(pids);
  std::vector<pid_t> started(std::istream_iterator<pid_t>(list), {});
  CHECK(started.size() == 3);
  for (const pid_t pid : started) CHECK(kill(pid, 0) != 0);
}

TEST_CASE("noise around a compiler is not its version") {
  const Workshop workshop;
  const testing::EnvironmentVariable chosen(
      "ROOFTUNE_CXX",
      workshop.script(
          "cxx",
          "echo 'wrapper: no such locale' >&2; echo 'g++ (Some Linux 12.2.0-14) 12.2.0'; "
          "echo 'Copyright (C) 2022'"));
  CHECK(host_compiler().version == "g++ (Some Linux 12.2.0-14) 12.2.0");
  const testing::EnvironmentVariable preload("LD_PRELOAD", "/nowhere/libnoise.so.1.2");
  const testing::EnvironmentVariable real("ROOFTUNE_CXX", "env c++");
  CHECK_THAT(host_compiler().version, !Contains("libnoise"));
}

TEST_CASE("the linker is one that works, and the compiler's own where none does") {
  const Workshop workshop;
  {
    const testing::EnvironmentVariable without(
        "ROOFTUNE_CXX",
        workshop.script("cxx", "case \"$*\" in *-fuse-ld=*) exit 1;; esac\nexec g++ \"$@\""));
    CHECK(host_compiler().linker.empty());
  }
  {
    // What a killed one leaves goes with its folder.
    const auto places = workshop.folder.path() / "places";
    const testing::EnvironmentVariable chosen(
        "ROOFTUNE_CXX", workshop.script("places_cxx",
                                        "[ $1 = --version ] || [ $TMPDIR = $PWD ] || "
                                        "echo $TMPDIR >> " +
                                            places.string() + "\nexec g++ \"$@\""));
    host_compiler();
    CHECK_FALSE(std::filesystem::exists(places));
  }
  for (const std::string& flag : host_compiler().linker) {
    CHECK_THAT(flag, StartsWith("-fuse-ld="));
    const Artefact described = workshop.cache().described(workshop.kernel, workshop.backend,
                                                          one_knob(), one_knob().baseline());
    CHECK_THAT(described.command, Contains(" " + flag));
    CHECK(described.explanation.find(flag) == std::string::npos);
  }
}

TEST_CASE("a cache that cannot be made is an error with the variable to set") {
  const Workshop workshop;
  workshop.write("file", "");
  ArtefactCache cache(workshop.folder.path() / "file" / "cache", host_compiler());
  const SearchSpace space = space_with({});
  try {
    cache.variant(workshop.kernel, workshop.backend, space, space.baseline());
    FAIL("no error");
  } catch (const Error& error) {
    CHECK_THAT(error.hint(), Contains("ROOFTUNE_CACHE"));
  }
}

TEST_CASE("flags that a manifest must not have are refused") {
  const Workshop workshop;
  ArtefactCache cache = workshop.cache();
  const SearchSpace space = space_with({});
  for (const char* flag :
       {"-fplugin=evil.so", "-I/etc", "-DX=1", "@file", "-Wl,-rpath,/", "x.cpp"}) {
    Backend backend = workshop.backend;
    backend.flags = {flag};
    CHECK_THROWS_AS(cache.variant(workshop.kernel, backend, space, space.baseline()), Error);
  }
}

TEST_CASE("macros: numbers, truths, words and all their enumerators") {
  const SearchSpace space = space_with({knob("unroll", Knob::Kind::compile, {4, 8}),
                                        knob("fast", Knob::Kind::compile, {true, false}),
                                        knob("factor", Knob::Kind::compile, {-0.5}),
                                        knob("format", Knob::Kind::compile, {"csr", "sell-c"}),
                                        knob("threads", Knob::Kind::openmp, {1, 2})});
  CHECK(definitions(knob_macros(space, space.baseline())) ==
        std::vector<std::string>{"-DKNOB_UNROLL=4", "-DKNOB_FAST=1", "-DKNOB_FACTOR=-0.5",
                                 "-DKNOB_FORMAT_CSR=0", "-DKNOB_FORMAT_SELL_C=1",
                                 "-DKNOB_FORMAT=KNOB_FORMAT_CSR"});
}

TEST_CASE("values that a machine bars keep their enumerators") {
  Knob store = knob("store", Knob::Kind::compile, {"plain"});
  store.barred = {"stream"};
  store.collapsed = "no such stores here";
  const SearchSpace space("s", {store}, {}, {});
  CHECK(definitions(knob_macros(space, space.baseline())) ==
        std::vector<std::string>{"-DKNOB_STORE_PLAIN=0", "-DKNOB_STORE_STREAM=1",
                                 "-DKNOB_STORE=KNOB_STORE_PLAIN"});
}

TEST_CASE("a knob that a configuration lacks has its default") {
  const SearchSpace space = space_with(
      {knob("unroll", Knob::Kind::compile, {4, 8}), knob("fast", Knob::Kind::compile, {true})});
  Configuration older;
  older.set("unroll", 8);
  CHECK(definitions(knob_macros(space, older)) ==
        std::vector<std::string>{"-DKNOB_UNROLL=8", "-DKNOB_FAST=1"});
}

TEST_CASE("knobs may have names that mean something to C++") {
  const Workshop workshop;
  std::vector<Knob> knobs;
  std::string sum = "0";
  for (const char* name : {"asm", "typename", "xor", "linux", "unix", "errno"}) {
    knobs.push_back(knob(name, Knob::Kind::compile, {1, 2}));
    sum += " + " + macro_name(name);
  }
  knobs.push_back(knob("system", Knob::Kind::compile, {"linux", "unix", "errno", "asm"}));
  workshop.write("openmp.cpp",
                 "#include <cerrno>\nvoid twice(std::int64_t, const double*, double* y) {\n"
                 "  static_assert(" +
                     sum +
                     " == 6 && KNOB_SYSTEM == KNOB_SYSTEM_LINUX);\n"
                     "  y[0] = KNOB_SYSTEM_ERRNO;\n}\n");
  ArtefactCache cache = workshop.cache();
  const SearchSpace space = space_with(knobs);
  CHECK(cache.variant(workshop.kernel, workshop.backend, space, space.baseline()).error == "");
}

TEST_CASE("fast-math code does not switch denormals off for its process") {
  const Workshop workshop;
  ArtefactCache cache = workshop.cache();
  Knob math = knob("m", Knob::Kind::flag, {"fast"});
  math.flags = {{"-Ofast"}};
  const SearchSpace space = space_with({math});
  const Artefact artefact =
      cache.variant(workshop.kernel, workshop.backend, space, space.baseline());
  INFO(artefact.log);
  REQUIRE(artefact.error == "");
  const DynamicLibrary library(artefact.library);
  volatile double tiny = 5e-324;
  CHECK(tiny * 1.0 > 0);
}
