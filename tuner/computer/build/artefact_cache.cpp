// The cache's folders, one per key. Each folder's contents are complete (they came by rename) and
// as sealed. Several processes may use one cache: the first rename wins, equal keys are equal
// files.
#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>

#include "build/artefact.h"
#include "build/artefact_folder.h"
#include "build/compilation.h"
#include "build/flags.h"
#include "build/includes.h"
#include "build/kokkos.h"
#include "build/shim.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/list.h"
#include "core/seconds_since.h"
#include "os/paths.h"
#include "os/subprocess.h"
#include "os/temporary_directory.h"
#include "os/topology.h"
#include "space/knob.h"

namespace rooftune::build {

/// All that goes into a build.
struct ArtefactCache::Recipe {
  std::string shim;
  std::string compiler;  ///< its path
  Texts linker;          ///< HostCompiler::linker
  Texts flags;           ///< after the compiler's path
  Texts link;            ///< after the source
  fs::path fortran;      ///< compiled beside the shim; other sources are included there
  const char* shim_file = "shim.cpp";
  fs::path kernels;  ///< source for GPU kernels; empty: there are none to compile
  Texts kernel_options;
  fs::path folder;      ///< the source's
  Texts unknown_knobs;  ///< written as compiler errors; any stops the build
  LabelledHash hash;
  std::optional<Weaving> weaving;  ///< into its assembly

  /// The files that an artefact must have.
  Texts products() const {
    return kernels.empty() ? Texts{library_file}
                           : Texts{library_file, image_file, code_beside(image_file).string()};
  }
};

/// State that all threads here share.
struct ArtefactCache::Shared {
  std::mutex mutex;
  std::condition_variable ended;
  std::unique_ptr<CacheUse> use;  ///< from the first build on
  TextSet verified;               ///< keys with checked contents
  TextSet under_way;              ///< keys now being built
  /// Builds failed in this process, by key: not tried again before the next process.
  ByName<Artefact> failures;

