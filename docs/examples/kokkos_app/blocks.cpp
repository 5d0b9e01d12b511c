// Applies a matrix of a few large dense blocks again and again: a team for each block, whose size
// is left to Kokkos. Says how long it took, and whether the result is the known one.
//   blocks [ROWS OF A BLOCK [BLOCKS [STEPS]]]
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using Policy = Kokkos::TeamPolicy<>;
using Member = Policy::member_type;

int main(int count, char** words) {
  const int rows = count > 1 ? std::atoi(words[1]) : 1000;
  const int blocks = count > 2 ? std::atoi(words[2]) : 1;
  const int steps = count > 3 ? std::atoi(words[3]) : 200;
  int code = 0;
  Kokkos::initialize(count, words);
  {
    // Rows of every block sum up to 1: a vector of ones stays what it is.
    Kokkos::View<double***, Kokkos::LayoutRight> a("a", blocks, rows, rows);
    Kokkos::View<double**, Kokkos::LayoutRight> x("x", blocks, rows), y("y", blocks, rows);
    Kokkos::parallel_for(
        "fill", blocks * rows, KOKKOS_LAMBDA(int r) {
          const int b = r / rows, i = r % rows;
          x(b, i) = 1;
          for (int j = 0; j < rows; ++j) a(b, i, j) = 1.0 / rows;
        });
    Kokkos::fence();
    Kokkos::Timer timer;
    for (int step = 0; step < steps; ++step) {
      Kokkos::parallel_for(
          "apply blocks", Policy(blocks, Kokkos::AUTO), KOKKOS_LAMBDA(const Member& team) {
            const int b = team.league_rank();
            Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows), [&](int i) {
              double sum = 0;
              for (int j = 0; j < rows; ++j) sum += a(b, i, j) * x(b, j);
              y(b, i) = sum;
            });
          });
      Kokkos::parallel_for(
          "take over", blocks * rows,
          KOKKOS_LAMBDA(int r) { x(r / rows, r % rows) = y(r / rows, r % rows); });
    }
    Kokkos::fence();
    const double seconds = timer.seconds();
    double sum = 0;
    Kokkos::parallel_reduce(
        "sum", blocks * rows, KOKKOS_LAMBDA(int r, double& s) { s += x(r / rows, r % rows); }, sum);
    const bool right = std::abs(sum / (blocks * rows) - 1) < 1e-9;
    std::printf("steps: %.6f s, result: %s\n", seconds, right ? "right" : "wrong");
    code = right ? 0 : 1;
  }
  Kokkos::finalize();
  return code;
}
