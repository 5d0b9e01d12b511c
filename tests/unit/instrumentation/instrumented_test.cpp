// Counting with traced machine code, to the exact flop and byte where theory knows them.
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>

#include "core/error.h"
#include "instrumentation/extension.h"
#include "support/counted_source.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

constexpr double kibibyte = 1024;

/// Doubles (or anything) that start a page, so that lines can be counted by hand.
template <class T = double>
class Array {
 public:
  explicit Array(std::size_t count, T value = T(1))
      : data_(static_cast<T*>(std::aligned_alloc(4096, (count * sizeof(T) + 4095) / 4096 * 4096))) {
    std::fill(data_, data_ + count, value);
  }
  ~Array() { std::free(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  T* get() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_;
};

CountingPlan plan(int threads = 1, bool warm = true) {
  CountingPlan plan;
  plan.threads = threads;
  plan.warm = warm;
  plan.levels = {
      {"L1", 32 * kibibyte, {}, threads}, {"L2", 256 * kibibyte, {}, threads}, {"DRAM", {}, {}, 1}};
  return plan;
}

template <class Function, class... Arguments>
Counts counted(const CountedSource& source, const CountingPlan& how, Arguments... arguments) {
  const auto counter = open_instrumented(how);
  // Never closed, not even at the end: the threads of an OpenMP library live on in it, and it goes
  // with its last user.
  static auto& kept = *new std::vector<std::unique_ptr<DynamicLibrary>>;
  kept.push_back(std::make_unique<DynamicLibrary>(source.library()));
  const DynamicLibrary& library = *kept.back();
  counter->attach(library);
  const auto function = reinterpret_cast<Function>(library.symbol("f"));
  counter->watch([&] { function(arguments...); });
  Launch launch;
  launch.call = [&] { function(arguments...); };
  launch.settle = [&] {
    if (how.warm) function(arguments...);
  };
  return counter->count(launch);
}

double of(const Counts& counts, const char* kind) {
  const auto& kinds = counts.operations.at("fp64");
  return kinds.count(kind) ? kinds.at(kind).value : 0;
}

double detail(const Counts& counts, const char* name) {
  return counts.details.count(name) ? counts.details.at(name).value : 0;
}

double read(const Counts& counts, const char* level) { return counts.traffic.at(level).read.value; }
double written(const Counts& counts, const char* level) {
  return counts.traffic.at(level).write.value;
}

using Triad = void (*)(std::int64_t, double, const double*, const double*, double*);

const char* const triad_source =
    "EXPORT void f(std::int64_t n, double s, const double* __restrict b,\n"
    "              const double* __restrict c, double* __restrict a) {\n"
    "  PRAGMA\n  for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];\n}\n";

}  // namespace

TEST_CASE("a triad is counted to the flop and the byte") {
  const CountedSource source(triad_source, {"-DPRAGMA="});
  for (const std::int64_t n : {1LL, 7LL, 4096LL, 65536LL, 65539LL}) {
    INFO(n);
    const auto count = static_cast<std::size_t>(n);
    const Array a(count), b(count), c(count);
    const Counts counts = counted<Triad>(source, plan(), n, 3.0, b.get(), c.get(), a.get());
    CHECK(a[0] == 4);
    CHECK(a[count - 1] == 4);
    const double size = static_cast<double>(n);
    CHECK(flops(counts)->value == 2 * size);
    CHECK(detail(counts, "bytes loaded from arrays") == 16 * size);
    CHECK(detail(counts, "bytes stored to arrays") == 8 * size);
    CHECK(counts.flags.empty());
    if (n != 65536) continue;
    // 1.5 MiB through caches of 288 KiB: every line comes and goes in every call.
    CHECK(read(counts, "DRAM") == 24 * size);
    CHECK(written(counts, "DRAM") == 8 * size);
    CHECK(read(counts, "L2") == 24 * size);
  }
}

TEST_CASE("operations of vectors are told from those of one lane") {
  const std::size_t n = 4096;
  const Array a(n), b(n), c(n);
  for (const auto& [flag, share] :
       {std::pair("-ftree-vectorize", 1.0), {"-fno-tree-vectorize", 0.0}}) {
    const CountedSource source(triad_source, {"-O3", flag, "-DPRAGMA="});
    const Counts counts =
        counted<Triad>(source, plan(), std::int64_t{n}, 3.0, b.get(), c.get(), a.get());
    INFO(flag);
    CHECK(detail(counts, vector_share) == share);
  }
}

TEST_CASE("what fits the caches moves nothing outside of them when warm, everything when cold") {
  const CountedSource source(triad_source, {"-DPRAGMA="});
  const std::size_t n = 4096;
  const Array a(n), b(n), c(n);
  const auto run = [&](bool warm) {
    return counted<Triad>(source, plan(1, warm), std::int64_t{n}, 3.0, b.get(), c.get(), a.get());
  };
  const Counts warm = run(true);
  CHECK(read(warm, "DRAM") == 0);
  CHECK(written(warm, "DRAM") == 0);
  CHECK(read(warm, "L2") == 24 * n);
  const Counts cold = run(false);
  // Stack and constants are a few lines more.
  CHECK(read(cold, "DRAM") >= 24 * n);
  CHECK(read(cold, "DRAM") <= 24 * n + 8 * 64);
  CHECK(written(cold, "DRAM") >= 8 * n);
  CHECK(written(cold, "DRAM") <= 8 * n + 8 * 64);
}

TEST_CASE("the model has the true size and ways of a cache, not what a sweep found effective") {
  const CountedSource source(triad_source, {"-DPRAGMA="});
  const std::size_t n = 4096;
  const Array a(n), b(n), c(n);
  CountingPlan how = plan();
  const auto from_memory = [&] {
    return read(counted<Triad>(source, how, std::int64_t{n}, 3.0, b.get(), c.get(), a.get()),
                "DRAM");
  };
  // Of a file that does not know the true size, what is reported unless that cannot be believed.
  how.levels[1].reported = 1024 * kibibyte;
  how.levels[1].capacity = 64 * kibibyte;
  CHECK(from_memory() > 0);
  how.levels[1].reported = 256 * kibibyte;
  CHECK(from_memory() == 0);
  how.levels[1].at_most = 256 * kibibyte;
  how.levels[1].ways = 16;
  const Counts counts =
      counted<Triad>(source, how, std::int64_t{n}, 3.0, b.get(), c.get(), a.get());
  CHECK(read(counts, "DRAM") == 0);
  CHECK_THAT(counts.traffic.at("DRAM").source.text, Catch::Contains("16"));
}

TEST_CASE("threads are counted together and have caches of their own") {
  const CountedSource source(triad_source,
                             {"-DPRAGMA=_Pragma(\"omp parallel for num_threads(2)\")"});
  const std::size_t n = 65536;
  const Array a(n), b(n), c(n);
  const Counts counts =
      counted<Triad>(source, plan(2), std::int64_t{n}, 3.0, b.get(), c.get(), a.get());
  CHECK(flops(counts)->value == 2.0 * n);
  CHECK(detail(counts, "bytes loaded from arrays") == 16.0 * n);
  CHECK(detail(counts, "bytes stored to arrays") == 8.0 * n);
  CHECK(read(counts, "DRAM") == Approx(24.0 * n).epsilon(0.01));
}

TEST_CASE("streamed stores are written once and read never") {
  const CountedSource source(
      "#include <immintrin.h>\n"
      "EXPORT void f(std::int64_t n, const double* b, double* a) {\n"
      "  for (std::int64_t i = 0; i < n; i += 2) _mm_stream_pd(a + i, _mm_loadu_pd(b + i));\n"
      "  _mm_sfence();\n}\n");
  const std::size_t n = 65536;
  const Array a(n), b(n);
  const Counts counts = counted<void (*)(std::int64_t, const double*, double*)>(
      source, plan(), std::int64_t{n}, b.get(), a.get());
  CHECK(read(counts, "DRAM") == 8 * n);
  CHECK(written(counts, "DRAM") == 8 * n);
  CHECK(detail(counts, "bytes streamed") == 8 * n);
}

TEST_CASE("a blocked matrix product does n^3 multiply-adds, and blocks spare traffic") {
  const CountedSource source(
      "EXPORT void f(std::int64_t n, std::int64_t block, const double* __restrict a,\n"
      "              const double* __restrict b, double* __restrict c) {\n"
      "  for (std::int64_t kk = 0; kk < n; kk += block)\n"
      "    for (std::int64_t jj = 0; jj < n; jj += block)\n"
      "      for (std::int64_t i = 0; i < n; ++i)\n"
      "        for (std::int64_t k = kk; k < kk + block; ++k)\n"
      "          for (std::int64_t j = jj; j < jj + block; ++j)\n"
      "            c[i * n + j] += a[i * n + k] * b[k * n + j];\n}\n");
  using Product = void (*)(std::int64_t, std::int64_t, const double*, const double*, double*);
  const std::int64_t n = 192;
  const auto size = static_cast<std::size_t>(n * n);
  const Array a(size), b(size), c(size, 0.0);
  const auto run = [&](std::int64_t block) {
    return counted<Product>(source, plan(), n, block, a.get(), b.get(), c.get());
  };
  const Counts whole = run(n), blocked = run(32);
  const double cube = static_cast<double>(n * n * n);
  for (const Counts* counts : {&whole, &blocked}) CHECK(flops(*counts)->value == 2 * cube);
  CHECK(of(whole, "fma") + of(whole, "mul") == cube);
  // b's 288 KiB pass L2 (256 KiB) for every row of c; blocks of it stay.
  CHECK(read(whole, "DRAM") > 50 * 8.0 * static_cast<double>(size));
  CHECK(read(blocked, "DRAM") < read(whole, "DRAM") / 5);
  CHECK(read(blocked, "DRAM") >= 8.0 * static_cast<double>(size));
}

TEST_CASE("a sparse product in CSR: two flops and twenty bytes for each entry, and its rows") {
  const CountedSource source(
      "EXPORT void f(std::int64_t n, const std::int32_t* __restrict rows,\n"
      "              const std::int32_t* __restrict columns, const double* __restrict values,\n"
      "              const double* __restrict x, double* __restrict y) {\n"
      "  for (std::int64_t i = 0; i < n; ++i) {\n    double sum = 0;\n"
      "    for (std::int32_t k = rows[i]; k < rows[i + 1]; ++k) sum += values[k] * x[columns[k]];\n"
      "    y[i] = sum;\n  }\n}\n");
  using Product = void (*)(std::int64_t, const std::int32_t*, const std::int32_t*, const double*,
                           const double*, double*);
  const std::size_t n = 3000, each = 9;
  Array<std::int32_t> rows(n + 1), columns(n * each);
  const Array values(n * each), x(n), y(n);
  for (std::size_t i = 0; i <= n; ++i) rows[i] = static_cast<std::int32_t>(i * each);
  for (std::size_t k = 0; k < n * each; ++k) columns[k] = static_cast<std::int32_t>(k * 7919 % n);
  const Counts counts = counted<Product>(source, plan(), std::int64_t{n}, rows.get(), columns.get(),
                                         values.get(), x.get(), y.get());
  CHECK(y[n / 2] == each);
  const double entries = n * each;
  CHECK(flops(counts)->value == 2 * entries);
  CHECK(detail(counts, "bytes stored to arrays") == 8 * n);
  // Compilers load each row's bounds once or twice.
  CHECK(detail(counts, "bytes loaded from arrays") >= 20 * entries + 4 * n);
  CHECK(detail(counts, "bytes loaded from arrays") <= 20 * entries + 8 * n);
}

namespace {

/// Which part of a call is read depends on the limit; this one leaves the least.
CountingPlan hurried() {
  CountingPlan how = plan();
  how.seconds = 1e-9;
  return how;
}

bool agree(const Estimate& part, double truth) { return part.low <= truth && truth <= part.high; }

void check_parts(const Counts& part, const Counts& whole) {
  CHECK_THAT(part.operations_source.text, Catch::Contains("% of the call in 16 windows"));
  CHECK_THAT(part.traffic.at("DRAM").source.text, Catch::Contains("% of the call in 16 windows"));
  CHECK_THAT(part.traffic.at("DRAM").source.text, Catch::Contains("of 64 classes"));
  const double work = flops(whole)->value, bytes = whole.loads->bytes.value;
  CHECK(agree(*flops(part), work));
  CHECK(flops(part)->value == Approx(work).epsilon(0.05));
  CHECK(agree(part.loads->bytes, bytes));
  CHECK(agree(part.stores->bytes, whole.stores->bytes.value));
  for (const char* level : {"L2", "DRAM"}) {
    INFO(level);
    const Estimate here = part.traffic.at(level).read, there = whole.traffic.at(level).read;
    CHECK(here.low <= there.high);
    CHECK(there.low <= here.high);
    CHECK(here.value == Approx(there.value).epsilon(0.1));
  }
}

const std::vector<std::string> scalar{"-fno-tree-vectorize", "-fno-tree-slp-vectorize"};

}  // namespace

TEST_CASE("a long triad is counted in windows, and says so") {
  const CountedSource source(triad_source,
                             {"-DPRAGMA=", "-fno-tree-vectorize", "-fno-tree-slp-vectorize"});
  const std::size_t n = 3000000;
  const Array a(n), b(n), c(n);
  const auto run = [&](const CountingPlan& how) {
    return counted<Triad>(source, how, std::int64_t{n}, 3.0, b.get(), c.get(), a.get());
  };
  const Counts part = run(hurried()), whole = run(plan());
  CHECK(flops(whole)->value == 2 * n);
  CHECK(whole.traffic.at("DRAM").read.value == Approx(24.0 * n).epsilon(0.01));
  CHECK_THAT(whole.traffic.at("DRAM").source.text, !Catch::Contains("of the call"));
  check_parts(part, whole);
}

TEST_CASE("a long matrix product is counted in windows") {
  const CountedSource source(
      "EXPORT void f(std::int64_t n, const double* __restrict a, const double* __restrict b,\n"
      "              double* __restrict c) {\n"
      "  for (std::int64_t i = 0; i < n; ++i)\n"
      "    for (std::int64_t k = 0; k < n; ++k)\n"
      "      for (std::int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + "
      "j];\n}\n",
      scalar);
  const std::int64_t n = 192;
  const auto size = static_cast<std::size_t>(n * n);
  const Array a(size), b(size), c(size, 0.0);
  const auto run = [&](const CountingPlan& how) {
    return counted<void (*)(std::int64_t, const double*, const double*, double*)>(
        source, how, n, a.get(), b.get(), c.get());
  };
  check_parts(run(hurried()), run(plan()));
}

TEST_CASE("a long sparse product is counted in windows") {
  const CountedSource source(
      "EXPORT void f(std::int64_t n, std::int64_t each, const std::int32_t* __restrict columns,\n"
      "              const double* __restrict values, const double* __restrict x,\n"
      "              double* __restrict y) {\n"
      "  for (std::int64_t i = 0; i < n; ++i) {\n    double sum = 0;\n"
      "    for (std::int64_t k = i * each; k < (i + 1) * each; ++k)\n"
      "      sum += values[k] * x[columns[k]];\n"
      "    y[i] = sum;\n  }\n}\n",
      scalar);
  const std::size_t n = 300000, each = 9;
  Array<std::int32_t> columns(n * each);
  const Array values(n * each), x(n), y(n);
  for (std::size_t k = 0; k < n * each; ++k)
    columns[k] = static_cast<std::int32_t>((k / each + k % each * 7919) % n);
  const auto run = [&](const CountingPlan& how) {
    return counted<void (*)(std::int64_t, std::int64_t, const std::int32_t*, const double*,
                            const double*, double*)>(source, how, std::int64_t{n},
                                                     std::int64_t{each}, columns.get(),
                                                     values.get(), x.get(), y.get());
  };
  check_parts(run(hurried()), run(plan()));
}

TEST_CASE("flags and registers are kept through a trace") {
  // Carry and overflow cross into a block that reads them; in the second function the block names
  // all registers that a trace would like to have.
  const CountedSource source(
      "#define CROSS(CLOBBER) \\\n"
      "  asm volatile(\"movb $127, %%al\\n\\taddb $1, %%al\\n\\tstc\\n\\tjmp 1f\\n\" \\\n"
      "    \"1:\\n\\tseto %0\\n\\tsetc %1\\n\\t\" CLOBBER \"movl (%2), %%eax\\n\" \\\n"
      "    : \"=&q\"(flags[0]), \"=&q\"(flags[1]) : \"r\"(memory) : \"rax\", \"memory\")\n"
      "EXPORT void f(const int* memory, std::uint8_t* flags) {\n"
      "  CROSS(\"\");\n  flags += 2;\n"
      "  CROSS(\"xchgq %%r8, %%r8\\n\\txchgq %%r9, %%r9\\n\\txchgq %%r10, %%r10\\n\\t\"\n"
      "        \"xchgq %%r11, %%r11\\n\\txchgq %%r12, %%r12\\n\\txchgq %%r13, %%r13\\n\\t\"\n"
      "        \"xchgq %%r14, %%r14\\n\\t\");\n}\n");
  const Array<int> memory(1);
  const Array<std::uint8_t> flags(4, std::uint8_t{7});
  counted<void (*)(const int*, std::uint8_t*)>(source, plan(), memory.get(), flags.get());
  for (std::size_t i = 0; i < 4; ++i) CHECK(int{flags[i]} == 1);
}

TEST_CASE("copies and fills by the C library are the variant's traffic") {
  const CountedSource source(
      "EXPORT void f(std::int64_t n, const double* b, double* a) {\n"
      "  std::memcpy(a, b, 8 * n);\n  std::memset(a, 0, 4 * n);\n}\n",
      {"-fno-builtin-memcpy"});
  const std::size_t n = 65536;
  const Array a(n), b(n);
  const Counts counts = counted<void (*)(std::int64_t, const double*, double*)>(
      source, plan(), std::int64_t{n}, b.get(), a.get());
  CHECK(detail(counts, "bytes loaded from arrays") == 8 * n);
  CHECK(detail(counts, "bytes stored to arrays") == 12 * n);
  CHECK(flops(counts)->value == 0);
}

TEST_CASE("calls of other libraries are named, not guessed") {
  const CountedSource source(
      "extern \"C\" double exp(double);\n"
      "EXPORT void f(std::int64_t n, double* a) {\n"
      "  for (std::int64_t i = 0; i < n; ++i) a[i] = exp(a[i]);\n}\n",
      {"-fno-builtin"});
  const Array a(10);
  const Counts counts =
      counted<void (*)(std::int64_t, double*)>(source, plan(), std::int64_t{10}, a.get());
  REQUIRE_FALSE(counts.notes.empty());
  CHECK_THAT(counts.notes.front(), Catch::Contains("10 calls of exp"));
}

TEST_CASE("an artefact without a trace is refused") {
  const auto counter = open_instrumented(plan());
  CHECK_THROWS_WITH(counter->attach(DynamicLibrary("libm.so.6")),
                    Catch::Contains("not built to be counted"));
}

TEST_CASE("constructors that run before counting begins do no harm and are not counted") {
  const CountedSource source(
      "struct Start {\n  double value[64];\n"
      "  Start() { for (int i = 0; i < 64; ++i) value[i] = i * 0.5; }\n"
      "  ~Start() { for (double& one : value) one *= 2; }\n};\nstatic Start start;\n"
      "EXPORT void f(std::int64_t n, double* a) {\n"
      "  for (std::int64_t i = 0; i < n; ++i) a[i] += start.value[i];\n}\n");
  const Array a(64);
  const Counts counts =
      counted<void (*)(std::int64_t, double*)>(source, plan(), std::int64_t{64}, a.get());
  CHECK(flops(counts)->value == 64);
  CHECK(a[2] == 4);
}
