// From kernel, back end and compile-time knobs to a loadable shared object, built once per key; the
// names looked up by a worker in it, and the shims with their definitions.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "build/gpu_compiler.h"
#include "kernel/kernel.h"
#include "os/subprocess.h"
#include "space/search_space.h"

namespace rooftune::build {

struct HostCompiler {
  std::string path;     ///< "/usr/bin/g++"
  std::string version;  ///< from a line of --version
  Texts flags;          ///< base flags with the ISA of this host
  /// Chooses the linker, without effect on the timed code; empty: the compiler's own.
  Texts linker = {};
};
/// $ROOFTUNE_CXX, else $CXX, else c++/g++/clang++ on PATH. Throws Error with the package to
/// install.
HostCompiler host_compiler();

/// The end of a file's name tells the language of a source.
enum class Language { cpp, c, fortran };
Language language_of(const fs::path& source);
/// The compiler of a language beside `host`, with flags of the same meaning: $CC or $FC, else the
/// one of its family ("clang" of "clang++") and gfortran. Throws Error with the package to install.
HostCompiler compiler_of(Language language, const HostCompiler& host);

struct Artefact {
  std::string key;            ///< content hash; equal keys, equal shared object
  fs::path library;           ///< empty when the build failed
  fs::path image;             ///< kernels for a GPU, as its driver loads them
  std::string log;            ///< compiler output, first 16 KiB
  std::string error;          ///< first error line when it failed
  bool from_outside = false;  ///< it failed twice by a kill or for lack of memory
  double seconds = 0;         ///< time spent now; 0 from the cache
  bool cached = false;
  std::string explanation;  ///< LabelledHash::dump of the key
  std::string command;      ///< the compiler's commands, one line per step; `described` only
};

/// Bounds for a compiler; beyond them it is killed, and the build has failed. Ordinary compilers
/// need a fraction of them.
Bounds compiler_bounds();

/// Changes the assembly of a variant on its way to a shared object.
struct Weaving {
  const char* version;  ///< part of the key: changes with the woven code
  /// Throws Error for unknown assembly.
  std::string (*weave)(const std::string& assembly);
};

/// Needs of the kernels in an artefact's image, as reported by the compiler of the GPU runtime;
/// empty without an image or a report.
std::vector<KernelResources> kernel_resources(const fs::path& image, const std::string& runtime);

/// Cache in `directory`: one folder per key with variant.so, log, key.txt and a manifest of them;
/// written by rename, and again when damaged. Throws Error where others could put code there
/// (os/paths.h). Several threads may use it at once, as soon as use() was called: a thread
/// waits for a build under way in another. Copies share their state.
class ArtefactCache {
 public:
  ArtefactCache(const fs::path& directory, HostCompiler compiler,
                const Bounds& bounds = compiler_bounds());
  /// The variant of a backend for the compile and flag knobs of a configuration. Never throws for
  /// the compiler's errors. `limit_seconds` ends a hanging compiler.
  Artefact variant(const Kernel& kernel, const Backend& backend, const SearchSpace& space,
                   const Configuration& configuration, double limit_seconds = 120,
                   const std::optional<Weaving>& weaving = {});
  /// Whether the compiler is able to build a variant now, whatever the cache holds.
  bool builds_now(const Kernel& kernel, const Backend& backend, const SearchSpace& space,
                  const Configuration& configuration, double limit_seconds = 120);
  Artefact reference(const Kernel& kernel);
  Artefact problem(const Kernel& kernel);  ///< kernel.problem must be set
  /// Key, explanation and command without building, and the log of the build when it is cached.
  Artefact described(const Kernel& kernel, const Backend& backend, const SearchSpace& space,
                     const Configuration& configuration);
  /// The compiler of kernels for a GPU; without it only their launching half is built, enough for
  /// the emulation.
  void use(const GpuCompiler& compiler) { gpu_ = compiler; }
  const std::optional<GpuCompiler>& gpu() const { return gpu_; }
  /// Threads of a warp on the variants' GPU.
  void use_warps_of(int threads) { warp_ = threads; }
  const HostCompiler& compiler() const { return compiler_; }
  const fs::path& directory() const { return directory_; }

 private:
  struct Recipe;
  struct Shared;
  /// The compiler of the source's language.
  HostCompiler begin(Recipe& recipe, const fs::path& source) const;
  Recipe variant_recipe(const Kernel& kernel, const Backend& backend, const SearchSpace& space,
                        const Configuration& configuration) const;
  void add_kernels(Recipe& recipe, const Backend& backend, const Texts& chosen,
                   const Texts& macros) const;
  /// The build's commands in `folder`, kernels of a GPU first.
  std::vector<Command> steps(const Recipe& recipe, const fs::path& folder,
                             double limit_seconds) const;
  /// True when it exists and is whole: contents are checked once per process.
  bool is_ready(const Recipe& recipe, const std::string& key);
  Artefact looked_up(const Recipe& recipe);
  void name_products(const Recipe& recipe, Artefact& artefact) const;
  void begin_use();
  Artefact built(const Recipe& recipe, double limit_seconds);
  /// The build of a source without knobs.
  Artefact plain(const fs::path& source, std::string shim_text);

  fs::path directory_;
  HostCompiler compiler_;
  Bounds bounds_;
  std::optional<GpuCompiler> gpu_;
  int warp_ = 32;
  std::shared_ptr<Shared> shared_;
};

/// rt_call, rt_prepare and rt_finish take one pointer per argument of the kernel: to the value of a
/// scalar, to the first element of an array.
using CallSymbol = void (*)(void* const*);
inline constexpr const char* call_symbol = "rt_call";
inline constexpr const char* prepare_symbol = "rt_prepare";
inline constexpr const char* finish_symbol = "rt_finish";
/// Of CUDA variants, from rooftune/cuda_emulation.h: takes the device they launch on.
inline constexpr const char* attach_symbol = "rt_attach";
inline constexpr const char* problem_symbol = "rt_problem";

/// Text of the generated shim, of C++, or of C beside sources of C and Fortran: it includes the
/// source (or declares its subroutines) and exports rt_call, rt_prepare, rt_finish, each of which
/// begins with the statement `first`. Throws Error for a subroutine that a Fortran source lacks.
std::string shim(const Kernel& kernel, const fs::path& source, const std::string& function,
                 bool prepare, bool finish, const char* first = "");
inline constexpr const char* start_kokkos = "  rooftune::start_kokkos();\n";

/// Text of the generated shim of a problem.cpp; it exports rt_problem(rooftune::Problem&).
std::string problem_shim(const fs::path& source);

}  // namespace rooftune::build
