// `tune`: parses the command line, runs one command, and prints Errors, here only.
#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "build/gpu_compiler.h"
#include "cli/extensions.h"
#include "cli/options.h"
#include "core/error.h"
#include "os/process_tree.h"
#include "run/worker.h"

namespace {

/// With a smaller stack the process would end without a word, somewhere in its first steps.
void require_stack() {
  constexpr rlim_t least = 1 << 20, usual = 8 << 20;
  rlimit stack{};
  if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= least) return;
  const rlim_t given = stack.rlim_cur;
  stack = {usual, std::max(stack.rlim_max, usual)};
  if (setrlimit(RLIMIT_STACK, &stack) == 0) return;
  std::fprintf(stderr,
               "tune: the stack may have %llu kB, too little for any command (ulimit -s 8192)\n",
               static_cast<unsigned long long>(given >> 10));
  std::exit(int(rooftune::ExitCode::unavailable));
}

int run(int argc, char** argv) {
  using namespace rooftune;
  add_extensions();
  // `tune` calls itself this way; the words are for a compiler.
  if (argc > 1 && std::string_view(argv[1]) == "gpu-compile")
    return gpu_compile_main({argv + 2, argv + argc});
  if (argc > 2 && std::string_view(argv[1]) == "complete") {
    for (const auto& word : completions({argv + 2, argv + argc})) std::puts(word.c_str());
    return 0;
  }
  // A process that runs variants for the `tune` that started it and left it a pipe.
  const bool worker = argc == 2 && std::string_view(argv[1]) == "worker" && fcntl(3, F_GETFD) >= 0;
  const CommandLine line = worker ? CommandLine{} : parse(argc, argv);
  treat_all_children_as_own();
  if (worker) return worker_main();
  return line.run(line);
}

}  // namespace

int main(int argc, char** argv) {
  using rooftune::ExitCode;
  require_stack();
  // A write beyond the file-size limit (ulimit -f) then fails with an error.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int code = run(argc, argv);
    // A text that is longer than the buffer fails before there is anything to flush.
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  } catch (const rooftune::Interrupted&) {
    std::fflush(stdout);
    std::fputs("tune: interrupted before there was a result; run the same command again\n", stderr);
    return int(ExitCode::interrupted);
  } catch (const std::exception& fault) {
    // fmt throws where standard output cannot be written.
    if (std::ferror(stdout) == 0) {
      std::fflush(stdout);
      const rooftune::Error error = rooftune::as_error(fault);
      std::fprintf(stderr, "tune: %s\n", error.what());
      return int(error.code());
    }
  }
  std::fputs("tune: standard output cannot be written (disk full or pipe closed)\n", stderr);
  return int(ExitCode::io);
}
