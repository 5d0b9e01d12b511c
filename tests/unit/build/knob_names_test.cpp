// Which knobs a source names, and what is said of those that its search space does not have.
#include <catch2/catch.hpp>
#include <fstream>

#include "build/artefact.h"
#include "build/flags.h"
#include "build/includes.h"
#include "core/error.h"
#include "os/temporary_directory.h"
#include "support/workshop.h"

using namespace rooftune;
using namespace rooftune::testing;
using Catch::Contains;

namespace {

SearchSpace small_space() {
  return {"scale.openmp",
          {knob("unroll", Knob::Kind::compile, {1, 2}),
           knob("format", Knob::Kind::compile, {"csr", "sell"}),
           knob("chunk", Knob::Kind::openmp, {0, 8})},
          {},
          {}};
}

/// A kernel scale(n, x, y) with this source.
class Folder {
 public:
  explicit Folder(const std::string& openmp) {
    write("openmp.cpp", openmp);
    kernel.name = kernel.function = "scale";
    kernel.folder = folder_.path();
    Argument n;
    n.name = "n";
    n.type = Argument::Type::int64;
    kernel.arguments = {n};
    backend.name = "openmp";
    backend.source = folder_.path() / "openmp.cpp";
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
  }
  std::vector<NamedKnob> named() const { return named_knobs(backend.source, folder_.path()); }
  /// "file:line macro" of each.
  std::vector<std::string> places() const {
    std::vector<std::string> all;
    for (const NamedKnob& one : named())
      all.push_back(one.file.filename().string() + ":" + std::to_string(one.line) + " " +
                    one.macro + (one.is_part ? "##" : ""));
    return all;
  }
  /// The faults without the folder.
  std::vector<std::string> faults() const {
    std::vector<std::string> all = unknown_knobs(named(), small_space());
    for (std::string& one : all) one = one.substr(folder_.path().string().size() + 1);
    return all;
  }
  Artefact built() const {
    const SearchSpace space = small_space();
    return ArtefactCache(folder_.path() / "cache", host_compiler())
        .variant(kernel, backend, space, space.baseline());
  }

  Kernel kernel;
  Backend backend;

