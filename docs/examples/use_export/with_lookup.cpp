// An application that asks at run time: which configuration of triad fits this problem and machine?
// The folder holds what `tune export --kernel triad --format json` wrote on each machine.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "runtime/best_configuration.h"

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
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s FOLDER N\n", argv[0]);
    return 2;
  }
  const std::int64_t n = std::atoll(argv[2]);
  rooftune::TunedConfigurations tuned;
  tuned.add(argv[1]);
  for (const std::string& fault : tuned.faults()) std::fprintf(stderr, "%s\n", fault.c_str());

  // An empty machine takes any export; give the id of `tune list machines` to be strict.
  const rooftune::TunedConfiguration best =
      tuned.find("triad", "", {{"n", n}}, {{"unroll", std::int64_t{1}}});
  const std::int64_t unroll = best.integer("unroll", 1);
  std::printf("match %s, unroll %d\n", to_text(best.match), static_cast<int>(unroll));
  if (!best.reason.empty()) std::printf("because: %s\n", best.reason.c_str());

  const auto size = static_cast<std::size_t>(n);
  std::vector<double> a(size), b(size, 1), c(size, 2);
  variant(unroll)(size, a.data(), b.data(), c.data(), 3);
  for (const double value : a)
    if (value != 7) return 1;
  return 0;
}
