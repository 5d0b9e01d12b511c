// The worker of tests: what `tune worker` and `tune cuda-compile` are, without the rest of tune.
#include <string_view>

#include "build/cuda/nvrtc.h"
#include "run/host_evaluator.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "cuda-compile")
    return rooftune::cuda_compile_main({argv + 2, argv + argc});
  return rooftune::worker_main();
}
