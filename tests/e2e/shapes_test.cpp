// Loops as they stand in applications: each becomes a folder in which every value of every knob
// builds and is right.
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "core/file.h"
#include "support/night.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

struct Shape {
  const char *name, *file, *source;
  std::string problem;
  /// Knobs beside the compiler and its flags.
  std::set<std::string> knobs;
};

const std::set<std::string> unrolled = {"unroll"}, threads = {"threads", "schedule"},
                            vectors = {"threads", "schedule", "simd"},
                            nest = {"threads", "schedule", "collapse"}, none;

/// Values of the scalars, and a number of elements for each of the arrays.
std::string sized(std::string problem, const std::string& arrays, const std::string& elements) {
  std::istringstream names(arrays);
  for (std::string name; names >> name;) problem += ",elements_of_" + name + "=" + elements;
  return problem;
}

std::vector<Shape> shapes() {
  return {
      {"plain", "a.cpp",
       "void f(int n, const double* a, double* b) {\n#pragma omp parallel for simd\n for (int i = "
       "0; "
       "i < n; ++i) b[i] = 2 * a[i]; }",
       sized("n=400", "a b", "n"), vectors},
      {"old_scalar", "a.c",
       "void f(int n, const double* a, double* b) { double t; int i;\n#pragma omp parallel for "
       "private(t)\n"
       "  for (i = 0; i < n; ++i) { t = a[i] * a[i]; b[i] = t + 1; } }",
       sized("n=400", "a b", "n"), threads},
      {"scratch", "a.cpp",
       "void f(int n, int m, const double* a, double* b) { double row[512];\n"
       "  for (int i = 0; i < n; ++i) { for (int j = 0; j < m; ++j) row[j] = a[i * m + j] * 2;\n"
       "    for (int j = 0; j < m; ++j) b[i * m + j] = row[j] + row[m - 1 - j]; } }",
       sized("n=40,m=40", "a b", "n*m"), unrolled},
      {"index_macro", "a.c",
       "#define AT(i, j) ((i) * m + (j))\nvoid f(int n, int m, const double* a, double* b) { int "
       "i, "
       "j;\n#pragma omp parallel for collapse(2)\n  for (i = 0; i < n; i++) for (j = 0; j < m; "
       "j++) b[AT(i, j)] = a[AT(i, j)] + 1; }",
       sized("n=40,m=40", "a b", "n*m"), nest},
      {"array_macro", "a.cpp",
       "#define A(i, j) a[(i) * n + (j)]\nvoid f(int n, double* a) { for (int i = 0; i < n; ++i) "
       "for "
       "(int j = 0; j < n; ++j) A(i, j) = i + j; }",
       sized("n=40", "a", "n*n"), unrolled},
      {"two_sides", "a.cpp",
       "#define N 32\nvoid f(const double a[N][N], double b[N][N]) { for (int i = 0; i < N; ++i) "
       "for "
       "(int j = 0; j < N; ++j) b[i][j] = 2 * a[i][j]; }",
       "", unrolled},
      {"variable_sides", "a.c",
       "void f(int n, const double a[n][n], double b[n][n]) { for (int i = 0; i < n; ++i) for (int "
       "j "
       "= 0; j < n; ++j) b[i][j] = 2 * a[i][j]; }",
       "n=40", unrolled},
      {"row_pointer", "a.cpp",
       "void f(int n, int m, const double* a, double* b) { for (int i = 0; i < n; ++i) { const "
       "double* from = a + i * m; double* to = &b[i * m];\n for (int j = 0; j < m; ++j) to[j] = "
       "from[j]; } }",
       sized("n=40,m=40", "a b", "n*m"), unrolled},
      {"own_collapse", "a.cpp",
       "void f(int n, int m, const double* a, double* b) {\n#pragma omp parallel for collapse(2) "
       "schedule(static)\n for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) b[i * m + j] = "
       "2 "
       "* a[i * m + j]; }",
       sized("n=40,m=40", "a b", "n*m"), nest},
      {"own_reduction", "a.c",
       "#include <omp.h>\ndouble f(int n, const double* a) { double s = 0; int i;\n"
       "omp_set_num_threads(2);\n#pragma omp parallel for reduction(+:s) num_threads(2)\n"
       "for (i = 0; i < n; i++) s += a[i];\n return s; }",
       sized("n=400", "a", "n"), threads},
      {"own_region", "a.cpp",
       "void f(int n, const double* a, double* b) {\n#pragma omp parallel\n{\n#pragma omp for "
       "schedule(dynamic, 8) nowait\nfor (int i = 0; i < n; ++i) b[i] = a[i] + 1;\n}\n}",
       sized("n=400", "a b", "n"), threads},
      {"reduction", "a.cpp",
       "double f(int n, const double* a) { double s = 0;\n#pragma omp parallel for simd "
       "reduction(+ : s)\n for (int i = 0; i < n; ++i) s = s + a[i] "
       "* "
       "a[i]; return s; }",
       sized("n=400", "a", "n"), vectors},
      {"downward", "a.cpp",
       "void f(int n, const double* a, double* b) { for (int i = n - 1; i >= 0; --i) b[i] = 2 * "
       "a[i]; "
       "}",
       sized("n=400", "a b", "n"), unrolled},
      {"constant_inner", "a.cpp",
       "void f(int n, double u[][64]) { for (int i = 0; i < n; ++i) for (int j = 0; j < 64; ++j) "
       "u[i][j] = j; }",
       sized("n=40", "u", "n*64"), unrolled},
      {"halo", "a.cpp",
       "void f(int n, int m, const double* u, double* v) { const int ld = m + 2; for (int i = 1; i "
       "<= "
       "n; ++i) for (int j = 1; j <= m; ++j) v[i * ld + j] = u[i * ld + j - 1] + u[i * ld + j + "
       "1]; "
       "}",
       sized("n=40,m=40", "u v", "(n+2)*(m+2)"), unrolled},
      {"restrict", "a.c",
       "void f(int n, const double* restrict a, double* restrict b) { for (int i = 0; i < n; ++i) "
       "b[i] = 2 * a[i]; }",
       sized("n=400", "a b", "n"), unrolled},
      {"by_address", "a.c",
       "void f(int* n, double* s, const double* a, double* b) { int i; for (i = 0; i < *n; i++) "
       "b[i] "
       "= *s * a[i]; }",
       sized("n=400", "a b", "n"), unrolled},
      {"walk", "a.cpp",
       "void f(int n, const double* a, double* b) { double* p = b; for (int i = 0; i < n; ++i) "
       "*p++ = "
       "a[i]; }",
       sized("n=400", "a b", "n"), unrolled},
      {"while", "a.cpp",
       "void f(int n, const double* a, double* b) { int i = 0; while (i < n) { b[i] = a[i]; ++i; } "
       "}",
       sized("n=400", "a b", "n"), none},
      {"alias_sum", "a.cpp",
       "void f(int n, const double* x, double* y) { double* p = y; for (int i = 0; i < n; ++i) "
       "p[0] "
       "+= x[i]; }",
       sized("n=400", "x y", "n"), unrolled},
      {"shared_scratch", "a.cpp",
       "void f(int n, const double* x, double* y) { double tmp[4]; for (int i = 0; i < n; ++i) { "
       "tmp[i % 4] = x[i]; y[i] = tmp[i % 4]; } }",
       sized("n=400", "x y", "n"), unrolled},
      {"file_arrays", "a.c",
       "#define N 500\nstatic double a[N], b[N], c[N];\nvoid f(double s) { int j;\n#pragma omp "
       "parallel for\n for (j = 0; j < N; j++) a[j] = b[j] + s * c[j]; }",
       "", threads},
      {"heap", "a.c",
       "#include <stdlib.h>\nvoid f(int n, const double* a, double* b) { double* t = malloc(n * "
       "sizeof(double)); for (int i = 0; i < n; ++i) t[i] = a[i]; for (int i = 0; i < n; ++i) b[i] "
       "= "
       "2 * t[i]; free(t); }",
       sized("n=400", "a b", "n"), unrolled},
      {"typedefs", "a.cpp",
       "#include \"types.h\"\nvoid f(Index n, const Real* a, Real* b) {\n#pragma omp parallel for "
       "simd\n for (Index i = 0; i < n; "
       "++i) "
       "b[i] = 2 * a[i]; }",
       sized("n=400", "a b", "n"), vectors},
      {"gather", "a.cpp",
       "void f(int n, const int* p, const double* a, double* b) {\n#pragma omp parallel for\n for "
       "(int i = 0; i < n; ++i) b[i] "
       "= "
       "a[p[i]]; }",
       sized("n=400", "p a b", "n"), threads},
      {"scatter", "a.cpp",
       "void f(int n, const int* p, const double* a, double* b) { for (int i = 0; i < n; ++i) "
       "b[p[i]] "
       "= a[i]; }",
       sized("n=400", "p a b", "n"), unrolled},
      {"flat_cast", "a.c",
       "void f(void* pu, int n1, int n2) { double (*u)[n1] = (double (*)[n1])pu; int i, j; for (j "
       "= 0; "
       "j < n2; j++) for (i = 0; i < n1; i++) u[j][i] = i; }",
       sized("n1=40,n2=40", "pu", "n1*n2"), unrolled},
      {"object", "a.cpp",
       "struct Grid { double* u; double* v; int n; };\nvoid f(const Grid& g, double s) {\n#pragma "
       "omp parallel for\n for (int i = 0; i < g.n; ++i) g.v[i] = s * g.u[i]; }",
       "g_n=400,elements=g_n", threads},
      {"object_of_c", "a.c",
       "typedef struct { double *u, sum; long n; } Grid;\nvoid f(Grid* g) { long i; g->sum = 0; "
       "for (i = 0; i < g->n; i++) g->sum += g->u[i]; }",
       "g_n=400,elements=g_n", unrolled},
      {"rows", "a.c",
       "void f(int n, int m, double** a, double** b) { int i, j; for (i = 0; i < n; i++) for (j = "
       "0; j < m; j++) b[i][j] = 2 * a[i][j]; }",
       "n=40,m=30,row_elements=30,elements=n*row_elements", unrolled},
      {"vectors", "a.cpp",
       "#include <vector>\nvoid f(const std::vector<double>& a, std::vector<double>& b) {\n#pragma "
       "omp parallel for\n for (std::size_t i = 0; i < a.size(); ++i) b[i] = 2 * a[i]; }",
       "a_size=400,b_size=400", threads},
      {"records", "a.c",
       "typedef struct { double x, y; } Point;\nvoid f(int n, const Point* p, double* d) { int i; "
       "for (i = 0; i < n; i++) d[i] = p[i].x * p[i].y; }",
       "n=400,elements=2*n", unrolled},
      {"sparse",
       "a.cpp",
       "void f(int n, const int* row, const int* column, const double* a, const double* x, double* "
       "y) {\n#pragma omp parallel for\n for (int i = 0; i < n; ++i) { double s = 0;\n  for (int "
       "j = row[i]; j < row[i + 1]; ++j) s += a[j] * x[column[j]];\n  y[i] = s; } }",
       "n=100,elements_of_row=n+1,elements_of_column=5*n,elements_of_a=5*n,elements=n",
       {"threads", "schedule", "unroll"}},
      {"branches", "a.cpp",
       "void f(int n, const double* a, double* b) { for (int i = 0; i < n; ++i) if (a[i] > 0.5) "
       "b[i] "
       "= a[i]; else b[i] = -a[i]; }",
       sized("n=400", "a b", "n"), unrolled}};
}

}  // namespace

