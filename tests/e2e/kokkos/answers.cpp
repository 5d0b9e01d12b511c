// Loops and reductions of every policy whose sums are known integers, three times. Says each sum,
// the size of its teams, and whether this Kokkos asks a tool for sizes.
#include <Kokkos_Core.hpp>
#include <cstdio>

namespace {

constexpr int n = 100, m = 70, l = 12, teams = 50, members = 200;
using Square = Kokkos::MDRangePolicy<Kokkos::Rank<2>>;
using Cube = Kokkos::MDRangePolicy<Kokkos::Rank<3>>;
using Teams = Kokkos::TeamPolicy<>;
using Member = Teams::member_type;

bool all_right = true;

void expect(const char* what, double sum, double right) {
  std::printf("%s: %.0f, %s\n", what, sum, sum == right ? "right" : "wrong");
  all_right = all_right && sum == right;
}

void ranges() {
  double sum = 0;
  Kokkos::parallel_reduce(
      "range", n * m, KOKKOS_LAMBDA(int i, double& s) { s += i; }, sum);
  expect("range", sum, 0.5 * n * m * (n * m - 1));
  Kokkos::parallel_scan(
      "scan", n * m, KOKKOS_LAMBDA(int i, double& s, bool) { s += i; }, sum);
  expect("scan", sum, 0.5 * n * m * (n * m - 1));
}

void tiles() {
  double sum = 0;
  Kokkos::parallel_reduce(
      "square", Square({0, 0}, {n, m}), KOKKOS_LAMBDA(int i, int j, double& s) { s += i * m + j; },
      sum);
  expect("square", sum, 0.5 * n * m * (n * m - 1));
  Kokkos::parallel_reduce(
      "cube", Cube({0, 0, 0}, {n, m, l}),
      KOKKOS_LAMBDA(int i, int j, int k, double& s) { s += (i * m + j) * l + k; }, sum);
  expect("cube", sum, 0.5 * n * m * l * (n * m * l - 1));
  const Kokkos::View<double**> visits("visits", n, m);
  Kokkos::parallel_for(
      "visit", Square({0, 0}, {n, m}),
      KOKKOS_LAMBDA(int i, int j) { Kokkos::atomic_add(&visits(i, j), 1.0); });
  Kokkos::parallel_reduce(
      "count \"visits\"", n * m, KOKKOS_LAMBDA(int i, double& s) { s += visits(i / m, i % m); },
      sum);
  expect("visit", sum, n * m);
}

void of_teams() {
  double sum = 0;
  const Kokkos::View<int> size("size");
  Kokkos::parallel_reduce(
      "team", Teams(teams, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Member& team, double& s) {
        double part = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, members), [&](int j, double& p) { p += j; }, part);
        Kokkos::single(Kokkos::PerTeam(team), [&] {
          s += part;
          if (team.league_rank() == 0) size() = team.team_size();
        });
      },
      sum);
  expect("team", sum, 0.5 * teams * members * (members - 1));
  std::printf("teams of %d\n", size());
}

}  // namespace

int main(int count, char** words) {
  Kokkos::initialize(count, words);
  for (int i = 0; i < 3; ++i) {
    ranges();
    tiles();
    of_teams();
  }
  const int threads = Kokkos::DefaultExecutionSpace().concurrency();
  Kokkos::finalize();
#ifdef KOKKOS_ENABLE_TUNING
  std::printf("asks for sizes, %s, %d threads\n", KOKKOS_VERSION < 50100 ? "broken" : "mended",
              threads);
#endif
  return all_right ? 0 : 1;
}
