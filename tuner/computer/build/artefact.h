// From kernel, back end and compile-time knobs to a loadable shared object, built once per key.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "build/gpu_compiler.h"
#include "build/host_compiler.h"
#include "kernel/kernel.h"
#include "os/subprocess.h"
#include "space/search_space.h"

namespace rooftune::build {

struct Artefact {
  std::string key;            ///< content hash; equal keys, equal shared object
  fs::path library;           ///< empty when the build failed
  fs::path image;             ///< kernels for a GPU, as its driver loads them
  std::string log;            ///< compiler output, first 16 KiB
  std::string error;          ///< first error line when it failed
  bool from_outside = false;  ///< a kill or a lack of memory made it fail twice
  double seconds = 0;         ///< time spent now; 0 from the cache
  bool cached = false;
  std::string explanation;  ///< LabelledHash::dump of the key
  std::string command;      ///< the compiler's commands, one line per step; `described` only
};

/// Bounds for a compiler, well above what ordinary ones need; beyond them it is killed, and the
/// build has failed.
Bounds compiler_bounds();

/// Changes the assembly of a variant on its way to a shared object.
struct Weaving {
  const char* version;  ///< part of the key: changes with the woven code
  /// Throws Error for unknown assembly.
  std::string (*weave)(const std::string& assembly);
};

/// What the kernels in an artefact's image need, as the GPU runtime's compiler reported it; empty
/// without an image or a report.
ResourceList kernel_resources(const fs::path& image, const std::string& runtime);

/// Cache in `directory`: one folder per key with variant.so, log, key.txt and a manifest that
/// covers them; written by rename, and again when damaged. Throws Error where others could put code
/// there (os/paths.h). Several threads may use it at once, as soon as use() was called: a thread
/// waits for a build under way in another. Copies share their state.
class ArtefactCache {
 public:
  ArtefactCache(const fs::path& directory, HostCompiler compiler,
                const Bounds& bounds = compiler_bounds());
  /// A backend's variant for a configuration's compile and flag knobs. Never throws for the
  /// compiler's errors. `limit_seconds` ends a hanging compiler.
  Artefact variant(const Kernel& kernel, const Backend& backend, const SearchSpace& space,
                   const Configuration& configuration, double limit_seconds = 120,
                   const std::optional<Weaving>& weaving = {});
  /// Whether the compiler is able to build a variant now, whatever the cache holds.
  bool builds_now(const Kernel& kernel, const Backend& backend, const SearchSpace& space,
                  const Configuration& configuration, double limit_seconds = 120);
  Artefact reference(const Kernel& kernel);
  Artefact problem(const Kernel& kernel);  ///< kernel.problem must be set
  /// Key, explanation and command without building; also the build's log when it is cached.
  Artefact described(const Kernel& kernel, const Backend& backend, const SearchSpace& space,
                     const Configuration& configuration);
  /// The compiler for GPU kernels; without it only their launching half is built, enough for the
  /// emulation.
  void use(const GpuCompiler& compiler) { gpu_ = compiler; }
  const std::optional<GpuCompiler>& gpu() const { return gpu_; }
  /// How many threads make a warp on the variants' GPU.
  void use_warps_of(int threads) { warp_ = threads; }
  /// Compiles the reference, the problem, and variants whose space has no compiler knob.
  const HostCompiler& compiler() const { return compiler_; }
  /// The compiler chosen by a configuration. Throws Error (unavailable) where it is not here.
  HostCompiler compiler(const SearchSpace& space, const Configuration& configuration) const;
  const fs::path& directory() const { return directory_; }

 private:
  struct Recipe;
  struct Shared;
  /// The compiler for the source's language, to go with the C++ compiler `host`.
  static HostCompiler begin(Recipe& recipe, const fs::path& source, const HostCompiler& host);
  Recipe variant_recipe(const Kernel& kernel, const Backend& backend, const SearchSpace& space,
                        const Configuration& configuration) const;
  void add_kernels(Recipe& recipe, const Backend& backend, const Texts& chosen,
                   const Texts& macros) const;
  /// The build's commands in `folder`, GPU kernels first.
  Commands steps(const Recipe& recipe, const fs::path& folder, double limit_seconds) const;
  /// True when it exists and is whole: contents are checked once per process.
  bool is_ready(const Recipe& recipe, const std::string& key);
  Artefact looked_up(const Recipe& recipe);
  void name_products(const Recipe& recipe, Artefact& artefact) const;
  void begin_use();
  Artefact built(const Recipe& recipe, double limit_seconds);
  /// Builds a source that has no knobs.
  Artefact plain(const fs::path& source, std::string shim_text);

  fs::path directory_;
  HostCompiler compiler_;
  Bounds bounds_;
  std::optional<GpuCompiler> gpu_;
  int warp_ = 32;
  std::shared_ptr<Shared> shared_;
};

}  // namespace rooftune::build
