// Arrays and results of a kernel from files: NumPy's and raw ones, torn and hostile ones, and a
// study of a kernel that has them.
#include "run/array_contents.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "core/error.h"
#include "support/kernel_folder.h"
#include "support/scratch_folder.h"

using namespace rooftune;
using Catch::Contains;

namespace {

std::string numpy_file(const std::string& head, const std::string& elements = {}, int version = 1) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    text += static_cast<char>(head.size() >> (8 * i) & 255U);
  return text + head + elements;
}

std::string numpy_head(const std::string& type, const std::string& shape,
                       const std::string& fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

std::string doubles(const std::vector<double>& values) {
  std::string bytes(8 * values.size(), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string fault_of(const std::string& bytes) {
  try {
    npy_head(bytes, "u.npy");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

Slot slot_of(std::int64_t count, Argument::Type type = Argument::Type::float64) {
  Slot slot;
  slot.argument.name = "u";
  slot.argument.type = type;
  slot.argument.pointer = true;
  slot.argument.count = Expression::parse("n * m");
  slot.count = count;
  return slot;
}

/// y = 2 x of five elements, with captured contents and results.
KernelFolder captured_kernel() {
  KernelFolder folder;
  folder.write("kernel.json",
               R"({"schema": "rooftune-kernel-1", "name": "twice", "title": "y = 2 x",
  "parameters": [{"name": "n", "type": "integer", "default": 5}],
  "arguments": [
    {"name": "n", "type": "int64", "value": "n"},
    {"name": "x", "type": "double*", "count": "n", "access": "read", "file": "x.npy"},
    {"name": "y", "type": "double*", "count": "n", "access": "update", "file": "y.bin", "result": "twice.npy"}],
  "work": {"least": {"fp64": "n"}},
  "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
  "backends": {"openmp": {"source": "openmp.cpp"}}})");
  folder.write("x.npy", numpy_file(numpy_head("<f8", "(5,)"), doubles({1, 2, 3, 4, 5})));
  folder.write("y.bin", doubles({0, 0, 0, 0, 7}));
  folder.write("twice.npy", numpy_file(numpy_head("<f8", "(5,)"), doubles({2, 4, 6, 8, 7})));
  folder.write("openmp.cpp", R"(void twice(std::int64_t n, const double* x, double* y) {
  for (std::int64_t i = 0; i + 1 < n; ++i) y[i] = KNOB_FACTOR * x[i];
})");
  return folder;
}

constexpr const char* factor = R"([{"name": "factor", "kind": "compile", "values": [2, 3],
                                    "breaks": ["work"]}])";

