// Writes a shim, runs the compiler that built the tests, loads the result.
// The caller set ROOFTUNE_TEST_COMPILER when this file was compiled.
#include "built_function.h"

#include <dlfcn.h>
#include <omp.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "build/flags.h"
#include "core/list.h"
#include "support/night.h"

namespace rooftune::testing {
namespace {

using Function = void (*)(void**);

std::string call_of(const Kernel& kernel, const std::string& function) {
  std::string text = function + "(";
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const Argument& a = kernel.arguments[i];
    const std::string type = a.type.cpp(), slot = "a[" + std::to_string(i) + "]";
    text += (i ? ", " : "") + (a.pointer ? "static_cast<" + type + "*>(" + slot + ")"
                                         : "*static_cast<" + type + "*>(" + slot + ")");
  }
  return text + ")";
}

std::string exported(const std::string& name, const std::string& call,
                     const std::string& type = "void") {
  return "extern \"C\" " + type + " " + name + "(void** a) { return " + call + "; }\n";
}

std::string shim_of_further(const Kernel& kernel, const Backend& backend) {
  std::string text = "#ifdef ROOFTUNE_LIBRARY\n";
  for (const FurtherFunction& one : backend.functions) {
    Texts words;
    for (const auto& parameter : one.parameters)
      words.push_back("*static_cast<" + parameter.type.cpp() + (parameter.pointer ? "**" : "*") +
                      ">(a[" + std::to_string(words.size()) + "])");
    text += exported("test_" + one.name,
                     kernel.function + "_" + one.name + "(" + joined(words) + ")", "bool");
  }
  return text + "#endif\n";
}

std::string shim_of(const Kernel& kernel, const std::filesystem::path& source, bool prepare,
                    bool finish) {
  std::string text = "#include \"" + source.string() + "\"\n";
  text += exported("test_call", call_of(kernel, kernel.function));
  if (prepare) text += exported("test_prepare", call_of(kernel, kernel.function + "_prepare"));
  if (finish) text += exported("test_finish", call_of(kernel, kernel.function + "_finish"));
  return text;
}

const char* isa_flag() {
#if defined(__x86_64__)
  if (simd_bits() == 512) return "-march=x86-64-v4";
  return simd_bits() == 256 ? "-march=x86-64-v3" : "-march=x86-64-v2";
#else
  return "-pipe";
#endif
}

/// The compiler takes most of a test's time; at night variants are compiled as by `tune`, and a few
/// with the sanitizer of the tests.
const char* optimisation() {
  if (sanitized) return "-O1 -fsanitize=address";
  return at_night() ? "-O3" : "-O1";
}

}  // namespace

int simd_bits() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
    return 512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 256;
#endif
  return 128;
}

BuiltFunction::BuiltFunction(const Kernel& kernel) {
  build(shim_of(kernel, kernel.reference, false, false), {"-O2"});
}

BuiltFunction::BuiltFunction(const Kernel& kernel, const SearchSpace& space,
                             const Configuration& configuration,
                             const std::vector<std::string>& more) {
  const Backend* backend = kernel.backend("openmp");
  if (!backend) throw std::runtime_error(kernel.name + " has no openmp backend");
  std::vector<std::string> flags = {optimisation(), isa_flag()};
  for (const auto& part :
       {definitions(knob_macros(space, configuration)), knob_flags(space, configuration), more})
    flags.insert(flags.end(), part.begin(), part.end());
  build(shim_of(kernel, backend->source, backend->prepare, backend->finish) +
            shim_of_further(kernel, *backend),
        flags);
}

void BuiltFunction::build(const std::string& shim, const std::vector<std::string>& flags) {
  std::string pattern = (std::filesystem::temp_directory_path() / "rooftune-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp failed");
  directory_ = pattern;
  const std::string source = pattern + "/shim.cpp", library = pattern + "/shim.so";
  std::ofstream(source) << shim;
  std::string command = ROOFTUNE_TEST_COMPILER
      " -std=c++20 -fopenmp -fPIC -shared -I\"" ROOFTUNE_SOURCE_DIR "/kernels/include\"";
#if !defined(__clang__)
  // As artefacts are built: variants loaded one after the other share no state.
  command += " -fno-gnu-unique";
#endif
  for (const std::string& flag : flags) command += " " + flag;
  command += " " + source + " -o " + library + " > " + pattern + "/log 2>&1";
  // More threads than free cores would spin away each other's time; read when the runtime is
  // loaded.
  setenv("OMP_WAIT_POLICY", "passive", 0);
  if (std::system(command.c_str()) == 0) library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::ostringstream log;
  log << command << "\n" << std::ifstream(pattern + "/log").rdbuf();
  std::filesystem::remove_all(directory_);
  if (!library_) throw std::runtime_error(log.str());
}

void* BuiltFunction::symbol(const char* name) const { return dlsym(library_, name); }

void BuiltFunction::call(void** arguments) const {
  reinterpret_cast<Function>(symbol("test_call"))(arguments);
}

void BuiltFunction::prepare(void** arguments) const {
  if (void* const f = symbol("test_prepare")) reinterpret_cast<Function>(f)(arguments);
}

void BuiltFunction::finish(void** arguments) const {
  if (void* const f = symbol("test_finish")) reinterpret_cast<Function>(f)(arguments);
}

bool BuiltFunction::further(const char* name, void** arguments) const {
  void* const f = symbol(("test_" + std::string(name)).c_str());
  return reinterpret_cast<bool (*)(void**)>(f)(arguments);
}

void BuiltFunction::set_openmp(int threads, const std::string& schedule, int chunk) const {
  const auto set_threads = reinterpret_cast<void (*)(int)>(symbol("omp_set_num_threads"));
  const auto set_schedule =
      reinterpret_cast<void (*)(omp_sched_t, int)>(symbol("omp_set_schedule"));
  set_threads(threads);
  set_schedule(schedule == "dynamic"  ? omp_sched_dynamic
               : schedule == "guided" ? omp_sched_guided
                                      : omp_sched_static,
               chunk);
}

}  // namespace rooftune::testing
