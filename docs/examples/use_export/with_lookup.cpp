// An application that asks at run time: which configuration of triad fits this problem and machine?
// The folder holds what `tune export --kernel triad --format json` wrote on each machine.
#include <rooftune/tuned_configurations.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using Kernel = void (*)(std::size_t, double*, const double*, const double*, double);

template <int Unroll>
void triad(std::size_t n, double* a, const double* b, const double* c, double s) {
  std::size_t i = 0;
  for (; i + Unroll <= n; i += Unroll)
    for (int k = 0; k < Unroll; ++k) a[i + k] = b[i + k] + s * c[i + k];
  for (; i < n; ++i) a[i] = b[i] + s * c[i];
}

/// The variants that this application was built with; another value means the plain one.
Kernel variant(std::int64_t unroll) {
  switch (unroll) {
    case 2:
      return triad<2>;
    case 4:
      return triad<4>;
    case 8:
      return triad<8>;
    default:
      return triad<1>;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s FOLDER N [MACHINE]\n", argv[0]);
    return 2;
  }
  const std::int64_t n = std::atoll(argv[2]);
  const rooftune::TunedConfigurations tuned(argv[1]);
  for (const std::string& fault : tuned.faults()) std::fprintf(stderr, "%s\n", fault.c_str());

  // Without a machine it is the one that this runs on; a GPU is named.
  const char* const machine = argc > 3 ? argv[3] : nullptr;
  const rooftune::TunedConfiguration best = tuned.find("triad", {{"n", n}}, machine);
  // 1 is this application's own choice, for when there is none.
  const std::int64_t unroll = best.integer("unroll", 1);
  std::printf("match %s, unroll %d\n", to_text(best.match()), static_cast<int>(unroll));
  if (*best.reason()) std::printf("because: %s\n", best.reason());
  if (*best.verdict()) std::printf("it was %s\n", best.verdict());

  const auto size = static_cast<std::size_t>(n);
  std::vector<double> a(size), b(size, 1), c(size, 2);
  variant(unroll)(size, a.data(), b.data(), c.data(), 3);
  for (const double value : a)
    if (value != 7) return 1;
  return 0;
}
