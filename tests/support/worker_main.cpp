// The worker of tests: what `tune worker` and `tune gpu-compile` are, without the rest of tune.
#include <string_view>

#include "build/gpu_compiler.h"
#include "run/worker.h"
#ifdef ROOFTUNE_WITH_INSTRUMENTATION
#include "support/with_instrumentation.h"
#endif

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "gpu-compile")
    return rooftune::gpu_compile_main({argv + 2, argv + argc});
  return rooftune::worker_main();
}
