// A function read from a source: its parameters as a kernel has them, its loops, and what is
// refused with the cure.
#include "scaffold/function.h"

#include <catch2/catch.hpp>

#include "core/error.h"

using namespace rooftune;
using namespace rooftune::scaffold;
using Catch::Contains;

namespace {

struct Read {
  explicit Read(std::string source, const std::string& name = "f")
      : text(std::move(source)),
        tokens(tokens_of(text)),
        function(function_in(tokens, text, "a.cpp", name)),
        nest(tokens, function) {}
  std::string text;
  Tokens tokens;
  FunctionSource function;
  LoopNest nest;
  /// "n int32; u double* const"
  std::string parameters() const {
    std::string all;
    for (const FunctionParameter& one : function.parameters) {
      all += (all.empty() ? "" : "; ") + one.name + " " + one.type.word();
      if (one.array) all += "*";
      if (one.reference) all += "&";
      if (one.constant && (one.array || one.reference)) all += " const";
    }
    return all;
  }
  std::string elements(std::size_t parameter) const {
    return nest.elements(function.parameters.at(parameter));
  }
};

std::string fault_of(const std::string& text, const std::string& name = "f") {
  try {
    return "read: " + Read(text, name).parameters();
  } catch (const Error& error) {
    return error.what();
  }
}

constexpr const char* heat = R"(// Explicit heat; "for" in a text and /* in a comment.
#include <cmath>
#define N_MAX 64
typedef double real;
static inline real laplace(const real *u, int at, int m) { return u[at - m] + u[at + m]; }
void f(int n, int m, real dt, const real* __restrict u, real *next) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j) {
      const int at = i * m + j;
      next[at] = u[at] + dt * (u[at - m] + u[at + m] + u[at - 1] + u[at + 1] - 4 * u[at]);
    }
}
)";

}  // namespace

TEST_CASE("parameters of plain signatures are read") {
  CHECK(Read(heat).parameters() == "n int32; m int32; dt double; u double* const; next double*");
  const std::pair<const char*, const char*> cases[] = {
      {"void f(unsigned long n, std::size_t m, long long k, float x[], double* RESTRICT y) {}",
       "n uint64; m uint64; k int64; x float*; y double*"},
      {"namespace a { namespace b::c { extern \"C\" { double f(const double& x, int& calls) { "
       "return x; } } } }",
       "x double& const; calls int32&"},
      {"void f(int, const int32_t idx[100], bool flag = (1, true)) {}",
       "argument_1 int32; idx int32* const; flag bool"},
      {"using T = float; using U = T; void g(int n); void f(U* u, int64_t* v) noexcept { { } }",
       "u float*; v int64*"},
      {"using C = std::complex<double>; void f(const C* z, unsigned char* p, _Float16 h, bool* m, "
       "std::complex<float> w, float _Complex* v, char c[]) {}",
       "z complex<double>* const; p uint8*; h half; m bool*; w complex<float>; v complex<float>*; "
       "c int8*"},
      {"struct S { void f(int a) {} }; void f(double u[][64], int n) {}", "u double*; n int32"}};
  for (const auto& [text, expected] : cases) CHECK(Read(text).parameters() == expected);
  const Read scoped("namespace grid { float f(int n) { return 1; } }", "grid::f");
  CHECK(scoped.function.scope == "grid::");
  CHECK(scoped.function.returns->type == kernel::Element::float32);
}

TEST_CASE("a function that no kernel can be is refused with its line and the cure") {
  const std::pair<const char*, const char*> cases[] = {
      {"\nvoid f(std::vector<double>& u) {}", "a.cpp:2: parameter \"u\" is a std::vector<double>&"},
      {"void f(double** u) {}", "array of arrays"},
      {"void f(Grid g) {}", "parameter \"g\" is a Grid"},
      {"void f(void (*g)(int), int n) {}", "numbers and pointers"},
      {"void f(long double x) {}", "long double"},
      {"double* f(int n) { return 0; }", "the result of"},
      {"template <class T>\nvoid f(T* u) {}", "is a template"},
      {"void f() {}", "has no parameters"},
      {"void f(int a) {} void f(double b) {}", "defines 2 functions \"f\""},
      {"void f(int a); void ff(int a) {}", "did you mean \"ff\"?"},
      {"struct S { void f(int a) {} };", "outside of classes"},
      {"void f(int a", "outside of classes"},
      {"", "outside of classes"}};
  for (const auto& [text, what] : cases) {
    INFO(text);
    CHECK_THAT(fault_of(text), Contains("a.cpp") && Contains(what));
  }
}

TEST_CASE("torn and hostile sources end in an error or a function") {
  const std::string whole = heat;
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_NOTHROW(fault_of(whole.substr(0, length)));
  for (const char* text :
       {"\"", "R\"(", "/*", "#define", "'", "((((", "}}}}", "void f(int a) {{{", "\\"})
    CHECK_NOTHROW(fault_of(text));
}

