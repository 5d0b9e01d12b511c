// A kernel written into a temporary folder, read back, with a study of it ready to run.
// The caller gives sources; everything goes away with the object.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "build/artefact.h"
#include "kernel/kernel.h"
#include "os/temporary_directory.h"
#include "run/host_evaluator.h"
#include "space/space_reader.h"

namespace rooftune {

class KernelFolder {
 public:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_->path() / name) << text;
  }
  std::filesystem::path path() const { return folder_->path(); }
  Kernel kernel() const { return read_kernel(folder_->path()); }

 private:
  std::unique_ptr<TemporaryDirectory> folder_ =
      std::make_unique<TemporaryDirectory>("rooftune-kernel");
};

/// Short samples, and ends only of code that never returns: the machine may be busy.
inline RunLimits test_limits() {
  RunLimits limits;
  limits.first_call_seconds = 60;
  limits.floor_seconds = 20;
  limits.trial_seconds = 0.02;
  limits.reference_seconds = 60;
  limits.compile_seconds = 300;
  return limits;
}

/// For code that never returns, so that its test ends soon.
inline RunLimits hanging_limits() {
  RunLimits limits = test_limits();
  limits.first_call_seconds = 3;
  limits.floor_seconds = 1;
  limits.reference_seconds = 5;
  return limits;
}

/// A space of these knobs (JSON text of a list); the first value is the default where none is
/// named.
inline SearchSpace space_of(const std::string& kernel, const std::string& knobs,
                            const Facts& facts) {
  Json list = parse_json(knobs, "knobs");
  for (Json& knob : list)
    if (!knob.contains("default")) knob["default"] = knob.at("values").at(0);
  const Json space{
      {"schema", "rooftune-space-1"}, {"kernel", kernel}, {"backend", "openmp"}, {"knobs", list}};
  return space_from_json(space, "space", facts);
}

/// Evaluator of a kernel's openmp back end over a space given as JSON text.
class Bench {
 public:
  Bench(const Kernel& kernel, const std::string& knobs, RunLimits limits = test_limits(),
        Facts parameters = {}, int threads = 2, int builders = 1)
      : cache_(folder_.path() / "cache", host_compiler()) {
    setenv("ROOFTUNE_WORKER", ROOFTUNE_TEST_WORKER, 1);
    std::filesystem::create_directories(folder_.path() / "scratch");
    Study study{
        {kernel, *kernel.backend("openmp")}, std::move(parameters), threads, 0, {}, builders};
    evaluator_ = std::make_unique<HostEvaluator>(std::move(study), cache_,
                                                 folder_.path() / "scratch", limits);
    facts_ = evaluator_->facts();
    space_.emplace(space_of(kernel.name, knobs, facts_));
    evaluator_->use(*space_);
  }
  HostEvaluator& evaluator() { return *evaluator_; }
  const SearchSpace& space() const { return *space_; }
  const Facts& facts() const { return facts_; }
  /// The baseline with one knob changed.
  Configuration with(const std::string& knob, const Value& value) const {
    Configuration configuration = space_->baseline();
    configuration.set(knob, value);
    return configuration;
  }
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent = {}) {
    return evaluator_->evaluate(configuration, incumbent);
  }
  std::filesystem::path scratch() const { return folder_.path() / "scratch"; }

 private:
  TemporaryDirectory folder_{"rooftune-bench"};
  ArtefactCache cache_;
  std::unique_ptr<HostEvaluator> evaluator_;
  Facts facts_;
  std::optional<SearchSpace> space_;
};

