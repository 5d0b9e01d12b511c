// A user's kernel whose one knob chooses how it misbehaves.
#pragma once
#include <algorithm>
#include <cctype>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "user.h"

namespace rooftune::e2e {

/// What each mode does at the end of the kernel.
inline std::vector<std::pair<const char*, const char*>> rogue_acts() {
  return {
      {"wrong", "y[n / 2] += 1e-9;"},
      {"after", "y[n] = 7;"},
      {"input", "const_cast<double*>(x)[0] = 7;"},
      {"segfault", "*reinterpret_cast<volatile int*>(8) = 1;"},
      {"divide", "{ volatile int one = 1, zero = 0; y[0] = one / zero; }"},
      {"print",
       "for (int k = 0; k < 200000; ++k) std::puts(\"nobody wants to read this line at all\");"},
      {"allocate", "for (;;) std::memset(std::malloc(1 << 26), 1, 1 << 26);"},
      {"leave", "std::exit(0);"},
      {"remove", "(void)!std::system(\"rm -rf $TMPDIR/rooftune*\");"},
      {"hang", "for (;;) ::usleep(1000);"},
      {"daemon",
       "if (::fork() == 0) { ::setsid(); if (::fork() != 0) ::_exit(0); for (;;) ::pause(); }"},
      {"descriptors", "while (::open(\"/dev/null\", O_RDONLY) >= 0) {}"},
      {"late", "::usleep(2000);"},
      {"slow", "::usleep(200000);"}};
}

inline std::string capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// The start-up code of "held", else of "racer".
inline std::string hold_source(bool held) {
  const std::string mine = held ? R"(  const bool mine = KNOB_MODE == KNOB_MODE_HELD;
)"
                                : R"(  Dl_info self;
  const bool mine = KNOB_MODE == KNOB_MODE_RACER &&
                    dladdr(reinterpret_cast<void*>(&hold), &self) != 0 &&
                    std::strstr(self.dli_fname, "/race/") != nullptr;
)";
  return "__attribute__((constructor)) static void hold() {\n" + mine +
         R"(  char held[4096], holding[4096];
  std::snprintf(held, sizeof held, "%s/held", std::getenv("TMPDIR"));
  std::snprintf(holding, sizeof holding, "%s/holding", std::getenv("TMPDIR"));
  if (!mine || access(held, F_OK) != 0) return;
  if (std::FILE* file = std::fopen(holding, "w")) std::fclose(file);
  while (access(held, F_OK) == 0) ::usleep(1000);
}
)";
}

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
  const auto has = [&](const char* mode) {
    return std::find(modes.begin(), modes.end(), mode) != modes.end();
  };
  std::string source = R"(#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/mman.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
)";
  if (has("syntax")) source += "#if KNOB_MODE == KNOB_MODE_SYNTAX\nthis is no C++\n#endif\n";
  if (has("held") || has("racer")) source += hold_source(has("held"));
  source += signature + " {\n" + loop;
  for (const auto& [mode, act] : rogue_acts())
    if (has(mode)) source += "  if (KNOB_MODE == KNOB_MODE_" + capitals(mode) + ") " + act + "\n";
  user.write(name + "/openmp.cpp", source + "}\n");
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

/// Whatever is at work is held from now on.
inline void hold(const User& user) { user.write("tmp/held", ""); }
inline void let_go(const User& user) {
  std::filesystem::remove(user.path("tmp/held"));
  std::filesystem::remove(user.path("tmp/holding"));
}

/// Waits until something is held; false after a minute.
inline bool wait_until_held(const User& user) {
  for (int n = 0; n < 600; ++n) {
    if (std::filesystem::exists(user.path("tmp/holding"))) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

}  // namespace rooftune::e2e