TEST_CASE("sizes follow from loops and indices") {
  const Read stencil(heat);
  CHECK(stencil.elements(3) == "n*m");
  CHECK(stencil.elements(4) == "n*m");
  CHECK(stencil.nest.only_written("next"));
  CHECK(Read("void f(long n, double* y, const float* x) { for (long i = 0; i <= n; i++) y[i] += "
             "x[2*i]; }")
            .elements(1) == "n + 1");
  CHECK(Read("void f(int n, double* y) { for (size_t i = n; i > 0; --i) y[(size_t)i - 1] = 0; }")
            .elements(1) == "n");
  CHECK(Read("constexpr int W = 8; void f(double* y) { for (int i = 0; i < W; ++i) y[i] = 0; }")
            .elements(0) == "8");
  for (const char* index :
       {"#define AT(i, j, n) ((i) * n + (j))\nvoid f(int n, double* y) {",
        "inline int AT(int i, int j, int n) { return i * n + j; }\nvoid f(int n, double* y) {",
        "void f(int n, double* y) { const auto AT = [](int i, int j, int n) { return i * n + j; "
        "};"}) {
    const Read read(
        std::string(index) +
        "for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) y[AT(i, j, n)] = 1; }");
    CHECK(read.elements(1) == "n*n");
    CHECK(read.nest.dependence(read.nest.loops().front()).empty());
  }
  CHECK(Read("void f(int n, double u[][64]) { for (int i = 0; i < n; ++i) for (int j = 0; j < 64; "
             "++j) u[i][j] = 0; }")
            .elements(1) == "64*n");
  for (const char* unknown :
       {"void f(int n, const int* k, double* y) { for (int i = 0; i < n; ++i) y[k[i]] = 0; }",
        "void f(int n, const int* k, double* y) { while (n--) y[n] = 0; }",
        "void f(int n, const int* k, double* y) { g(y); }"})
    CHECK(Read(unknown).elements(2).empty());
}

TEST_CASE("loops whose passes may depend on each other get no pragma") {
  const auto dependence = [](const std::string& body) {
    const Read read("void f(int n, const int* k, const double* x, double* y) { double sum = 0;\n" +
                    body + "\n}");
    return read.nest.dependence(read.nest.loops().front());
  };
  CHECK(dependence("for (int i = 0; i < n; ++i) { double t = x[i], s = pow(t, 2), r; r = s; t *= "
                   "2; y[i] = r; }")
            .empty());
  const std::pair<const char*, const char*> cases[] = {
      {"for (int i = 0; i < n; ++i) { sum += x[i]; y[i] = sum; }", "every pass changes sum"},
      {"for (int i = 0; i < n; ++i) sum = 2 * sum + x[i];", "every pass changes sum"},
      {"for (int i = 1; i < n; ++i) y[i] = y[i - 1];", "used at [i-1]"},
      {"for (int i = 0; i < n; ++i) y[k[i]] = 1;", "may meet"},
      {"for (int i = 0; i < n; ++i) y[0] = x[i];", "same element of y"},
      {"for (int i = 0; i < n; ++i) y[i / 2] = x[i];", "may meet"},
      {"for (int i = 0; i < n; ++i) { if (x[i] < 0) break; y[i] = 1; }", "break"},
      {"for (int i = 0; i < n; ++i) y[i] = rand();", "calls rand"},
      {"for (int i = 0; i < n; ++i) *y = x[i];", "writes through y"},
      {"for (;;) y[0] = 1;", "not counted"}};
  for (const auto& [body, why] : cases) CHECK_THAT(dependence(body), Contains(why));
}

TEST_CASE("a loop that only adds to a number is a reduction") {
  const std::string text =
      "double f(int n, const double* x) {\n  double s = 0;\n"
      "  for (int i = 0; i < n; ++i) s += x[i] * x[i];\n  return s;\n}\n";
  CHECK_THAT(Read(text).nest.with_pragmas(text),
             Contains("#pragma omp parallel for simd schedule(runtime) reduction(+ : s) "
                      "simdlen(KNOB_SIMD)\n#else\n"
                      "#pragma omp parallel for schedule(runtime) reduction(+ : s)\n#endif\n"));
}

TEST_CASE("pragmas of the knobs stand in front of the loops") {
  const std::string text = Read(heat).nest.with_pragmas(heat);
  CHECK_THAT(text, Contains("#pragma omp parallel for schedule(runtime)\n  for (int i"));
  CHECK_THAT(text, Contains("#if KNOB_SIMD > 1\n#pragma omp simd simdlen(KNOB_SIMD)\n"
                            "#elif KNOB_UNROLL > 1\n#pragma GCC unroll KNOB_UNROLL\n#endif\n"
                            "    for (int j"));
  const std::string own =
      "void f(int n, double* y) {\n#pragma omp parallel for\n"
      "  for (int i = 0; i < n; ++i) y[i] = 0;\n}\n";
  CHECK(Read(own).nest.with_pragmas(own) == own);
}
