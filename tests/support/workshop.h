// A kernel in a folder of its own, with a cache beside it.
#pragma once
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "build/artefact.h"
#include "os/temporary_directory.h"

namespace rooftune::testing {

/// A folder with one kernel `twice(n, x, y)` and a cache of its own.
class Workshop {
 public:
  Workshop() {
    write("twice.h", "#include \"deep.h\"\ninline double two() { return deep(); }\n");
    write("deep.h", "inline double deep() { return 2; }\n");
    write("openmp.cpp",
          "#include \"twice.h\"\nvoid twice(std::int64_t n, const double* x, double* y) {\n"
          "  for (std::int64_t i = 0; i < n; ++i) y[i] = two() * x[i];\n}\n");
    kernel.name = kernel.function = "twice";
    kernel.folder = folder.path();
    Argument n, x, y;
    n.name = "n";
    n.type = Argument::Type::int64;
    x.name = "x";
    x.pointer = y.pointer = true;
    y.name = "y";
    y.access = Argument::Access::write;
    kernel.arguments = {n, x, y};
    kernel.reference = folder.path() / "openmp.cpp";
    backend.name = "openmp";
    backend.source = folder.path() / "openmp.cpp";
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder.path() / name) << text;
  }
  /// An executable file with this text for a shell; its path.
  std::string script(const std::string& name, const std::string& text) const {
    write(name, "#!/bin/sh\n" + text + "\n");
    std::filesystem::permissions(folder.path() / name, std::filesystem::perms::owner_all);
    return (folder.path() / name).string();
  }
  ArtefactCache cache() const { return {folder.path() / "cache", host_compiler()}; }
  /// A cache whose compiler is that script.
  ArtefactCache cache(const std::string& text, const Bounds& bounds = compiler_bounds()) const {
    return {folder.path() / "cache", HostCompiler{script("cxx", text), "fake " + text, {}}, bounds};
  }
  Artefact built_by(const std::string& text, const Bounds& bounds,
                    double limit_seconds = 60) const {
    const SearchSpace space("test", {}, {}, {});
    return cache(text, bounds).variant(kernel, backend, space, space.baseline(), limit_seconds);
  }

  TemporaryDirectory folder{"rooftune-build"};
  Kernel kernel;
  Backend backend;
};

inline Knob knob(const std::string& name, Knob::Kind kind, std::vector<Value> values) {
  Knob result;
  result.name = name;
  result.kind = kind;
  result.fallback = values.front();
  result.values = std::move(values);
  result.breaks = {Paradigm::ilp};
  return result;
}

inline SearchSpace space_with(std::vector<Knob> knobs) {
  return {"test", std::move(knobs), {}, {}};
}

inline SearchSpace one_knob() { return space_with({knob("u", Knob::Kind::compile, {1, 2})}); }

}  // namespace rooftune::testing
