// What goes up to a card and comes down: counted by the fake driver. And results compared there,
// beside the comparison on the host: every wrong one is refused.
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>

#include "core/rng.h"
#include "run/array_set.h"
#include "run/cuda/card_checks.h"
#include "run/fill.h"
#include "support/card_study.h"
#include "support/environment_variable.h"
#include "support/fake_driver.h"
#include "support/nvrtc.h"

using namespace rooftune;
using Catch::Contains;

namespace {

/// z = y + s x, and y the same in place: kernels that the fake driver computes. With two items it
/// does beside this what the texts say: in prepare, before and after it copies to the card, after
/// the launches, in finish.
struct Deed {
  const char *before, *prepared, *called, *finished;
};

void write_sums(const KernelFolder& folder, const Deed& deed = {"", "", "", ""}) {
  folder.write("kernel.json", R"({
    "schema": "rooftune-kernel-1", "name": "zero", "title": "sums",
    "parameters": [{"name": "n", "type": "integer", "default": 1000}],
    "arguments": [{"name": "n", "type": "int64", "value": "n"},
                  {"name": "s", "type": "double", "value": "0.5"},
                  {"name": "x", "type": "double*", "count": "n", "access": "read",
                   "fill": {"kind": "uniform", "low": 1, "high": 2, "seed": 1}},
                  {"name": "y", "type": "double*", "count": "n", "access": "update",
                   "fill": {"kind": "uniform", "low": 1, "high": 2, "seed": 2}},
                  {"name": "z", "type": "double*", "count": "n", "access": "write"}],
    "work": {"least": {"fp64": "4*n"}, "items": "n", "item": "element"},
    "traffic": {"read": "16*n", "write": "16*n", "footprint": "24*n"},
    "tolerance": {"relative": 1e-13, "scale": "max"},
    "reference": "reference.cpp",
    "backends": {"cuda": {"source": "cuda.cu", "prepare": true, "finish": true}}})");
  folder.write("reference.cpp", R"(#include <cstdint>
void zero(std::int64_t n, double s, const double* x, double* y, double* z) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = z[i] = y[i] + s * x[i];
})");
  folder.write("cuda.cu", std::string(R"(#include "rooftune/gpu.h"
#if ROOFTUNE_HOST
#include <cstdlib>
#endif
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, 1)
    triad_items(rooftune::Int64, double, const double*, const double*, double* y) { if (!y) *y = 0; }
#if ROOFTUNE_HOST
constexpr bool odd = KNOB_ITEMS == 2;
static rooftune::DeviceBuffer<double> x_there, y_there, z_there;
static int calls = 0;
void zero_prepare(std::int64_t n, double, const double* x, double* y, double*) {
  if (odd) { )") + deed.before +
                              R"( }
  x_there.copy_in(x, n);
  y_there.copy_in(y, n);
  z_there.reserve(n);
  if (odd) { )" + deed.prepared +
                              R"( }
}
void zero(std::int64_t n, double s, const double*, double* y, double* z) {
  (void)y, (void)z;
  for (double* to : {z_there.data(), y_there.data()})
    ROOFTUNE_LAUNCH(triad_items, rooftune::blocks_for(n, KNOB_BLOCK), KNOB_BLOCK, 0, n, s,
                    y_there.data(), x_there.data(), to);
  ++calls;
  if (odd) { )" + deed.called +
                              R"( }
}
void zero_finish(std::int64_t n, double, const double*, double* y, double* z) {
  y_there.copy_out(y, n);
  z_there.copy_out(z, n);
  if (odd) { )" + deed.finished +
                              R"( }
}
#endif
)");
}

Configuration odd_one(const FakeCard& card) {
  Configuration other = card.space().baseline();
  other.set("items", 2);
  return other;
}

/// The outcome of the odd variant, with what is said of it.
std::string judged(const GpuCompiler& compiler, const Deed& deed) {
  FakeCard card(compiler, "");
  write_sums(card.folder, deed);
  HostEvaluator& evaluator = card.evaluator();
  CHECK(evaluator.evaluate(card.space().baseline(), std::nullopt).ok());
  const Trial trial = evaluator.evaluate(odd_one(card), std::nullopt);
  return std::string(to_text(trial.outcome)) + ": " + trial.detail;
}

}  // namespace

