// Sources of C and Fortran: their compilers, their shims, and what they compute.
#include <algorithm>
#include <catch2/catch.hpp>

#include "build/artefact.h"
#include "build/shim.h"
#include "core/error.h"
#include "os/dynamic_library.h"
#include "support/environment_variable.h"
#include "support/workshop.h"

using namespace rooftune;
using Catch::Contains;
using testing::Workshop;

namespace {

/// Calls a variant of twice(n, x, y) in a source with this name and text.
std::vector<double> called(const std::string& file, const std::string& text) {
  Workshop workshop;
  workshop.write(file, text);
  workshop.backend.source = workshop.folder.path() / file;
  ArtefactCache cache = workshop.cache();
  const SearchSpace space = testing::space_with({});
  const Artefact made = cache.variant(workshop.kernel, workshop.backend, space, space.baseline());
  INFO(made.log);
  REQUIRE(made.error.empty());
  const DynamicLibrary library(made.library);
  std::int64_t n = 3;
  std::vector<double> x{1, 2, 3}, y(3);
  void* arguments[] = {&n, x.data(), y.data()};
  reinterpret_cast<CallSymbol>(library.symbol(call_symbol))(arguments);
  return y;
}

}  // namespace

TEST_CASE("the compiler of a language is of the family of the C++ compiler, or chosen") {
  CHECK(language_of("a.c") == Language::c);
  CHECK(language_of("a.f90") == Language::fortran);
  CHECK(language_of("a.cc") == Language::cpp);
  HostCompiler host = host_compiler();
  host.path = "/usr/bin/g++";
  const HostCompiler c = compiler_of(Language::c, host);
  CHECK_THAT(c.path, Catch::EndsWith("gcc"));
  CHECK(c.flags.front() == "-std=gnu17");
  CHECK(std::ranges::count(c.flags, "-std=c++20") == 0);
  const testing::EnvironmentVariable chosen("CC", "/nowhere/cc");
  CHECK_THROWS_WITH(compiler_of(Language::c, host), Contains("/nowhere/cc"));
}

TEST_CASE("a C source computes") {
  CHECK(called("c.c",
               "#include <math.h>\n#include <stdint.h>\n"
               "void twice(int64_t n, const double x[n], double y[n]) {\n"
               "for (int64_t i = 0; i < n; ++i) y[i] = 2 * sqrt(x[i] * x[i]); }") ==
        std::vector<double>{2, 4, 6});
}

TEST_CASE("a Fortran subroutine computes, alone, in a module and bound to C") {
  const std::string body =
      "  integer(8) :: n, i\n  real(8) :: x(n), y(n)\n  do i = 1, n\n    y(i) = 2 * x(i)\n"
      "  end do\nend subroutine\n";
  const std::vector<double> expected{2, 4, 6};
  CHECK(called("a.f90", "subroutine twice(n, x, y)\n" + body) == expected);
  CHECK(called("b.f90", "module m\ncontains\nsubroutine Twice(n, &  ! comment\n  x, y)\n" + body +
                            "end module m\n") == expected);
  CHECK(called("c.f90",
               "subroutine twice(n, x, y) bind(c, name='doubled')\n"
               "  integer(8), value :: n\n  integer(8) :: i\n  real(8) :: x(n), y(n)\n"
               "  do i = 1, n\n    y(i) = 2 * x(i)\n  end do\nend subroutine\n") == expected);
  CHECK_THROWS_WITH(called("d.f90", "subroutine other(n)\nend subroutine\n"),
                    Contains("has no subroutine twice"));
}
