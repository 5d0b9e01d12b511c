// A user's kernel whose one knob chooses how it misbehaves.
#pragma once
#include <string>
#include <vector>

#include "user.h"

namespace rooftune::e2e {

/// Writes <name>/ with a kernel y = 2 x whose compile knob `mode` takes these values; "well"
/// behaves. "held" does not come out of its start-up code as long as there is a file `held` in
/// $TMPDIR, and writes `holding` there; "racer" does so in a race only.
inline void write_rogue(const User& user, const std::string& name,
                        const std::vector<std::string>& modes) {
  user.write(name + "/kernel.json", R"({"schema": "rooftune-kernel-1", "name": ")" + name +
                                        R"(", "title": "doubles", "parameters":
 [{"name": "n", "type": "integer", "default": 1000, "min": 1, "doc": "length"}],
 "arguments": [{"name": "n", "type": "int64", "value": "n"},
  {"name": "x", "type": "double*", "count": "n", "access": "read", "fill": {"kind": "uniform", "low": -1, "high": 1}},
  {"name": "y", "type": "double*", "count": "n", "access": "write"}],
 "work": {"least": {"fp64": "n"}, "nominal": "n", "items": "n", "item": "element"},
 "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
 "tolerance": {"relative": 1e-14, "absolute": 0, "scale": "element"},
 "reference": "reference.cpp", "backends": {"openmp": {"source": "openmp.cpp"}}})");
  const std::string signature = "void " + name + "(std::int64_t n, const double* x, double* y)";
  const std::string loop = "  for (std::int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];\n";
  user.write(name + "/reference.cpp", "#include <cstdint>\n" + signature + " {\n" + loop + "}\n");
  user.write(name + "/openmp.cpp", R"(#include <dlfcn.h>
#include <unistd.h>
#include <sys/mman.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#ifdef KNOB_MODE_SYNTAX
#if KNOB_MODE == KNOB_MODE_SYNTAX
this is no C++
#endif
#endif
#if defined(KNOB_MODE_HELD) || defined(KNOB_MODE_RACER)
__attribute__((constructor)) static void hold() {
#ifdef KNOB_MODE_HELD
  bool mine = KNOB_MODE == KNOB_MODE_HELD;
#else
  Dl_info self;
  bool mine = KNOB_MODE == KNOB_MODE_RACER && dladdr(reinterpret_cast<void*>(&hold), &self) != 0 &&
              std::strstr(self.dli_fname, "/race/") != nullptr;
#endif
  char held[4096], holding[4096];
  std::snprintf(held, sizeof held, "%s/held", std::getenv("TMPDIR"));
  std::snprintf(holding, sizeof holding, "%s/holding", std::getenv("TMPDIR"));
  if (!mine || access(held, F_OK) != 0) return;
  if (std::FILE* file = std::fopen(holding, "w")) std::fclose(file);
  while (access(held, F_OK) == 0) ::usleep(1000);
}
#endif
)" + signature + " {\n" + loop + R"(
#ifdef KNOB_MODE_WRONG
  if (KNOB_MODE == KNOB_MODE_WRONG) y[n / 2] += 1e-9;
#endif
#ifdef KNOB_MODE_AFTER
  if (KNOB_MODE == KNOB_MODE_AFTER) y[n] = 7;
#endif
#ifdef KNOB_MODE_INPUT
  if (KNOB_MODE == KNOB_MODE_INPUT) const_cast<double*>(x)[0] = 7;
#endif
#ifdef KNOB_MODE_SEGFAULT
  if (KNOB_MODE == KNOB_MODE_SEGFAULT) *reinterpret_cast<volatile int*>(8) = 1;
#endif
#ifdef KNOB_MODE_DIVIDE
  if (KNOB_MODE == KNOB_MODE_DIVIDE) { volatile int one = 1, zero = 0; y[0] = one / zero; }
#endif
#ifdef KNOB_MODE_PRINT
  if (KNOB_MODE == KNOB_MODE_PRINT) for (int k = 0; k < 200000; ++k) std::puts("nobody wants to read this line at all");
#endif
#ifdef KNOB_MODE_ALLOCATE
  if (KNOB_MODE == KNOB_MODE_ALLOCATE)
    for (;;) std::memset(std::malloc(1 << 26), 1, 1 << 26);
#endif
#ifdef KNOB_MODE_LEAVE
  if (KNOB_MODE == KNOB_MODE_LEAVE) std::exit(0);
#endif
#ifdef KNOB_MODE_HANG
  if (KNOB_MODE == KNOB_MODE_HANG) for (;;) ::usleep(1000);
#endif
#ifdef KNOB_MODE_SLOW
  if (KNOB_MODE == KNOB_MODE_SLOW) ::usleep(200000);
#endif
}
)");
  std::string values;
  for (const auto& mode : modes) values += (values.empty() ? "\"" : ", \"") + mode + "\"";
  user.write(name + "/" + name + ".openmp.json",
             R"({"schema": "rooftune-space-1", "kernel": ")" + name +
                 R"(", "backend": "openmp", "knobs":
 [{"name": "mode", "kind": "compile", "values": [)" +
                 values + R"(], "default": ")" + modes.front() +
                 R"(", "breaks": ["work"], "doc": "how it behaves"}],
 "constraints": []})");
}

}  // namespace rooftune::e2e