std::string error_of_study(const KernelFolder& folder, const Facts& parameters = {}) {
  try {
    const Kernel kernel = folder.kernel();
    Bench bench(kernel, factor, test_limits(), problem_parameters(kernel, parameters));
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("the head of a NumPy file says type, shape and where the elements begin") {
  for (const int version : {1, 2, 3}) {
    const std::string file = numpy_file(numpy_head("<f8", "(3, 4)"), std::string(96, 'x'), version);
    const NpyHead head = npy_head(file, "u.npy");
    CHECK(head.type == "<f8");
    CHECK(head.shape == std::vector<std::int64_t>{3, 4});
    CHECK(head.count == 12);
    CHECK(file.substr(head.offset) == std::string(96, 'x'));
    CHECK(head.text() == "3 x 4 = 12 elements of <f8");
  }
  CHECK(npy_head(numpy_file(numpy_head("<i4", "()")), "s").count == 1);
  CHECK(npy_head(numpy_file(numpy_head("<i4", "(7,)", "True")), "s").count == 7);
  CHECK(npy_head(numpy_file(numpy_head("<i4", "(0, 3)")), "s").count == 0);
}

TEST_CASE("a torn or foreign head of a NumPy file is refused with its place and a cure") {
  const std::string whole = numpy_file(numpy_head("<f8", "(3,)"));
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_THAT(fault_of(whole.substr(0, length)), Contains("u.npy") && Contains("torn"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {numpy_file(numpy_head("<f8", "(3,)"), {}, 9), "version 9"},
      {numpy_file(std::string(60000, ' ')), "torn"},
      {numpy_file("{}"), "says nothing of 'descr'"},
      {numpy_file("{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (3,), }"), "records"},
      {numpy_file(numpy_head("<f8", "(3, 4)", "True")), "numpy.ascontiguousarray"},
      {numpy_file(numpy_head("<f8", "(-3,)")), "no shape"},
      {numpy_file(numpy_head("<f8", "(3")), "no shape"},
      {numpy_file(numpy_head("<f8", "(3.5,)")), "no shape"},
      {numpy_file(numpy_head("<f8", "(99999999999999999999,)")), "no shape"},
      {numpy_file(numpy_head("<f8", "(4294967296, 4294967296)")), "no memory"}};
  for (const auto& [bytes, what] : cases) CHECK_THAT(fault_of(bytes), Contains(what));
}

TEST_CASE("contents of another type or size are refused, with both sizes") {
  const testing::ScratchFolder folder;
  const auto fault = [&](const std::string& text, const Slot& slot) -> std::string {
    folder.write("u", text);
    try {
      return std::string(ArrayContents(folder.path() / "u", slot).bytes());
    } catch (const Error& error) {
      return error.what();
    }
  };
  const std::string three = doubles({1, 2, 3});
  const std::string file = numpy_file(numpy_head("<f8", "(3,)"), three);
  CHECK(fault(file, slot_of(3)) == three);
  CHECK(fault(three, slot_of(3)) == three);
  CHECK(fault("", slot_of(0)).empty());
  CHECK_THAT(fault(file, slot_of(4)), Contains("holds 3 elements") && Contains("n * m") &&
                                          Contains("4 elements") && Contains("--problem"));
  CHECK_THAT(fault(file, slot_of(3, Argument::Type::float32)),
             Contains("<f8") && Contains("float (<f4)") && Contains("astype('<f4')"));
  CHECK_THAT(fault(file.substr(0, file.size() - 1), slot_of(3)), Contains("the file is torn"));
  CHECK_THAT(fault(three + "x", slot_of(3)), Contains("25 B") && Contains("3 elements of 8 B"));
}

TEST_CASE("every type of an argument has a word of NumPy's with its size") {
  const std::pair<const char*, const char*> cases[] = {{"int8", "<i1"},
                                                       {"uint64", "<u8"},
                                                       {"bool", "<b1"},
                                                       {"half", "<f2"},
                                                       {"float", "<f4"},
                                                       {"complex<float>", "<c8"},
                                                       {"complex<double>", "<c16"},
                                                       {"bfloat16", "<u2"},
                                                       {"int64", "<i8"},
                                                       {"bytes:24", "|V24"}};
  for (const auto& [word, expected] : cases) CHECK(npy_type(*ElementType::named(word)) == expected);
  // As NumPy writes them.
  CHECK(npy_head(numpy_file(numpy_head("|b1", "(3,)")), "u").type == "<b1");
  CHECK(npy_head(numpy_file(numpy_head("|V24", "(3,)")), "u").type == "|V24");
}

TEST_CASE("variants are checked against results in files") {
  const KernelFolder folder = captured_kernel();
  const Kernel kernel = folder.kernel();
  Bench bench(kernel, factor, test_limits(), problem_parameters(kernel, {}));
  const Trial right = bench.evaluate(bench.space().baseline());
  INFO(right.detail);
  CHECK(right.ok());
  const Trial wrong = bench.evaluate(bench.with("factor", Value(3)));
  CHECK(wrong.outcome == Outcome::wrong_result);
  CHECK_THAT(wrong.detail, Contains("got 3, expected 2"));
}

TEST_CASE("files that do not fit the problem are told before anything is built") {
  const KernelFolder folder = captured_kernel();
  folder.write("openmp.cpp", "no C++");
  CHECK_THAT(error_of_study(folder, {{"n", Value(6)}}),
             Contains("results in files are those of n = 5"));
  folder.write("x.npy", numpy_file(numpy_head("<f8", "(4,)"), doubles({1, 2, 3, 4})));
  CHECK_THAT(error_of_study(folder),
             Contains("x.npy") && Contains("4 elements of <f8") && Contains("\"n\", 5 elements"));
}