TEST_CASE("shapes of loops become folders whose values all build and are right") {
  const std::vector<Shape> all = shapes();
  for (const std::string compiler : {"g++", "clang++"}) {
    if (!find_program(compiler)) {
      WARN("skipped: shapes by " << compiler << ", which is not here");
      continue;
    }
    const User user;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Shape& shape = all[i];
      INFO(compiler << " " << shape.name);
      // By day some of them are built, each by one of the compilers.
      constexpr std::size_t every = 8;
      const bool is_first = compiler == "g++";
      const bool is_built = testing::at_night() || i % every == (is_first ? 0 : 2);
      if (!is_built && !is_first) continue;
      const std::string name = shape.name;
      user.write(name + "/" + shape.file, shape.source);
      user.write(name + "/types.h", "typedef double Real;\ntypedef int Index;\n");
      std::vector<std::string> words = {"new", name + "_kernel", "--from",
                                        name + "/" + shape.file + ":f"};
      if (!shape.problem.empty()) words.insert(words.end(), {"--problem", shape.problem});
      const Ran made = user.tune(words);
      INFO(made.output);
      REQUIRE(made.code == 0);
      CHECK_FALSE(made.says("fill in"));
      const Json space = read_json(user.path(name + "_kernel/" + name + "_kernel.openmp.json"));
      std::set<std::string> knobs;
      std::size_t most = 1;
      for (const Json& knob : space.at("knobs")) {
        const std::string word = knob.at("name");
        if (word != "compiler" && word != "flags") knobs.insert(word);
        if (knob.contains("values"))
          most = std::max(most, knob.at("values").is_array() ? knob.at("values").size() : 1);
      }
      CHECK(knobs == shape.knobs);
      if (!is_built) continue;
      // So many cover each value of each knob.
      const Ran checked =
          user.tune({"check", "./" + name + "_kernel", "--sample", std::to_string(2 * most + 2)},
                    {{"CXX", compiler}, {"CC", is_first ? "gcc" : "clang"}});
      INFO(checked.output);
      // Threads of LLVM's OpenMP wait busily for a while, which is called computing on.
      if (is_first) CHECK(checked.code == 0);
      CHECK(checked.says("baseline      ok"));
      for (const char* fault : {"build_failed", "build failed", "wrong_result", "wrong result"})
        CHECK_FALSE(checked.says(fault));
    }
  }
}
