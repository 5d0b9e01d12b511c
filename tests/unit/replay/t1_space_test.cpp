// T1 spaces: Python texts become knobs and constraints; what is unusual is told, nothing else runs.
#include "replay/t1_space.h"

#include <catch2/catch.hpp>

#include "support/recorded_samples.h"

using namespace rooftune;

namespace {

T1Specification t1(const std::string& text) { return t1_from_json(parse_json(text, "t1"), "t1"); }

std::string with(const std::string& what, const std::string& replacement) {
  std::string text = test::t1_sample;
  return text.replace(text.find(what), what.size(), replacement);
}

bool tells(const T1Specification& read, const std::string& words) {
  for (const std::string& deviation : read.deviations)
    if (deviation.find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("a T1 space has the configurations that Python would find") {
  const T1Specification read = t1(test::t1_sample);
  CHECK(read.space.name() == "convolution_kernel");
  CHECK(read.space.cartesian_size() == 3 * 4 * 3 * 2 * 2);
  std::uint64_t expected = 0;
  for (const int bx : {16, 32, 64})
    for (const int by : {1, 2, 3, 4})
      for (const int tile : {1, 2, 4})
        for (const int pad : {0, 1})
          if ((pad == 0 || bx % 32 != 0) && bx * by <= 128 && !(tile == 4 && by == 3))
            expected += 2;
  CHECK(read.space.size() == expected);
  CHECK(read.deviations.empty());
  const auto values = [](const std::string& text) {
    return t1(with("[16, 32, 64]", text)).space.knobs().front().values;
  };
  CHECK(values("list(range(16, 18)) + [32]") == ValueList{16, 17, 32});
  CHECK(values("list(range(16, 18)) + list([32])") == ValueList{16, 17, 32});
  CHECK(values("list([16*i for i in [1, 2]])") == ValueList{16, 32});
  CHECK(values("[1] + [2*i for i in range(1,4)]") == ValueList{1, 2, 4, 6});
  CHECK(values("[2**i for i in range(4, 7) if i != 5] + list(8*i for i in [1])") ==
        ValueList{16, 64, 8});
}

TEST_CASE("what a T1 file has beside the form is accepted and told") {
  CHECK(tells(t1(with("\"CUDA\"", "\"C++\"")), "language \"C++\""));
  CHECK(tells(t1(with("\"[16, 32, 64]\"", "[16, 32, 64]")), "JSON list"));
  CHECK(tells(t1(with("[\"pad\", \"bx\"]", "[\"pad\"]")), "does not list parameter bx"));
  CHECK(tells(t1(with("[16, 32, 64]", "[16, 32, 16]")), "stands twice"));
}

TEST_CASE("faults of a T1 file name their place, and nothing but expressions is evaluated") {
  const auto fault = [](const std::string& text, const std::string& words) {
    CHECK_THROWS_WITH(t1(text), Catch::Contains(words));
  };
  fault(with("[16, 32, 64]", "[16, 32"), "/ConfigurationSpace/TuningParameters/0/Values");
  fault(with("[16, 32, 64]", "__import__('os').system('true')"), "Values");
  fault(with("[16, 32, 64]", "[]"), "is empty");
  fault(
      with("[16, 32, 64]", "[1] + [2*i for i range(3)]"),
      "t1: /ConfigurationSpace/TuningParameters/0/Values: parameter \"bx\": expected \"in\", found "
      "\"range\" at column 18 of \"[1] + [2*i for i range(3)]\"\nhint: a list in Python's form");
  fault(with("[16, 32, 64]", "16"), "\"16\" gives no list of values");
  fault(with("[16, 32, 64]", "[i for i in range(10**12)]"), "more than 1000000 elements");
  fault(with("[16, 32, 64]", "[1 // 0]"), "Values");
  fault(with("bx % 32", "nonsense % 32"), "unknown name");
  fault(with("pad == 0 or bx % 32 != 0", "bx < 0"), "no configuration satisfies");
  fault(R"({"ConfigurationSpace": {}})", "TuningParameters");
  fault(with("[16, 32, 64]", std::string(20000, '(')), "Values");
}
