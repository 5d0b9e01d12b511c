// Reads words as `tune` would and does nothing else: whether the documentation types what there is.
#include <cstdio>
#include <exception>

#include "cli/extensions.h"
#include "cli/options.h"

int main(int argc, char** argv) {
  rooftune::add_extensions();
  try {
    rooftune::parse(argc, argv);
    return 0;
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    return 2;
  }
}