TEST_CASE("on a card an array goes up once a study, and a trial brings down less than 1 KB") {
  const auto compiler = test::nvrtc_for(80);
  if (!compiler) return;
  FakeCard card(*compiler, "");
  const std::string calls = card.path("calls").string();
  setenv("FAKE_CUDA_CALLS", calls.c_str(), 1);
  write_sums(card.folder);
  HostEvaluator& evaluator = card.evaluator(test_limits(), 1, 1000);
  const auto now = [&](test::FakeCall call) { return test::counted(calls, call); };
  for (int trial = 0; trial < 4; ++trial) {
    const auto before = now(test::FakeCall::downloaded_bytes);
    const Trial done =
        evaluator.evaluate(trial % 2 == 0 ? card.space().baseline() : odd_one(card), std::nullopt);
    INFO(done.detail);
    CHECK(done.ok());
    CHECK(now(test::FakeCall::downloaded_bytes) - before < 1024);
    // x and y, and the reference's y and z, on the first input and on the last.
    CHECK(now(test::FakeCall::upload) == 8);
    CHECK(now(test::FakeCall::uploaded_bytes) == 8 * 8000);
  }
}

TEST_CASE("a race on a card uses the arrays that are there, and leaves them to later trials") {
  const auto compiler = test::nvrtc_for(80);
  if (!compiler) return;
  FakeCard card(*compiler, "");
  const std::string calls = card.path("calls").string();
  setenv("FAKE_CUDA_CALLS", calls.c_str(), 1);
  write_sums(card.folder);
  HostEvaluator& evaluator = card.evaluator(test_limits(), 1, 1000);
  CHECK(evaluator.evaluate(card.space().baseline(), std::nullopt).ok());
  for (const int rounds : {3, 2}) {
    const Rounds raced = evaluator.race({card.space().baseline(), odd_one(card)}, {rounds, 1});
    INFO(raced.fault);
    CHECK(raced.fault.empty());
    CHECK(raced.seconds.size() == static_cast<std::size_t>(rounds));
    const Trial after = evaluator.evaluate(odd_one(card), std::nullopt);
    INFO(after.detail);
    CHECK(after.ok());
  }
  CHECK(test::counted(calls, test::FakeCall::upload) == 8);
}

TEST_CASE("where a card has no room for copies, arrays go up and down as they did") {
  const auto compiler = test::nvrtc_for(80);
  if (!compiler) return;
  FakeCard card(*compiler, "memory=33000");
  const std::string calls = card.path("calls").string();
  setenv("FAKE_CUDA_CALLS", calls.c_str(), 1);
  write_sums(card.folder);
  HostEvaluator& evaluator = card.evaluator(test_limits(), 1, 1000);
  for (int trial = 0; trial < 2; ++trial) {
    const Trial done = evaluator.evaluate(card.space().baseline(), std::nullopt);
    INFO(done.detail);
    CHECK(done.ok());
  }
  CHECK(test::counted(calls, test::FakeCall::downloaded_bytes) > 8 * 8000);
}

TEST_CASE("what is wrong on a card is refused, wherever it is compared") {
  const auto compiler = test::nvrtc_for(80);
  if (!compiler) return;
  const auto says = [&](const Deed& deed) { return judged(*compiler, deed); };
  CHECK_THAT(says({"", "", "rooftune::cuda->clear(z_there.data() + 17, 8);", ""}),
             Contains("wrong_result: array z: element 17 of 100: got 0, expected"));
  CHECK_THAT(says({"", "",
                   "const double no = __builtin_nan(\"\");"
                   "rooftune::cuda->upload(z_there.data() + 17, &no, 8);",
                   ""}),
             Contains("wrong_result: array z: element 17 of 100: got nan"));
  CHECK_THAT(says({"", "", "rooftune::cuda->clear(z_there.data() + n, 8);", ""}),
             Contains("wrong_result: device memory was written behind an array"));
  // Later than in the first call, and on another input than the first.
  CHECK_THAT(says({"", "", "if (calls > 2) rooftune::cuda->clear(y_there.data() + 5, 8);", ""}),
             Contains("wrong_result: after it was timed: array y: element 5 of"));
  CHECK_THAT(says({"if (calls > 0) return;", "", "", ""}),
             Contains("wrong_result: after it was timed: array"));
  // What the host does to its own arrays counts as well.
  CHECK_THAT(says({"y[3] = 7;", "", "", ""}), Contains("wrong_result: array y: element 3 of"));
  CHECK_THAT(says({"", "", "", "z[3] += 1;"}), Contains("wrong_result: array z: element 3 of"));
  CHECK_THAT(
      says({"", "", "", "rooftune::cuda->clear(z_there.data(), 8); if (z[0] == 0) z[1] = 0;"}),
      Contains("ok"));
}