  /// The right to build a key; one thread has it at a time, until it drops the result.
  std::shared_ptr<void> turn(const std::string& key) {
    std::unique_lock lock(mutex);
    ended.wait(lock, [&] { return under_way.insert(key).second; });
    return {nullptr, [this, key](void*) {
              {
                const std::lock_guard done(mutex);
                under_way.erase(key);
              }
              ended.notify_all();
            }};
  }
};

namespace {

constexpr const char* one_thread = "  omp_set_num_threads(1);\n";

/// Flags for every artefact.
Texts common_flags(const HostCompiler& compiler) {
  Texts flags = compiler.flags;
  // One worker holds many artefacts with equal names: none may see another's.
  append(flags, {"-fvisibility=hidden", "-Wl,-z,defs", "-fdiagnostics-color=never",
                 "-I" + variant_include_directory().string()});
  if (is_gnu(compiler) && contains(flags, "-std=c++20")) flags.push_back("-fno-gnu-unique");
  return flags;
}

/// The labelled ingredients of a key.
LabelledHash hash_of(const HostCompiler& compiler, const std::string& shim_text,
                     const fs::path& source, const Texts& flags, const Texts& macros) {
  LabelledHash hash;
  hash.add("compiler", compiler.path).add("version", compiler.version);
  hash.add("flags", joined(flags, " ")).add("macros", joined(macros, " "));
  hash.add("shim", shim_text).add("source " + source.string(), read_text(source));
  for (const auto& file : included_files(source, variant_include_directory()))
    hash.add("include " + file.string(), read_text(file));
  return hash;
}

}  // namespace

Bounds compiler_bounds() {
  static const auto most = size_t(0.8 * double(topology().memory_bytes));
  return {.memory = most, .disk = size_t{2} << 30, .processes = 1000};
}

ArtefactCache::ArtefactCache(const fs::path& directory, HostCompiler compiler, const Bounds& bounds)
    : directory_(fs::absolute(directory)),
      compiler_(std::move(compiler)),
      bounds_(bounds),
      shared_(std::make_shared<Shared>()) {}

HostCompiler ArtefactCache::compiler(const SearchSpace& space,
                                     const Configuration& configuration) const {
  const std::string chosen = knob_compiler(space, configuration);
  if (chosen.empty() || chosen == family(compiler_)) return compiler_;
  if (const auto other = other_compiler(compiler_)) return *other;
  throw Unavailable(fmt::format("there is no {} here that builds variants", chosen), "PATH",
                    "install it with its OpenMP: apt-get install clang libomp-dev, or g++");
}

HostCompiler ArtefactCache::begin(Recipe& recipe, const fs::path& source,
                                  const HostCompiler& host) {
  const Language language = language_of(source);
  recipe.folder = source.parent_path();
  HostCompiler compiler = compiler_of(language, host);
  recipe.compiler = compiler.path;
  recipe.linker = compiler.linker;
  if (language == Language::cpp) return compiler;
  recipe.shim_file = "shim.c";
  if (language == Language::fortran) recipe.fortran = source;
  if (language == Language::c) recipe.link = {"-lm"};
  return compiler;
}

ArtefactCache::Recipe ArtefactCache::variant_recipe(const Kernel& kernel, const Backend& backend,
                                                    const SearchSpace& space,
                                                    const Configuration& configuration) const {
  Recipe recipe;
  const HostCompiler compiler = begin(recipe, backend.source, this->compiler(space, configuration));
  const bool kokkos = backend.needs_kokkos();
  recipe.shim = shim(kernel, backend.source, kernel.function, backend.prepare, backend.finish,
                     kokkos ? start_kokkos : "");
  if (kokkos) {
    const KokkosLibrary library = kokkos_library(directory_ / "kokkos", compiler_);
    if (!library.compiler.empty()) {
      recipe.compiler = library.compiler;
      recipe.linker.clear();
    }
    // Our flags come later and win: every variant has the same standard and instruction set.
    recipe.flags = library.compile;
    recipe.link = library.link;
  }
  const auto common = common_flags(compiler);
  append(recipe.flags, common);
  for (const std::string& flag : backend.flags) {
    if (!allowed_flag(flag))
      throw Error(
          "compiler flag \"" + flag + "\" is not allowed",
          (kernel.folder / "kernel.json").string() + ": /backends/" + backend.name + "/flags",
          allowed_flags_hint);
    recipe.flags.push_back(flag);
  }
  for (const std::string& directory : backend.include_directories)
    append(recipe.flags, {"-isystem", directory});
  for (const std::string& library : backend.libraries) recipe.link.push_back("-l" + library);
  const auto chosen = knob_flags(space, configuration);
  const auto macros = definitions(knob_macros(space, configuration));
  recipe.unknown_knobs =
      unknown_knobs(named_knobs(backend.source, variant_include_directory()), space);
  if (backend.needs_gpu_compiler())
    add_kernels(recipe, backend, chosen, macros);
  else
    append(recipe.flags, chosen);
  recipe.hash = hash_of(compiler, recipe.shim, backend.source, recipe.flags, macros);
  if (!recipe.link.empty())
    recipe.hash.add("compiler of the back end", recipe.compiler)
        .add("link", joined(recipe.link, " "));
  // The library's version is part of the key, not its path.
  if (!recipe.kernels.empty())
    recipe.hash.add(gpu_->row->key, gpu_->version)
        .add(gpu_->row->runtime, joined(recipe.kernel_options, " "));
  append(recipe.flags, macros);
  return recipe;
}

/// Flag knobs are for the kernels; the launching half has no loop worth optimising.
void ArtefactCache::add_kernels(Recipe& recipe, const Backend& backend, const Texts& chosen,
                                const Texts& macros) const {
  recipe.flags.emplace_back("-O1");
  Texts shared = macros;
  // The headers' default is 32.
  if (warp_ != 32) {
    shared.push_back(fmt::format("-DROOFTUNE_WARP={}", warp_));
    recipe.flags.push_back(shared.back());
  }
  if (!gpu_) return;
  recipe.kernels = backend.source;
  recipe.kernel_options = gpu_->options;
  append(recipe.kernel_options, chosen);
  append(recipe.kernel_options, shared);
}

Commands ArtefactCache::steps(const Recipe& recipe, const fs::path& folder,
                              double limit_seconds) const {
  Texts link = recipe.linker;
  append(link, recipe.link);
  std::string source = recipe.shim_file;
  if (!recipe.fortran.empty()) {
    // The Fortran source takes all flags: it has the loops.
    link.insert(link.begin(), std::exchange(source, recipe.fortran.string()));
  }
  auto all = commands(recipe.compiler, recipe.flags, source, link, folder, limit_seconds);
  if (!recipe.kernels.empty()) {
    Command kernels = command_in(folder, limit_seconds);
    kernels.argv = {worker_program().string(), "gpu-compile", gpu_->row->runtime,
                    gpu_->library.string(),    image_file,    kernels_log,
                    recipe.kernels.string()};
    append(kernels.argv, recipe.kernel_options);
    all.insert(all.begin(), kernels);
  }
  for (Command& step : all) step.bounds = bounds_;
  return all;
}

bool ArtefactCache::is_ready(const Recipe& recipe, const std::string& key) {
  require_private(directory_, cache_variable);
  const CacheLock lock(directory_, false);
  const auto folder = directory_ / key;
  std::unique_lock known(shared_->mutex);
  const bool is_verified = shared_->verified.contains(key);
  known.unlock();
  if (!mark_used(folder) || !is_whole(folder, recipe.products(), !is_verified)) return false;
  known.lock();
  shared_->verified.insert(key);
  return true;
}

Artefact ArtefactCache::looked_up(const Recipe& recipe) {
  Artefact artefact;
  artefact.key = recipe.hash.hex();
  artefact.explanation = recipe.hash.dump();
  if (!recipe.unknown_knobs.empty()) {
    // Fails even where an earlier version built it without this check.
    artefact.log = joined(recipe.unknown_knobs, "\n") + "\n";
    artefact.error = first_error(artefact.log, {recipe.folder});
    if (const size_t more = recipe.unknown_knobs.size() - 1; more > 0)
      artefact.error += fmt::format(" (and {} more)", more);
    return artefact;
  }
  artefact.cached = is_ready(recipe, artefact.key);
  if (artefact.cached) name_products(recipe, artefact);
  return artefact;
}

void ArtefactCache::name_products(const Recipe& recipe, Artefact& artefact) const {
  artefact.library = directory_ / artefact.key / library_file;
  if (!recipe.kernels.empty()) artefact.image = directory_ / artefact.key / image_file;
}

void ArtefactCache::begin_use() {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->use) return;
  make_private(directory_, cache_variable);
  require_executable(directory_, cache_variable);
  make_private(directory_ / "building", cache_variable);
  shared_->use = std::make_unique<CacheUse>(directory_);
}