/// y = s x, whose knob "mode" chooses what the variant does instead.
inline KernelFolder misbehaving_kernel() {
  KernelFolder folder;
  folder.write("kernel.json", R"({
  "schema": "rooftune-kernel-1", "name": "scale", "title": "y = s x", "function": "scale",
  "parameters": [{"name": "n", "type": "integer", "default": 1000, "doc": "length"}],
  "arguments": [
    {"name": "n", "type": "int64", "value": "n"},
    {"name": "s", "type": "double", "value": "2.5"},
    {"name": "x", "type": "double*", "count": "n", "access": "read",
     "fill": {"kind": "index", "scale": 1, "offset": 1}},
    {"name": "y", "type": "double*", "count": "n", "access": "write"}],
  "work": {"least": {"fp64": "n"}, "nominal": "n", "items": "n", "item": "element"},
  "traffic": {"read": "8*n", "write": "8*n", "footprint": "16*n"},
  "tolerance": {"relative": 1e-12, "absolute": 0, "scale": "element"},
  "reference": "reference.cpp",
  "backends": {"openmp": {"source": "openmp.cpp"}}})");
  folder.write("reference.cpp", R"(
void scale(std::int64_t n, double s, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = s * x[i];
})");
  folder.write("openmp.cpp", R"(
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#define MODE(NAME) (KNOB_MODE == KNOB_MODE_##NAME)
#if KNOB_MODE != KNOB_MODE_CORRECT && KNOB_MODE == KNOB_MODE_SYNTAX
this is no C++;
#endif

// In a race a variant is loaded from a copy of its own.
static bool in_race() {
  Dl_info self;
  return dladdr(reinterpret_cast<void*>(&in_race), &self) && strstr(self.dli_fname, "/race/");
}
static void* spin(void*) {
  for (;;) {
  }
}
// What one of these modes does to the process, in every call.
static void spoil() {
#if KNOB_MODE != KNOB_MODE_CORRECT
  if (MODE(LIMITS)) {
    rlimit few = {};
    getrlimit(RLIMIT_NOFILE, &few);
    few.rlim_cur = 40;
    setrlimit(RLIMIT_NOFILE, &few);
  }
  if (MODE(DIRECTORY)) (void)!chdir("/proc");
  if (MODE(FILE_MASK)) umask(0777);
  if (MODE(ROUNDING)) fesetround(FE_UPWARD);
  if (MODE(HANDLER)) signal(SIGUSR1, SIG_IGN);
  cpu_set_t last;
  CPU_ZERO(&last);
  CPU_SET(sysconf(_SC_NPROCESSORS_ONLN) - 1, &last);
  if (MODE(PIN)) sched_setaffinity(0, sizeof last, &last);
  static bool spinning = false;
  pthread_t thread;
  if (MODE(SPIN) && !spinning) pthread_create(&thread, nullptr, spin, nullptr);
  spinning = true;
#endif
}
// What a variant finds that shares its process with one of them.
static int spoilt() {
  rlimit files = {};
  getrlimit(RLIMIT_NOFILE, &files);
  char directory[4096] = "";
  (void)!getcwd(directory, sizeof directory);
  const mode_t mask = umask(0);
  umask(mask);
  struct sigaction action = {};
  sigaction(SIGUSR1, nullptr, &action);
  cpu_set_t cpus;
  sched_getaffinity(0, sizeof cpus, &cpus);
  static const int first_count = CPU_COUNT(&cpus);
  return files.rlim_cur == 40 ? 1 : strcmp(directory, "/proc") == 0 ? 2 : mask == 0777 ? 3
       : fegetround() != FE_TONEAREST ? 4 : action.sa_handler == SIG_IGN ? 5
       : CPU_COUNT(&cpus) < first_count ? 6 : 0;
}
void scale(std::int64_t n, double s, const double* x, double* y) {
#pragma omp parallel for
  for (std::int64_t i = 0; i < n; ++i) y[i] = s * x[i];
#if KNOB_MODE != KNOB_MODE_CORRECT
  volatile std::int64_t zero = 0;
  static thread_local double kept[16384] __attribute__((tls_model("initial-exec")));
  if (MODE(THREAD_LOCAL)) kept[zero] += y[0];
  if (MODE(WRONG)) y[17] = 3;
  if (MODE(NAN)) y[17] = zero / 0.0;
  if (MODE(INFINITE)) y[17] = 1 / static_cast<double>(zero);
  if (MODE(BEHIND)) y[n + 2] = 1;
  if (MODE(BEFORE)) y[-3] = 1;
  if (MODE(FAR_BEHIND)) y[n + 100000] = 1;
  if (MODE(INPUT)) const_cast<double*>(x)[5] = -1;
  if (MODE(SEGFAULT)) *reinterpret_cast<volatile int*>(zero + 8) = 1;
  if (MODE(DIVIDE)) y[0] = static_cast<double>(n / zero);
  if (MODE(TRAP)) __builtin_trap();
  if (MODE(ABORT)) abort();
  while (MODE(HANG)) sleep(1);
  static int calls = 0;
  ++calls;
  if (MODE(LATE) && calls <= 6) usleep(5000);
  // These are right in their first call only: y was filled above, and half of it is taken back.
  const bool later = (MODE(HALF) && calls > 1) || (MODE(HALF_IN_RACE) && in_race() && calls > 1);
  for (std::int64_t i = n / 2; later && i < n; ++i) y[i] = y[i] * 2;
  static double sums[1000];
  for (std::int64_t i = 0; MODE(UNCLEARED) && i < 1000; ++i) y[i] = sums[i] += y[i];
  if (MODE(READ_BEHIND)) y[0] += x[n];
  if (MODE(READ_BEFORE)) y[0] += x[-1];
  if (MODE(READ_FAR)) y[0] += x[n + 100000];
  if (MODE(DAEMON)) {
    const pid_t child = fork();
    if (child == 0 && fork() == 0) {
      setsid();
      const char* const words[] = {"/bin/sleep", "4711", nullptr};
      const char* const nothing[] = {nullptr};
      execve(words[0], const_cast<char**>(words), const_cast<char**>(nothing));
    }
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
  }
  spoil();
  if (MODE(SENSITIVE) && spoilt() != 0) y[0] = -spoilt();
  if (MODE(PRINT)) {
    static bool printed = false;
    for (int i = 0; !printed && i < 50000; ++i) printf("%01000d", i);
    printed = true;
  }
  if (MODE(EAT))
    for (;;) {
      volatile char* block = static_cast<char*>(malloc(1 << 20));
      for (int i = 0; i < 1 << 20; i += 64) block[i] = 1;
    }
  if (MODE(BAD_ALLOC)) throw std::bad_alloc();
  if (MODE(THROW)) throw 42;
  if (MODE(EXIT)) exit(0);
  if (MODE(KILL_ITSELF)) kill(getpid(), SIGKILL);
  if (MODE(REPLY))
    for (int fd = 3; fd < 20; ++fd) (void)!write(fd, "{\"phase\": \"done\", \"sequence\": 2}\n", 33);
  if (MODE(FORK) && fork() == 0) {
    setsid();
    FILE* file = fopen(__FILE__ ".pid", "w");
    fprintf(file, "%d\n", getpid());
    fclose(file);
    for (;;) sleep(1);
  }
  if (MODE(FORK)) {
    while (access(__FILE__ ".pid", R_OK) != 0) usleep(1000);
    raise(SIGSEGV);
  }
#endif
})");
  return folder;
}

/// The knob of misbehaving_kernel().
inline std::string misbehaviours() {
  return R"([{"name": "mode", "kind": "compile", "default": "correct", "breaks": ["work"],
    "values": ["correct", "wrong", "nan", "infinite", "behind", "before", "far_behind", "input",
      "segfault", "divide", "trap", "abort", "hang", "print", "eat", "bad_alloc", "throw", "exit",
      "kill_itself", "reply", "fork", "syntax", "thread_local", "late", "half", "half_in_race",
      "uncleared", "read_behind", "read_before", "read_far", "daemon", "limits", "directory",
      "file_mask", "rounding", "handler", "pin", "spin", "sensitive"]}])";
}

}  // namespace rooftune