 private:
  TemporaryDirectory folder_{"rooftune-knobs"};
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("knobs are found in code and directives, in headers too, not in comments and literals") {
  const Folder folder(R"raw(#include "body.h"
// KNOB_COMMENT \
   KNOB_CONTINUED
/* KNOB_BLOCK_COMMENT
*/ #if KNOB_IN_DIRECTIVE > 1'000
const char* a = "KNOB_TEXT \" KNOB_TEXT"; char b = '"'; int c = KNOB_AFTER_CHARACTER;
const char* d = R"x(KNOB_RAW )" KNOB_RAW
)x"; int e = KNOB_AFTER_RAW;
#error that's KNOB_AFTER_APOSTROPHE
int f = MY_KNOB_OTHER + KNOB_UNROLL + KNOB_UNROLL + 0xKNOB_HEX;
#define IS(WORD) (KNOB_FORMAT == KNOB_FORMAT_ ## WORD)
)raw");
  folder.write("body.h", "\nint g = KNOB_IN_HEADER, h = KNOB_UNROLL;\n");
  CHECK(folder.places() == Texts{"openmp.cpp:5 KNOB_IN_DIRECTIVE",
                                 "openmp.cpp:6 KNOB_AFTER_CHARACTER", "openmp.cpp:8 KNOB_AFTER_RAW",
                                 "openmp.cpp:10 KNOB_UNROLL", "openmp.cpp:11 KNOB_FORMAT",
                                 "openmp.cpp:11 KNOB_FORMAT_##", "body.h:2 KNOB_IN_HEADER"});
}

TEST_CASE("a misspelt knob is told with its place and what was meant, all of them at once") {
  const Folder folder(
      "#ifndef KNOB_UNROL\n#define KNOB_UNROL 1\n#endif\n"
      "#if KNOB_FORMAT == KNOB_FORMAT_SEL\n#endif\n"
      "#ifdef KNOB_SOMETHING_ELSE_ALTOGETHER\n#endif\n"
      "int chunk = KNOB_CHUNK;\n");
  CHECK(folder.faults() ==
        Texts{"openmp.cpp:1: error: KNOB_UNROL is no knob of search space scale.openmp; "
              "did you mean KNOB_UNROLL?",
              "openmp.cpp:4: error: KNOB_FORMAT_SEL is no knob of search space scale.openmp; "
              "did you mean KNOB_FORMAT_SELL?",
              "openmp.cpp:6: error: KNOB_SOMETHING_ELSE_ALTOGETHER is no knob of search space "
              "scale.openmp",
              "openmp.cpp:8: error: knob chunk is of kind openmp, which has no macro"});
}

TEST_CASE("a variant that names an unknown knob is not built") {
  const std::string body = "void scale(std::int64_t) {}\n";
  const Folder folder("#ifndef KNOB_UNROL\n#define KNOB_UNROL 1\n#endif\n" + body);
  const Artefact artefact = folder.built();
  CHECK(artefact.library.empty());
  CHECK(artefact.error ==
        "openmp.cpp:1: error: KNOB_UNROL is no knob of search space scale.openmp; "
        "did you mean KNOB_UNROLL?");
  folder.write("openmp.cpp", "#if KNOB_UNROL > 1\n#endif\nint a = KNOB_FORM;\n" + body);
  CHECK_THAT(folder.built().error, Contains("KNOB_UNROL is no knob") && Contains("(and 1 more)"));
  CHECK_THAT(folder.built().log, Contains("openmp.cpp:3: error: KNOB_FORM is no knob"));
  folder.write("openmp.cpp", "#if KNOB_UNROLL > 1\n#endif\n" + body);
  CHECK(folder.built().error == "");
}

TEST_CASE("knobs that nobody reads are told") {
  Folder folder("int a = KNOB_FORMAT == KNOB_FORMAT_SELL;\n");
  CHECK(unread_knobs(folder.named(), folder.kernel, small_space()) == Texts{"unroll"});
  const SearchSpace arguments{
      "s",
      {knob("rows", Knob::Kind::argument, {1}), knob("cols", Knob::Kind::argument, {1})},
      {},
      {}};
  folder.kernel.arguments[0].value = Expression::parse("2*rows");
  CHECK(unread_knobs(folder.named(), folder.kernel, arguments) == Texts{"cols"});
  folder.write("openmp.cpp",
               "#define IS(W) (KNOB_FORMAT == KNOB_FORMAT_##W)\n#define K(N) KNOB_##N\n");
  CHECK(unread_knobs(folder.named(), folder.kernel, small_space()).empty());
}

TEST_CASE("a header holds the macros of the defaults") {
  const SearchSpace space = space_with({knob("unroll", Knob::Kind::compile, {4, 8}),
                                        knob("format", Knob::Kind::compile, {"csr", "sell-c"}),
                                        knob("threads", Knob::Kind::openmp, {1, 2})});
  CHECK_THAT(knob_header(space), Catch::EndsWith("#pragma once\n"
                                                 "#define KNOB_UNROLL 4\n"
                                                 "#define KNOB_FORMAT_CSR 0\n"
                                                 "#define KNOB_FORMAT_SELL_C 1\n"
                                                 "#define KNOB_FORMAT KNOB_FORMAT_CSR\n"));
}

TEST_CASE("macros that would collide are refused") {
  const SearchSpace values = space_with({knob("f", Knob::Kind::compile, {"a-b", "a_b"})});
  CHECK_THROWS_AS(knob_macros(values, values.baseline()), Error);
  const SearchSpace names =
      space_with({knob("f", Knob::Kind::compile, {"g"}), knob("f_g", Knob::Kind::compile, {1})});
  CHECK_THROWS_AS(knob_macros(names, names.baseline()), Error);
}