Artefact ArtefactCache::built(const Recipe& recipe, double limit_seconds) {
  begin_use();
  const auto turn = shared_->turn(recipe.hash.hex());
  Artefact artefact = looked_up(recipe);
  if (artefact.cached || !artefact.error.empty()) return artefact;
  {
    const std::lock_guard lock(shared_->mutex);
    const auto* failure = value_at(shared_->failures, artefact.key);
    if (failure) return *failure;
  }
  const auto begin = SteadyClock::now();
  TemporaryDirectory building(directory_ / "building", "rooftune-build");
  const fs::path folder = building.path();
  write_plainly(folder / recipe.shim_file, recipe.shim);
  write_plainly(folder / "key.txt", artefact.explanation);
  const auto commands = steps(recipe, folder, limit_seconds);
  compile(commands, recipe.folder, recipe.weaving, artefact);
  if (artefact.from_outside) {
    // Whatever killed it may be over.
    artefact.log.clear();
    artefact.error.clear();
    artefact.from_outside = false;
    compile(commands, recipe.folder, recipe.weaving, artefact);
  }
  if (artefact.error.empty()) {
    std::error_code fault;
    write_plainly(folder / "log", artefact.log);
    for (const char* name : {"shim.o", "shim.s", "woven.s"}) fs::remove(folder / name, fault);
    seal(folder);
    put_in_place(building, directory_ / artefact.key, recipe.products());
    name_products(recipe, artefact);
  }
  check_room(artefact.log, directory_);
  {
    const std::lock_guard lock(shared_->mutex);
    if (artefact.error.empty())
      shared_->verified.insert(artefact.key);
    else if (!artefact.from_outside)
      shared_->failures[artefact.key] = artefact;
  }
  artefact.seconds = seconds_since(begin);
  return artefact;
}