TEST_CASE("a result is wrong on a card if it is so in a process of its own") {
  const auto compiler = test::nvrtc_for(80);
  if (!compiler) return;
  // The baseline leaves something behind that spoils the other one.
  CHECK_THAT(
      judged(*compiler, {"", "} else { setenv(\"SPOILT\", \"1\", 1);",
                         "if (getenv(\"SPOILT\")) rooftune::cuda->clear(z_there.data(), 8);", ""}),
      Contains("ok"));
  FakeCard card(*compiler, "");
  write_sums(
      card.folder,
      {"", "} else { setenv(\"SPOILT\", \"1\", 1);",
       "if (calls == 1 && getenv(\"SPOILT\")) rooftune::cuda->clear(z_there.data(), 8);", ""});
  HostEvaluator& evaluator = card.evaluator();
  CHECK(evaluator.evaluate(card.space().baseline(), std::nullopt).ok());
  CHECK(evaluator.race({odd_one(card), card.space().baseline()}, {2, 1}).fault.empty());
}

TEST_CASE("what the host makes of a result that came down is right") {
  const auto compiler = test::nvrtc_for(80);
  if (!compiler) return;
  CHECK_THAT(judged(*compiler,
                    {"", "", "rooftune::cuda->clear(z_there.data() + 17, 8);", "z[17] = y[17];"}),
             Contains("ok"));
}

namespace {

/// An output of n elements with its reference, here and on the card of a driver.
template <class T>
class Sides {
 public:
  Sides(const std::string& scale, bool nan, const std::vector<T>& expected) : openmp_({}) {
    Slot slot;
    slot.argument.name = "y";
    slot.argument.pointer = true;
    slot.argument.access = Argument::Access::write;
    slot.argument.type = sizeof(T) == 8 ? Argument::Type::float64 : Argument::Type::float32;
    slot.argument.tolerance = {1e-3, 1e-6, scale, 0, nan};
    slot.count = static_cast<std::int64_t>(expected.size());
    setup_.slots = {slot};
    setup_.problem_folder = setup_.reference_folder = folder_.path();
    std::filesystem::create_directories(reference_folder(setup_, 0));
    write(array_file(reference_folder(setup_, 0), "y"), expected);
    write(array_file(folder_.path(), "own"), std::vector<double>(expected.size(), -40));
    arrays_ = std::make_unique<ArraySet>(setup_, Placement{}, openmp_);
    expected_ = on_card(expected.data(), expected.size() * sizeof(T));
    scale_ = scale == "own" ? on_card(std::vector<double>(expected.size(), -40).data(),
                                      expected.size() * sizeof(double))
                            : 0;
  }
  ~Sides() {
    for (const CudaAddress start : allocated_) driver_.MemFree(start);
  }
  Sides(const Sides&) = delete;
  Sides& operator=(const Sides&) = delete;
  /// Both say the same of these elements; whether they are right.
  bool agree(const std::vector<T>& got) {
    GuardedArray& array = arrays_->arrays().front();
    std::memcpy(array.data(), got.data(), array.bytes());
    const Comparison here = compare(setup_, *arrays_, openmp_, 1);
    const auto rule = element_rule(*arrays_, array);
    REQUIRE(rule);
    const auto there =
        checks_.error(array.slot(), *rule, on_card(got.data(), array.bytes()), expected_, scale_);
    INFO(here.fault);
    CHECK(there.has_value() == here.fault.empty());
    if (there) CHECK(*there == here.max_error);
    return here.fault.empty();
  }

 private:
  template <class E>
  static void write(const std::filesystem::path& file, const std::vector<E>& elements) {
    write_bytes(file, elements.data(), elements.size() * sizeof(E));
  }
  CudaAddress on_card(const void* elements, std::size_t bytes) {
    CudaAddress start = 0;
    REQUIRE(driver_.MemAlloc(&start, bytes) == 0);
    REQUIRE(driver_.MemcpyHtoD(start, elements, bytes) == 0);
    allocated_.push_back(start);
    return start;
  }

