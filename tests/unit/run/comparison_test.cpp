#include "run/comparison.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/file.h"
#include "os/temporary_directory.h"
#include "run/array_set.h"

using namespace rooftune;

namespace {

constexpr std::int64_t elements = 10001;

/// An output array beside a reference with the values 1 to 10001.
struct Compared {
  explicit Compared(const std::string& scale) : openmp({"libgomp.so.1"}) {
    Slot slot;
    slot.argument.name = "y";
    slot.argument.pointer = true;
    slot.argument.access = Argument::Access::write;
    slot.count = elements;
    slot.argument.tolerance.relative = 1e-3;
    slot.argument.tolerance.scale = scale;
    slot.argument.tolerance.nan = true;
    setup.slots = {slot};
    setup.reference_folder = folder.path();
    std::filesystem::create_directories(reference_folder(setup, 0));
    arrays = std::make_unique<ArraySet>(setup, Placement{}, openmp);
    got = static_cast<double*>(arrays->pointers(Json::array({nullptr})).front());
    for (std::int64_t i = 0; i < elements; ++i) got[i] = static_cast<double>(i + 1);
    keep();
  }
  /// What is there becomes the reference.
  void keep() const {
    write_bytes(array_file(reference_folder(setup, 0), "y"), got, elements * sizeof(double));
  }
  Comparison compared() const { return compare(setup, *arrays, openmp, 2); }

  TemporaryDirectory folder;
  Setup setup;
  OpenMpRuntime openmp;
  std::unique_ptr<ArraySet> arrays;
  double* got = nullptr;
};

}  // namespace

TEST_CASE("an array is compared as a whole, whoever of a team has which part") {
  for (const char* scale : {"element", "max"}) {
    Compared bench(scale);
    CHECK(bench.compared().fault.empty());
    CHECK(bench.compared().max_error == 0);
    const double unit = std::string(scale) == "max" ? elements : 9001;
    bench.got[9000] += 0.5 * unit * 1e-3;
    CHECK(bench.compared().fault.empty());
    CHECK(bench.compared().max_error == Approx(0.5e-3));
    bench.got[9000] += unit * 1e-3;
    bench.got[7000] = -1;
    bench.got[7001] = -1;
    CHECK_THAT(bench.compared().fault,
               Catch::Contains("element 7000 of 10001: got -1, expected 7001 (error 7e+03") &&
                   Catch::Contains("; 3 elements are wrong"));
  }
}

TEST_CASE("what is not finite is compared one by one") {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Compared bench("element");
  bench.got[5] = NAN;
  bench.got[6] = infinite;
  bench.got[7] = -infinite;
  bench.keep();
  CHECK(bench.compared().fault.empty());
  bench.got[7] = infinite;
  CHECK_THAT(bench.compared().fault, Catch::Contains("element 7 of"));
  bench.got[7] = 3;
  CHECK_THAT(bench.compared().fault, Catch::Contains("element 7 of"));
  bench.got[7] = -infinite;
  bench.got[8000] = NAN;
  CHECK_THAT(bench.compared().fault, Catch::Contains("element 8000 of 10001: got nan"));
}
