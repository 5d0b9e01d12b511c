// Arrays of every type: filled, poisoned, compared with a reference.
#include "run/element.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>

#include "core/file.h"
#include "os/temporary_directory.h"
#include "run/array_set.h"
#include "run/comparison.h"
#include "run/fill.h"

using namespace rooftune;

namespace {

constexpr const char* type_words[] = {"int8",           "int16",           "int32",  "int64",
                                      "uint8",          "uint16",          "uint32", "uint64",
                                      "bool",           "bfloat16",        "half",   "double",
                                      "complex<float>", "complex<double>", "float",  "bytes:12"};
constexpr std::int64_t few = 9;

/// A written array of a type beside the reference's, both as they are filled.
struct TypedArrays {
  explicit TypedArrays(const std::string& word, const Tolerance& tolerance = {0, 0, "element"})
      : type(*ElementType::named(word)), openmp({"libgomp.so.1"}) {
    Slot slot;
    slot.argument.name = "y";
    slot.argument.type = type;
    slot.argument.pointer = true;
    slot.argument.access = Argument::Access::write;
    slot.argument.tolerance = tolerance;
    slot.count = few;
    setup.slots = {slot};
    setup.reference_folder = folder.path();
    std::filesystem::create_directories(reference_folder(setup, 0));
    arrays = std::make_unique<ArraySet>(setup, Placement{}, openmp);
    got = static_cast<unsigned char*>(arrays->pointers(Json::array({nullptr})).front());
    fill(1);
    keep();
  }
  void fill(double value) const {
    Fill rule;
    rule.kind = Fill::Kind::constant;
    rule.value = value;
    fill_range(rule, type, got, 0, few, few);
  }
  template <class T>
  void set(std::int64_t position, T value) const {
    reinterpret_cast<T*>(got)[position] = value;
  }
  void keep() const {
    write_bytes(array_file(reference_folder(setup, 0), "y"), got,
                static_cast<std::size_t>(few) * type.size());
  }
  std::string fault() const { return compare(setup, *arrays, openmp, 1).fault; }

  ElementType type;
  TemporaryDirectory folder;
  Setup setup;
  OpenMpRuntime openmp;
  std::unique_ptr<ArraySet> arrays;
  unsigned char* got = nullptr;
};

struct Particle {
  double x[3];
};

/// Every bit pattern that is a number is the one nearest to its value.
template <class Short>
void check_patterns() {
  for (int bits = 0; bits < 1 << 16; ++bits) {
    Short number;
    number.bits = static_cast<std::uint16_t>(bits);
    const auto value = static_cast<double>(number);
    if (value == value)
      REQUIRE(Short(value).bits == number.bits);
    else
      REQUIRE(static_cast<double>(Short(value)) != static_cast<double>(Short(value)));
  }
}

}  // namespace

TEST_CASE("an array of any type is guarded, poisoned, filled and compared") {
  for (const char* word : type_words) {
    INFO(word);
    const TypedArrays bench(word);
    const std::size_t bytes = static_cast<std::size_t>(few) * bench.type.size();
    CHECK(bench.arrays->damage().empty());
    CHECK(bench.fault().empty());
    CHECK_FALSE(is_all_poison(bench.type, bench.got, few));
    bench.got[bench.type.size() * 5] ^= 1;
    CHECK_THAT(bench.fault(), Catch::Contains("array y: element 5 of 9: got "));
    bench.arrays->poison_outputs();
    CHECK(is_all_poison(bench.type, bench.got, few));
    CHECK_FALSE(bench.fault().empty());
    // What neither wrote is equal.
    bench.keep();
    CHECK(bench.fault().empty());
    bench.got[bytes] ^= 1;
    CHECK_THAT(bench.arrays->damage(), Catch::Contains("written 0 bytes behind its end"));
  }
}

TEST_CASE("integers are rounded down and wrap, and are shown as numbers") {
  CHECK(element_from<std::uint8_t>(255.9) == 255);
  CHECK(element_from<std::uint8_t>(257) == 1);
  CHECK(element_from<std::int8_t>(-0.5) == -1);
  CHECK(element_from<std::uint64_t>(-1) == ~std::uint64_t{0});
  CHECK(element_from<Truth>(0.9).value == 0);
  CHECK(element_from<Truth>(1.2).value == 1);
  const TypedArrays bench("int8");
  bench.set(3, std::int8_t{-7});
  CHECK(bench.fault() == "array y: element 3 of 9: got -7, expected 1 (error 8, allowed 0)");
}

TEST_CASE("numbers of 64 bits are compared beyond the digits of a double") {
  const TypedArrays bench("uint64");
  bench.set(2, ~std::uint64_t{0});
  bench.keep();
  bench.set(2, ~std::uint64_t{1});
  CHECK_THAT(bench.fault(),
             Catch::Contains("got 18446744073709551614, expected 18446744073709551615"));
}

TEST_CASE("both parts of complex numbers are uniform, and their difference is a modulus") {
  TypedArrays bench("complex<float>", {1e-3, 0, "element"});
  Fill rule;
  rule.kind = Fill::Kind::uniform;
  rule.low = 1;
  rule.high = 2;
  fill_range(rule, bench.type, bench.got, 0, few, few);
  const auto* const values = reinterpret_cast<const std::complex<float>*>(bench.got);
  for (int i = 0; i < few; ++i) {
    CHECK((values[i].real() >= 1 && values[i].real() <= 2));
    CHECK((values[i].imag() >= 1 && values[i].imag() <= 2));
    CHECK(values[i].real() != values[i].imag());
  }
  bench.set(4, std::complex<float>(0, 1));
  bench.keep();
  // Far from its real part, near as a whole.
  bench.set(4, std::complex<float>(0.9e-3F, 1));
  CHECK(bench.fault().empty());
  bench.set(4, std::complex<float>(2e-3F, 1));
  CHECK_THAT(bench.fault(), Catch::Contains("got 0.002+1i, expected 0+1i"));
}

