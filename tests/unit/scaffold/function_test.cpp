// A function read from a source: its parameters as a kernel has them, the knobs of its loops, and
// what is refused with the cure.
#include "scaffold/function.h"

#include <catch2/catch.hpp>

#include "core/error.h"
#include "core/file.h"
#include "os/temporary_directory.h"
#include "scaffold/pragmas.h"
#include "scaffold/uses.h"

using namespace rooftune;
using namespace rooftune::scaffold;
using Catch::Contains;
using Catch::StartsWith;

namespace {

struct Read {
  explicit Read(std::string source, const std::string& name = "f")
      : text{std::move(source), build::Language::cpp, {{0, "a.cpp", 1}}},
        syntax(text.text),
        function(function_in(syntax, text, "a.cpp", name)),
        uses(syntax, function),
        knobs(loop_knobs(syntax, function, text)) {}
  SourceText text;
  Syntax syntax;
  FunctionSource function;
  ArrayUses uses;
  LoopKnobs knobs;
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
  std::string sizes(std::size_t parameter) const {
    return elements(function.parameters.at(parameter).sides, function.constants);
  }
  std::string with_knobs() const { return edited(text.text, knobs.edits); }
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
      {"void f(unsigned long n, std::size_t m, long long k, float x[], double* __restrict y) {}",
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
      {"\nvoid f(std::vector<double>& u) { u.push_back(1); }",
       "a.cpp:2: the vector \"u\" is handed on"},
      {"void f(std::vector<std::string>& u) {}", "numbers and arrays"},
      {"void f(double*** u) {}", "array of arrays"},
      {"void g(double** u); void f(double** u) { g(u); }", "the rows of \"u\" are handed on"},
      {"struct S { double x; int n; }; void f(S* s) { s[0].x = 1; }", "parameter \"s\" is a S*"},
      {"struct S { double x; }; void g(S&); void f(S& s) { g(s); }", "parameter \"s\" is a S&"},
      {"struct S { std::string x; }; void f(S& s) { s.x = 1; }", "no number and no array"},
      {"void f(Grid g) {}", "parameter \"g\" is a Grid"},
      {"void f(void (*g)(int), int n) {}", "numbers and arrays"},
      {"void f(long double x) {}", "long double"},
      {"double* f(int n) { return 0; }", "the result of"},
      {"template <int N>\nvoid f(double* u) {}", "a.cpp:1: \"f\" is a template"},
      {"void f() {}", "has no parameters"},
      {"void f(int a) {} void f(double b) {}", "defines 2 functions \"f\""},
      {"void f(int a); void ff(int a) {}", "did you mean \"ff\"?"},
      {"struct S { void f(int a, double* u) {} };", "is a function of a class"},
      {"struct S { void f(int a);\nList u; };\nvoid S::f(int a) { u.add(a); }",
       "a.cpp:2: \"u\" of its class is no number and no array: List u"},
      {"void f(int a", "outside of classes"},
      {"", "outside of classes"}};
  for (const auto& [text, what] : cases) {
    INFO(text);
    CHECK_THAT(fault_of(text), Contains("a.cpp") && Contains(what));
  }
}

TEST_CASE("an instance of a template and a function of a class are free functions") {
  const std::string text =
      "template <class T, int W> void f(int n, T* u) { for (int i = 0; i < W * n; ++i) u[i] = 0; "
      "}\n"
      "template <class T> class Stream : Base { public:\n  void copy() const; T get() { return 1; "
      "}\n"
      "  T *a, *b; int size; double sum; };\n"
      "template <class T> void Stream<T>::copy() const {\n"
      "  for (int i = 0; i < size; ++i) { this->b[i] = a[i]; sum += a[i]; } }\n"
      "template <class T> void Stream<T>::other() {}\ntemplate class Stream<float>;\n";
  const Read plain(text, "f<float, 4>");
  CHECK(plain.parameters() == "n int32; u float*");
  CHECK_THAT(edited(text, plain.function.edits),
             StartsWith("using T = float;\nconstexpr int W = 4;"));
  const Read copy(text, "Stream::copy");
  CHECK(copy.parameters() == "a double*; b double*; size int32; sum double&");
  CHECK(edited(text, copy.function.edits) ==
        "\nusing T = double;\n void copy(double *a, double *b, int size, double &sum) {\n"
        "  for (int i = 0; i < size; ++i) { b[i] = a[i]; sum += a[i]; } }\n");
}

TEST_CASE("what stands in front of a function does not hide it") {
  for (const char* before :
       {"template <class T, int W = 4> void g(T* u) { u[0] = W; } ", "enum class E : int { A }; ",
        "namespace a { namespace { int x[] = {1, 2}; } } ", "#pragma omp declare simd\n",
        "struct S { S() : n(0) {} int n; } one = {}; ", "extern \"C\" { void h(int n); } "})
    CHECK(fault_of(before + std::string("void f(int n) { }")) == "read: n int32");
}

TEST_CASE("torn and hostile sources end in an error or a function") {
  const std::string whole = heat;
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK_NOTHROW(fault_of(whole.substr(0, length)));
  for (const char* text :
       {"\"", "R\"(", "/*", "#define", "'", "((((", "}}}}", "void f(int a) {{{", "\\"})
    CHECK_NOTHROW(fault_of(text));
}

TEST_CASE("sizes are those in the brackets, and the user's where a pointer has none") {
  const Read read(
      "constexpr int W = 8; void f(int n, double a[n + 2][W], double c[][64], double* d) {}");
  CHECK(read.sizes(1) == "(n + 2)*8");
  for (const std::size_t open : {2, 3}) CHECK(read.sizes(open).empty());
}

TEST_CASE("uses of arrays tell what is only written, and what holds indices of another") {
  const Read stencil(heat);
  CHECK(stencil.uses.only_written("next"));
  CHECK_FALSE(stencil.uses.only_written("u"));
  const Read gather(
      "void f(int n, const int* p, const int* q, double* a, double* b, double* c) {\n"
      "  for (int i = 0; i < n; ++i) { const int at = q[i]; a[p[i]] = b[at]; c[i] += 1; } g(a); }");
  using Kind = Contents::Kind;
  CHECK(gather.uses.contents("p").kind == Kind::indices);
  CHECK(gather.uses.contents("p").of == "a");
  CHECK(gather.uses.contents("q").of == "b");
  CHECK(gather.uses.contents("c").kind == Kind::values);
  for (const char* also : {"a", "c"}) CHECK_FALSE(gather.uses.only_written(also));
  const Read sparse(
      "void f(int n, const int* row, const int* column, const double* a, const double* x, double* "
      "y, const int* count) {\n"
      "  const double* const xv = x; double* to = &y[0];\n"
      "  for (int i = 0; i < n; ++i) { double sum = 0; const int many = count[i];\n"
      "    for (int j = row[i]; j < row[i + 1]; ++j) sum += a[j] * xv[column[j]];\n"
      "    for (int k = 0; k < many; ++k) sum += k;\n    to[i] = sum; } }");
  CHECK(sparse.uses.contents("row").kind == Kind::offsets);
  CHECK(sparse.uses.contents("row").of == "a");
  CHECK(sparse.uses.contents("column").of == "x");
  CHECK(sparse.uses.contents("count").kind == Kind::lengths);
  CHECK(sparse.uses.only_written("y"));
  const Read records(
      "struct P { double x, y; }; void f(P* p, const P* q, std::vector<double>& v) {"
      " p[0].x = q[0].y + v.size(); g(v.data()); }");
  CHECK(records.uses.only_written("p"));
  CHECK(records.uses.only_read("q"));
  CHECK_FALSE(records.uses.only_read("v"));
}

TEST_CASE("members of objects, rows and vectors are arrays and numbers of the kernel") {
  const std::string text =
      "struct Grid { double* u; int n; double sum; std::vector<float> w; };\n"
      "typedef struct { double x, y; double z[2]; } Point;\n"
      "void f(const Grid& g, Grid* h, double** m, std::vector<int> const& v, Point* p) {\n"
      "  for (int i = 0; i < g.n; ++i) { h->sum += g.u[i] * m[i][v[i]]; m[0][i] = p[i].x; }\n"
      "  h->sum += v.size() + h->w.size() + g.w[0]; }";
  const Read read(text);
  CHECK(read.parameters() ==
        "g_u double*; g_n int32; g_w float* const; g_w_size int64; h_sum double*; h_w float*; "
        "h_w_size "
        "int64; m double*; row_elements int64; v int32* const; v_size int64; p double*");
  const std::string edited_text = edited(text, read.function.edits);
  for (const char* there :
       {"void f(double *g_u, int g_n, const float *g_w, long g_w_size, double *h_sum, float *h_w, "
        "long "
        "h_w_size, double *m, long row_elements, const int *v, long v_size, Point* p)",
        "i < g_n; ++i) { (*h_sum) += g_u[i] * (m + (long)(i) * row_elements)[v[i]];",
        "(m + (long)(0) * row_elements)[i] = p[i].x;", "v_size + h_w_size + g_w[0];"})
    CHECK_THAT(edited_text, Contains(there));
  CHECK(read.sizes(3).empty());
  CHECK(read.sizes(2) == "(g_w_size)");
  CHECK(read.function.parameters.back().record == "Point");
}

TEST_CASE("pointers that are cast are arrays, and numbers behind pointers are numbers") {
  const Read cast("void f(void* pu, int n) { double (*u)[n] = (double (*)[n])pu; u[0][0] = 0; }");
  CHECK(cast.parameters() == "pu double*; n int32");
  const Read address(
      "void f(int* xmin, double* dt, double* y) { int lo = *xmin; for (int i = lo; i < 9; ++i) "
      "y[i] = *dt; }");
  CHECK(address.function.parameters[0].address);
  CHECK(address.function.parameters[1].address);
}

TEST_CASE("an innermost loop without a pragma is unrolled, and gets no threads") {
  const Read read(heat);
  CHECK_THAT(read.with_knobs(),
             Contains("  for (int i = 1; i < n - 1; ++i)\n"
                      "#if KNOB_UNROLL > 1\nPRAGMA(GCC unroll KNOB_UNROLL)\n#endif\n"
                      "    for (int j = 1; j < m - 1; ++j) {"));
  CHECK(read.knobs.loops == std::vector<std::string>{"line 7: unroll"});
  CHECK_FALSE((read.knobs.parallel || read.knobs.simd));
  CHECK(
      Read("void f(int n, double* y) {\n#pragma GCC ivdep\nfor (int i = 0; i < n; ++i) y[i] = 1; }")
          .knobs.edits.empty());
}

TEST_CASE("pragmas of the user get the knobs and keep their other clauses") {
  const Read read(
      "double f(int n, int m, double* y) { double s = 0;\n"
      "#pragma omp parallel for collapse(2) reduction(+:s) schedule(dynamic, 4) num_threads(3)\n"
      "for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) s += y[i * m + j];\n"
      "omp_set_num_threads(2);\n"
      "#pragma omp parallel for simd private(s) simdlen(8)\n"
      "for (int i = 0; i < n; ++i) y[i] = 0;\n"
      "#pragma omp target teams distribute parallel for collapse(2)\n"
      "for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) y[i * m + j] = 0;\n"
      "#pragma omp parallel num_threads(4)\n"
      "{ work(y); }\n"
      "for (int i = 0; i < n; ++i) y[i] = 1;\n return s; }");
  const std::string text = read.with_knobs();
  CHECK_THAT(text, Contains("#pragma omp parallel for reduction(+:s) schedule(runtime) "
                            "collapse(KNOB_COLLAPSE > 2 ? 2 : KNOB_COLLAPSE)\nfor (int i = 0; i < "
                            "n; ++i) for (int j"));
  CHECK_THAT(text, Contains("#if KNOB_SIMD > 1\n#pragma omp parallel for simd private(s) "
                            "schedule(runtime) simdlen(KNOB_SIMD)\n#else\n#pragma omp parallel for "
                            "simd private(s) schedule(runtime)\n#endif\nfor"));
  CHECK_THAT(text, Contains("(void)0;\n"));
  CHECK_THAT(text, Contains("#pragma omp target teams distribute parallel for collapse(2)\nfor "
                            "(int i = 0; i < n; ++i) for (int j"));
  CHECK_THAT(text, Contains("#pragma omp parallel\n{ work(y); }\n"));
  // Only the last loop has no pragma.
  CHECK(text.find("KNOB_UNROLL") == text.rfind("\n#if KNOB_UNROLL") + 5);
  CHECK(read.knobs.first_schedule == "dynamic");
  CHECK(read.knobs.collapse == 2);
}

TEST_CASE("a source is what its compiler reads, and of it what the function reaches") {
  const TemporaryDirectory folder;
  const auto write = [&](const char* name, const char* text) {
    write_atomically(folder.path() / name, text);
    return folder.path() / name;
  };
  write("types.h",
        "typedef double Real;\nstruct Other { int x; };\n"
        "static inline Real twice(Real x) { return 2 * x; }\n");
  const auto file = write("a.c", R"(#include <math.h>
#include "types.h"
#define A(i, j) a[(i) * N + (j)]
static Real scratch[N], table[N][N];
void report(int n);
static int unused(void) { return 7; }
int main() { return unused(); }
#ifdef TUNED
// Kept.
void f(int n, Real* a) {
  report(n);
  if (n < 0) a[0] = INFINITY;
  for (int i = 0; i < N; ++i) { A(i, 0) = twice(sqrt(scratch[i])); table[i][0] = A(i, 0); }
}
#endif
)");
  const SourceText text = preprocessed(file, {"-DTUNED", "-DN=16"});
  CHECK(text.language == build::Language::c);
  const Syntax syntax(text.text);
  const FunctionSource function = function_in(syntax, text, file.string(), "f");
  CHECK(text.place(syntax[function.open].begin) == file.string() + ":10");
  CHECK(function_in(syntax, text, file.string(), "12").name == "f");
  REQUIRE(function.parameters.size() == 4);
  CHECK(function.parameters[2].name == "scratch");
  CHECK(function.parameters[3].global);
  CHECK(elements(function.parameters[3].sides, function.constants) == "16*16");
  const std::string kept = edited(text.text, function.edits);
  for (const char* there :
       {"#include <math.h>", "// Kept.", "static double *scratch", "(*table)[16]",
        "static inline Real twice", "void report(int n) {}", "__builtin_inff", "a[(i) * 16 + (0)]"})
    CHECK_THAT(kept, Contains(there));
  for (const char* gone : {"main", "unused", "Other", "sqrtf"}) CHECK_THAT(kept, !Contains(gone));
  CHECK(function.elsewhere == std::vector<std::string>{"report"});
  CHECK_THROWS_WITH(preprocessed(write("b.c", "#error no\n"), {}), Contains("#error no"));
}