Artefact ArtefactCache::variant(const Kernel& kernel, const Backend& backend,
                                const SearchSpace& space, const Configuration& configuration,
                                double limit_seconds, const std::optional<Weaving>& weaving) {
  Recipe recipe = variant_recipe(kernel, backend, space, configuration);
  recipe.weaving = weaving;
  if (weaving) recipe.hash.add("counting", weaving->version);
  return built(recipe, limit_seconds);
}

bool ArtefactCache::builds_now(const Kernel& kernel, const Backend& backend,
                               const SearchSpace& space, const Configuration& configuration,
                               double limit_seconds) {
  begin_use();
  const Recipe recipe = variant_recipe(kernel, backend, space, configuration);
  const TemporaryDirectory building(directory_ / "building", "rooftune-build");
  write_plainly(building.path() / recipe.shim_file, recipe.shim);
  Artefact artefact;
  compile(steps(recipe, building.path(), limit_seconds), recipe.folder, {}, artefact);
  return artefact.error.empty();
}

Artefact ArtefactCache::plain(const fs::path& source, std::string shim_text) {
  Recipe recipe;
  const HostCompiler compiler = begin(recipe, source, compiler_);
  recipe.shim = std::move(shim_text);
  recipe.flags = common_flags(compiler);
  append(recipe.flags, {"-Wuninitialized", "-Wmaybe-uninitialized"});
  // A reference is serial: if it asks the OpenMP run-time, that has one thread.
  if (!contains(recipe.shim, one_thread)) std::erase(recipe.flags, "-fopenmp");
  recipe.hash = hash_of(compiler, recipe.shim, source, recipe.flags, {});
  return built(recipe, 120);
}

Artefact ArtefactCache::reference(const Kernel& kernel) {
  const bool openmp = contains(read_text(kernel.reference), "omp.h>");
  return plain(kernel.reference, shim(kernel, kernel.reference, kernel.function, false, false,
                                      openmp ? one_thread : ""));
}

Artefact ArtefactCache::problem(const Kernel& kernel) {
  return plain(*kernel.problem, problem_shim(*kernel.problem));
}

Artefact ArtefactCache::described(const Kernel& kernel, const Backend& backend,
                                  const SearchSpace& space, const Configuration& configuration) {
  const Recipe recipe = variant_recipe(kernel, backend, space, configuration);
  Artefact artefact = looked_up(recipe);
  if (artefact.cached) {
    const auto log = artefact.library.parent_path() / "log";
    if (fs::exists(log)) artefact.log = read_text(log);
  }
  for (const Command& step : steps(recipe, {}, 0))
    artefact.command += joined(step.argv, " ") + "\n";
  return artefact;
}

ResourceList kernel_resources(const fs::path& image, const std::string& runtime) {
  if (image.empty()) return {};
  return gpu_compiler_row(runtime).resources(read_text(image.parent_path() / kernels_log));
}

}  // namespace rooftune::build
