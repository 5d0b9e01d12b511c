// `tune`: the command line parsed, one command run, and the one place where Errors are printed.
#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>

#include "build/gpu_compiler.h"
#include "cli/completion.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/interrupted.h"
#include "os/process_tree.h"

namespace {

int run(int argc, char** argv) {
  using namespace rooftune;
  // Tune's own call of itself; its words are a compiler's.
  if (argc > 1 && std::string_view(argv[1]) == "gpu-compile")
    return gpu_compile_main({argv + 2, argv + argc});
  if (argc > 1 && std::string_view(argv[1]) == "complete")
    return print_completions({argv + 2, argv + argc});
  const CommandLine line = parse(argc, argv);
  claim_children();
  switch (line.command) {
    case CommandName::tune:
      return tune_command(line.tune);
    case CommandName::probe:
      return probe_command(line.probe);
    case CommandName::report:
      return report_command(line.report);
    case CommandName::list:
      return list_command(line.list);
    case CommandName::check:
      return check_command(line.check);
    case CommandName::explain:
      return explain_command(line.explain);
    case CommandName::export_:
      return export_command(line.export_);
    case CommandName::bench:
      return bench_command(line.bench);
    case CommandName::plot:
      return plot_command(line.plot);
    case CommandName::sweep:
      return sweep_command(line.sweep);
    case CommandName::baseline:
      return baseline_command(line.baseline);
    case CommandName::space:
      return space_command(line.space);
    case CommandName::replay:
      return replay_command(line.replay);
    case CommandName::import_:
      return import_command(line.import_);
    case CommandName::cache:
      return cache_command(line.cache);
    case CommandName::kokkos:
      return kokkos_command(line.kokkos);
    case CommandName::doctor:
      return doctor_command(line.doctor);
    case CommandName::glossary:
      return glossary_command(line.glossary);
    case CommandName::worker:
      return worker_command(line.worker);
    case CommandName::records:
      return records_command(line.records);
    case CommandName::help:
      break;
  }
  std::fputs(line.text.c_str(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  using rooftune::ExitCode;
  // A write beyond the limit of a file's size (ulimit -f) fails, with an error.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int code = run(argc, argv);
    // A text longer than the buffer fails before there is anything to flush.
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  } catch (const rooftune::Interrupted&) {
    std::fflush(stdout);
    std::fputs("tune: interrupted before there was a result; run the same command again\n", stderr);
    return static_cast<int>(ExitCode::interrupted);
  } catch (const std::exception& fault) {
    // fmt throws where standard output cannot be written.
    if (std::ferror(stdout) == 0) {
      std::fflush(stdout);
      const rooftune::Error error = rooftune::as_error(fault);
      std::fprintf(stderr, "tune: %s\n", error.what());
      return static_cast<int>(error.code());
    }
  }
  std::fputs("tune: standard output cannot be written (disk full or pipe closed)\n", stderr);
  return static_cast<int>(ExitCode::io);
}