  TemporaryDirectory folder_{"rooftune-sides"};
  Setup setup_;
  OpenMpRuntime openmp_;
  std::unique_ptr<ArraySet> arrays_;
  const CudaDriver driver_;
  std::vector<CudaAddress> allocated_;
  CardChecks checks_{driver_, nullptr, 2};
  CudaAddress expected_ = 0, scale_ = 0;

 public:
  bool is_ready() { return checks_.are_ready(); }
};

template <class T>
void compare_both_sides(const std::string& scale, bool nan) {
  constexpr T infinite = std::numeric_limits<T>::infinity(),
              no = std::numeric_limits<T>::quiet_NaN(), tiny = std::numeric_limits<T>::denorm_min();
  T poison;
  poison_range(sizeof(T) == 8 ? Argument::Type::float64 : Argument::Type::float32, &poison, 0, 1);
  std::vector<T> right{no, infinite, -infinite, 0, tiny, poison};
  for (int i = 0; i < 1500; ++i) right.push_back(static_cast<T>(100 * Rng(1, i).unit() - 50));
  Sides<T> sides(scale, nan, right);
  REQUIRE(sides.is_ready());
  // NaN where NaN is right, unless both are poison.
  CHECK(sides.agree(right) == nan);
  right[0] = 1;
  Sides<T> finite(scale, nan, right);
  REQUIRE(finite.is_ready());
  CHECK(finite.agree(right));
  std::vector<T> near = right;
  for (std::size_t i = 6; i < near.size(); ++i)
    near[i] += static_cast<T>(1e-4 * (Rng(2, static_cast<int>(i)).unit() - 0.5)) * near[i];
  near[4] = 0;
  CHECK(finite.agree(near));
  int wrong = 0;
  for (const T value : {no, infinite, -infinite, poison, T(70), T(-70)})
    for (const std::size_t place : {0, 1, 2, 3, 4, 5, 900}) {
      std::vector<T> got = near;
      got[place] = value;
      wrong += finite.agree(got) ? 0 : 1;
    }
  // All but infinities and poison in their own places, and NaN for NaN.
  CHECK(wrong == (nan ? 38 : 39));
}

}  // namespace

TEST_CASE("a card compares as the host does, and so does the PTX of its kernel") {
  for (const char* const driver : {ROOFTUNE_FAKE_DRIVER, ROOFTUNE_PTX_EXECUTOR}) {
    const testing::EnvironmentVariable library("ROOFTUNE_LIBCUDA", driver);
    for (const char* const scale : {"element", "max", "own"})
      for (const bool nan : {false, true}) {
        INFO(driver << " " << scale << " " << nan);
        compare_both_sides<double>(scale, nan);
        compare_both_sides<float>(scale, nan);
      }
  }
}

TEST_CASE("the guards of an array are looked at on the card, byte by byte") {
  for (const char* const library : {ROOFTUNE_FAKE_DRIVER, ROOFTUNE_PTX_EXECUTOR}) {
    const testing::EnvironmentVariable chosen("ROOFTUNE_LIBCUDA", library);
    const CudaDriver driver;
    CardChecks checks(driver, nullptr, 2);
    REQUIRE(checks.are_ready());
    CudaAddress start = 0;
    REQUIRE(driver.MemAlloc(&start, 1024 + 13) == 0);
    REQUIRE(driver.MemsetD8(start, 0xA6, 1024 + 13) == 0);
    REQUIRE(driver.MemsetD8(start + 512, 0, 13) == 0);
    const std::vector<CardChecks::Guards> guards{{start, start + 512 + 13}};
    CHECK(checks.are_whole({}, 512, 0xA6));
    CHECK(checks.are_whole(guards, 512, 0xA6));
    for (const unsigned at : {0, 300, 511, 525, 1036}) {
      INFO(library << " " << at);
      REQUIRE(driver.MemsetD8(start + at, 0xA7, 1) == 0);
      CHECK_FALSE(checks.are_whole(guards, 512, 0xA6));
      REQUIRE(driver.MemsetD8(start + at, 0xA6, 1) == 0);
    }
    CHECK(checks.are_whole(guards, 512, 0xA6));
    driver.MemFree(start);
  }
}
