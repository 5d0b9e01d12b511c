// Subroutines of Fortran: their dummies, the modules that they use, and their pragmas with knobs.
#include "scaffold/fortran.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/error.h"
#include "core/file.h"
#include "os/temporary_directory.h"

using namespace rooftune;
using namespace rooftune::scaffold;
using Catch::Contains;

namespace {

constexpr const char* kernels = R"(MODULE kernels
  USE sizes   ! of another file
  USE nowhere, ONLY: absent
  IMPLICIT NONE
  PRIVATE
  PUBLIC :: work, other
CONTAINS
SUBROUTINE work(n, m, h, a, b, total, flat)
  INTEGER(KIND=4) :: n, m, h, i, j
  REAL(wp), DIMENSION(1-h:n+h, m) :: a, &
                                     b
  real*4, intent(in) :: flat(*)
  DOUBLE PRECISION :: total
  total = 0
!$OMP PARALLEL DO PRIVATE(i) SCHEDULE(dynamic, 4) COLLAPSE(2) &
!$OMP   REDUCTION(+:total)
  DO j = 1, m
    DO i = 1, n
      b(i, j) = helper(a(i, j)) * flat(1)
    END DO
  ENDDO
!$OMP END PARALLEL DO
  if (n > 1) total = total + b(1, 1)
END SUBROUTINE work
REAL(wp) FUNCTION helper(x)
  REAL(wp), INTENT(IN) :: x
  helper = side * x
END FUNCTION
SUBROUTINE other(n)
  INTEGER :: n
END SUBROUTINE other
END MODULE
)";

}  // namespace

TEST_CASE("fixed form becomes free form") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "old.f";
  write_atomically(file, R"(C     A comment; the text behind column 72 is none of the statement.
      subroutine work(n, a,                                             12345678
     &                b)  ! goes on
      integer n, i
* Another comment
      double precision a(n),
     1                 b(n)
C$OMP PARALLEL DO PRIVATE(i)
c$omp&SCHEDULE(static)
      do 10 i = 1, n
        b(i) = 2 * a(i)
 10   continue
      end
)");
  const Sketch sketch = sketch_of("k", std::nullopt, SourceName{file, "work"}, {{"n", "100"}});
  REQUIRE(sketch.arguments.size() == 3);
  CHECK(sketch.arguments[2].access == kernel::Argument::Access::write);
  CHECK(sketch.arguments[2].count == "(n)");
  CHECK_THAT(sketch.variant, Contains("!$omp parallel do private(i) schedule(runtime)\n"));
  CHECK_THAT(sketch.reference, Contains("! Another comment") && !Contains("12345678"));
}

TEST_CASE("a subroutine becomes a kernel with what it reaches of its modules") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "kernels.f90";
  write_atomically(file, kernels);
  write_atomically(folder.path() / "sizes.f90",
                   "module sizes\n integer, parameter :: wp = 8, side = 2\nend module\n");
  const Sketch sketch =
      sketch_of("k", std::nullopt, SourceName{file, "Work"}, {{"elements_of_flat", "n"}});
  std::string all;
  for (const SketchArgument& one : sketch.arguments)
    all += fmt::format("{} {}{} {} {} {};", one.name, one.type.word(), one.array ? "*" : "",
                       one.array ? word(one.access) : "=", one.array ? one.count : one.value,
                       one.guessed);
  CHECK(all ==
        "n int32 = 1000 true;m int32 = 1000 true;h int32 = 1 true;"
        "a double* read (( n + h ) - ( 1 - h ) + 1)*(m) false;"
        "b double* update (( n + h ) - ( 1 - h ) + 1)*(m) false;"
        "total double* update 1 false;flat float* read n false;");
  CHECK(sketch.extension == ".f90");
  CHECK(sketch.knobs.first_schedule == "dynamic");
  CHECK(sketch.knobs.collapse == 2);
  CHECK_THAT(sketch.variant, Contains("!$omp parallel do private(i) reduction(+:total) "
                                      "schedule(runtime) collapse(KNOB_COLLAPSE)\n"));
  for (const char* there : {"module sizes", "FUNCTION helper", "SCHEDULE(dynamic, 4)"})
    CHECK_THAT(sketch.reference, Contains(there));
  for (const char* gone : {"nowhere", "PUBLIC", "SUBROUTINE other"})
    CHECK_THAT(sketch.reference, !Contains(gone));
}

TEST_CASE("a subroutine that no kernel can be is refused with the cure") {
  const TemporaryDirectory folder;
  const auto fault = [&](const char* name, const char* text) {
    write_atomically(folder.path() / name, text);
    try {
      sketch_of("k", std::nullopt, SourceName{folder.path() / name, "f"}, {});
    } catch (const Error& error) {
      return error.message() + "; " + error.hint();
    }
    return std::string("nothing");
  };
  CHECK_THAT(fault("a.f90", "subroutine ff(n)\ninteger :: n\nend\n"),
             Contains("defines no subroutine \"f\"; did you mean \"ff\"?"));
  CHECK_THAT(fault("a.f90", "real(8) function f(a)\nreal(8) :: a\nf = a\nend\n"),
             Contains("defines no subroutine \"f\""));
  CHECK_THAT(fault("a.f90", "subroutine f(a)\nreal :: a(:)\nend subroutine\n"),
             Contains("\"a\" has an assumed shape; a kernel takes numbers"));
  CHECK_THAT(fault("a.f90", "subroutine f(a)\ntype(grid) :: a\nend subroutine\n"),
             Contains("\"a\" is no number and no array"));
  CHECK_THAT(fault("a.f90", "subroutine f(a, *)\nreal :: a\nend subroutine\n"),
             Contains("\"*\" has no declaration"));
  CHECK_THAT(fault("a.f", "      subroutine f(a)\n      end\n"),
             Contains("\"a\" has no declaration"));
  for (const char* torn : {"subroutine f(", "subroutine f(a)\nreal :: a(", "end\nend", "&\n&"})
    CHECK_NOTHROW(fault("a.f90", torn));
}
