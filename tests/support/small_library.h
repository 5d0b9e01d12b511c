// Exported libraries without a study: of kernels y = s x + k of a few lines.
#pragma once
#include "exports/kernel_library.h"
#include "support/scratch_folder.h"

namespace rooftune {

/// The kernel `name`; prepared, its y needs every thread that prepared it.
inline Kernel small_kernel(const testing::ScratchFolder& folder, const std::string& name,
                           bool prepared) {
  const std::string in = name + ".kernel/";
  folder.write(in + "kernel.json", R"({
    "schema": "rooftune-kernel-1", "name": ")" +
                                       name + R"(", "title": "y = s x + k",
    "parameters": [{"name": "n", "type": "integer", "default": 1000, "doc": "elements"},
                   {"name": "s", "type": "real", "default": 3.0, "doc": "scalar"}],
    "arguments": [{"name": "n", "type": "int64", "value": "n"},
                  {"name": "s", "type": "double", "value": "s"},
                  {"name": "zero", "type": "int32", "value": "0"},
                  {"name": "x", "type": "double*", "count": "n", "access": "read",
                   "fill": {"kind": "uniform", "low": 1, "high": 2, "seed": 1}},
                  {"name": "k", "type": "int32*", "count": "n", "access": "read",
                   "fill": {"kind": "index", "scale": 1, "offset": 0}},
                  {"name": "y", "type": "double*", "count": "n", "access": "write"}],
    "work": {"least": {"fp64": "2*n"}, "nominal": "2*n", "items": "n", "item": "element"},
    "traffic": {"read": "12*n", "write": "8*n", "footprint": "20*n"},
    "cache": "warm", "tolerance": {"relative": 1e-14, "absolute": 0},
    "reference": "reference.cpp",
    "backends": {"openmp": {"source": "openmp.cpp")" +
                                       (prepared ? R"(, "prepare": true)" : "") + "}}}");
  const std::string arguments =
      "(std::int64_t n, double s, std::int32_t zero, const double* x, const std::int32_t* k, "
      "double* y)";
  folder.write(in + "reference.cpp",
               "#include <cstdint>\nvoid " + name + arguments +
                   " { for (std::int64_t i = 0; i < n; ++i) y[i] = s * x[i] + k[i] + zero; }\n");
  // With what compilers warn of.
  std::string text = "#include <omp.h>\n#include <cstdint>\nstatic const double spare = 1;\n";
  if (prepared)
    text += "static int threads = 0;\nvoid " + name + "_prepare" + arguments +
            " { threads = omp_get_max_threads(); }\n";
  const char* const wanted = prepared ? "threads" : "1";
  folder.write(in + "openmp.cpp",
               text + "void " + name + arguments + " {\n" +
                   "  const auto one = [=]<class T>(T i) { y[i] = s * x[i] + k[i] + zero; };\n"
                   "  int there = 0;\n#pragma omp parallel reduction(+ : there)\n"
                   "  there += 1;\n"
                   "#pragma omp parallel for schedule(static)\n"
                   "  for (std::int64_t i = 0; i < n; ++i)\n"
                   "    if (there >= " +
                   wanted + ") one(i);\n}\n");
  return read_kernel(folder.path() / in);
}

/// A variant v1 timed with 1000 elements by two threads, and the untuned form.
inline LibrarySource small_library(const Kernel& kernel) {
  LibrarySource source;
  source.kernel = kernel;
  source.backend = *source.kernel.backend("openmp");
  source.problem = problem_parameters(source.kernel, {});
  source.slots = slots(source.kernel, source.problem);
  LibraryVariant variant;
  variant.configuration.set("unroll", 2);
  variant.settings.scalars = {1000, 3.0, 0, nullptr, nullptr, nullptr};
  for (const char* name : {"v1", "baseline"}) {
    variant.name = name;
    variant.about = std::string("made up: ") + name;
    variant.threads = source.variants.empty() ? 2 : 0;
    source.variants.push_back(variant);
  }
  source.variants.back().configuration.set("unroll", 1);
  return source;
}

}  // namespace rooftune