TEST_CASE("units in the last place are those of the type") {
  Tolerance two_units{0, 0, "element"};
  two_units.ulp = 2;
  const TypedArrays halves("half", two_units), floats("float", two_units),
      doubles("double", two_units), complex("complex<double>", two_units);
  halves.set(1, std::uint16_t{0x3c02});
  CHECK(halves.fault().empty());
  halves.set(1, std::uint16_t{0x3c03});
  CHECK_THAT(halves.fault(), Catch::Contains("got 1.0029296875, expected 1"));
  floats.set(1, 1 + 0x1p-22F);
  CHECK(floats.fault().empty());
  floats.set(1, 1 + 0x1.8p-22F);
  CHECK_FALSE(floats.fault().empty());
  doubles.set(1, 1 + 0x1p-51);
  CHECK(doubles.fault().empty());
  doubles.set(1, 1 + 0x1.8p-51);
  CHECK_FALSE(doubles.fault().empty());
  complex.set(1, std::complex<double>(1, 0x1p-51));
  CHECK(complex.fault().empty());
  complex.set(1, std::complex<double>(1, 0x1p-50));
  CHECK_FALSE(complex.fault().empty());
}

TEST_CASE("NaN is right only where the manifest says so") {
  for (const char* word : {"half", "float", "double", "complex<float>"}) {
    INFO(word);
    Tolerance tolerance{1e-3, 0, "element"};
    for (const bool is_right : {false, true}) {
      tolerance.nan = is_right;
      const TypedArrays bench(word, tolerance);
      bench.fill(std::numeric_limits<double>::quiet_NaN());
      CHECK_THAT(bench.fault(), Catch::Contains("element 0 of 9: got nan"));
      bench.keep();
      CHECK(bench.fault().empty() == is_right);
      if (!is_right) CHECK_THAT(bench.fault(), Catch::Contains(R"(state "check": {"nan": true})"));
      bench.fill(1);
      CHECK_FALSE(bench.fault().empty());
    }
  }
}

TEST_CASE("a problem's arrays get the words of their types") {
  CHECK(element_word<std::uint8_t>() == "uint8");
  CHECK(element_word<long>() == "int64");
  CHECK(element_word<bool>() == "bool");
  CHECK(element_word<Half>() == "half");
  CHECK(element_word<BFloat16>() == "bfloat16");
  CHECK(element_word<std::complex<double>>() == "complex<double>");
  CHECK(element_word<Particle>() == "bytes:24");
}

TEST_CASE("short numbers are the nearest ones, even where two are") {
  check_patterns<Half>();
  check_patterns<BFloat16>();
  CHECK(Half(1.0).bits == 0x3c00);
  CHECK(Half(65504).bits == 0x7bff);
  CHECK(Half(65519.99).bits == 0x7bff);
  CHECK(Half(65520).bits == 0x7c00);
  CHECK(Half(-1e9).bits == 0xfc00);
  CHECK(Half(1 + 0x1p-11).bits == 0x3c00);
  CHECK(Half(1 + 3 * 0x1p-11).bits == 0x3c02);
  CHECK(Half(0x1p-25).bits == 0);
  CHECK(Half(0x1.8p-25).bits == 1);
  CHECK(BFloat16(1.0).bits == 0x3f80);
  CHECK(BFloat16(3.4e38).bits == 0x7f80);
}

TEST_CASE("a source may declare any type of an element's size") {
  float values[] = {1, 2, 3, 4};
  std::complex<float>* const complex = AnyArray<8, true>{values};
  CHECK(complex[1] == std::complex<float>(3, 4));
  float(*const pairs)[2] = AnyArray<8, true>{values};
  CHECK(pairs[1][0] == 3);
  const void* const bytes = AnyArray<8, false>{values};
  CHECK(bytes == values);
  const std::uint16_t bits = AnyValue<Half>{Half(1.0)};
  CHECK(bits == 0x3c00);
}

TEST_CASE("inputs without a reference are a little smaller in all real numbers, and come back") {
  for (const char* word : type_words) {
    INFO(word);
    TypedArrays bench(word);
    Argument& argument = bench.setup.slots.front().argument;
    argument.access = Argument::Access::read;
    argument.from_problem = true;
    bench.setup.problem_folder = bench.folder.path();
    const std::size_t bytes = few * bench.type.size();
    write_bytes(array_file(bench.folder.path(), "y"), bench.got, bytes);
    ArraySet arrays(bench.setup, Placement{}, bench.openmp);
    const auto contents = [&] {
      const auto* const start = static_cast<const char*>(arrays.arrays().front().data());
      return std::string(start, bytes);
    };
    const std::string original = contents();
    arrays.use(3);
    const std::string third = contents();
    arrays.use(4);
    CHECK((third != original) == arrays.renews());
    CHECK((contents() != third) == arrays.renews());
    with_type(bench.type, [&]<class T>(T*) {
      const T* const numbers = static_cast<const T*>(arrays.arrays().front().data());
      CHECK(size_of(numbers[few - 1]) <= 1);
      CHECK(std::memcmp(numbers, numbers + few - 1, sizeof(T)) == 0);
    });
    arrays.use(0);
    CHECK(contents() == original);
  }
}
