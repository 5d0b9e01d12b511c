// One-dimensional diffusion with Kokkos: two loops, two fields that change roles, or teams that
// take a tile through several steps in their scratch memory. The caller provides n elements in x;
// `shift` points at either end are boundary values and stay as they are.
#include "rooftune/kokkos.h"

#include "body.h"
#include "rooftune/kokkos_range.h"

using rooftune::Int64;

constexpr diffusion_body::Form form =
    KNOB_FORM == KNOB_FORM_FACTORED     ? diffusion_body::Form::factored
    : KNOB_FORM == KNOB_FORM_DIFFERENCE ? diffusion_body::Form::difference
                                        : diffusion_body::Form::distributed;

static rooftune::DeviceArray<double> x_array;
static double* second;
static Int64 second_count;

/// All that a step needs to know.
struct Line {
  Int64 n, shift;
  double alpha, beta;
};

static void step(const Line& line, const double* from, double* to) {
  const Int64 shift = line.shift;
  const double alpha = line.alpha, beta = line.beta;
  rooftune::for_range<KNOB_ELEMENTS>(
      shift, line.n - shift, KOKKOS_LAMBDA(const Int64 i) {
        to[i] =
            diffusion_body::stepped<form>(alpha, beta, from[i - shift], from[i], from[i + shift]);
      });
}

static void copy(Int64 low, Int64 high, const double* from, double* to) {
  rooftune::for_range<KNOB_ELEMENTS>(
      low, high, KOKKOS_LAMBDA(const Int64 i) { to[i] = from[i]; });
}

/// One tile through `steps` steps: read with its halo, stepped in scratch memory, written.
struct Tile {
  using Policy = Kokkos::TeamPolicy<rooftune::ExecutionSpace>;
  using Member = typename Policy::member_type;
  using Buffer = Kokkos::View<double*, typename rooftune::ExecutionSpace::scratch_memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged> >;
  Line line;
  Int64 steps;
  const double* from;
  double* to;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const Int64 shift = line.shift, halo = steps * shift;
    const Int64 low = shift + team.league_rank() * Int64{KNOB_TILE};
    const Int64 high = low + KNOB_TILE < line.n - shift ? low + KNOB_TILE : line.n - shift;
    const Int64 first = low > halo ? low - halo : 0;
    const Int64 last = high + halo < line.n ? high + halo : line.n;
    Buffer now(team.team_scratch(KNOB_SCRATCH_LEVEL), KNOB_TILE + 2 * halo);
    Buffer next(team.team_scratch(KNOB_SCRATCH_LEVEL), KNOB_TILE + 2 * halo);
    const double* const source = from;
    double *here = now.data(), *there = next.data();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, last - first), [&](const Int64 i) {
      here[i] = source[first + i];
      there[i] = source[first + i];
    });
    for (Int64 s = 1; s <= steps; ++s) {
      team.team_barrier();
      const Int64 begin = first == 0 ? shift : s * shift;
      const Int64 end = last - first - (last == line.n ? 1 : s) * shift;
      const double alpha = line.alpha, beta = line.beta;
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, end - begin), [&](const Int64 k) {
        const Int64 i = begin + k;
        there[i] =
            diffusion_body::stepped<form>(alpha, beta, here[i - shift], here[i], here[i + shift]);
      });
      double* const stepped = there;
      there = here;
      here = stepped;
    }
    team.team_barrier();
    double* const target = to;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, high - low),
                         [&](const Int64 i) { target[low + i] = here[low - first + i]; });
  }
};

static void pass(const Line& line, Int64 steps, const double* from, double* to) {
  const Int64 inner = line.n - 2 * line.shift;
  const int league = static_cast<int>((inner + KNOB_TILE - 1) / KNOB_TILE);
  // Two buffers, each aligned.
  const Int64 bytes = 2 * (KNOB_TILE + 2 * steps * line.shift + 16) * Int64{sizeof(double)};
  Tile::Policy policy(league, KNOB_TEAM_SIZE, KNOB_VECTOR_LENGTH);
  policy.set_scratch_size(KNOB_SCRATCH_LEVEL, Kokkos::PerTeam(static_cast<int>(bytes)));
  Kokkos::parallel_for(policy, Tile{line, steps, from, to});
}

void diffusion_prepare(std::int64_t n, std::int64_t, std::int64_t, double, double, double* x) {
  x_array.copy_in(x, n);
  if (n > second_count) {
    if (second) Kokkos::kokkos_free<rooftune::DeviceSpace>(second);
    second = static_cast<double*>(
        Kokkos::kokkos_malloc<rooftune::DeviceSpace>(static_cast<std::size_t>(n) * sizeof(double)));
    second_count = n;
  }
}

void diffusion(std::int64_t n, std::int64_t steps, std::int64_t shift, double alpha, double beta,
               double*) {
  if (n <= 2 * shift) return;
  const Line line{n, shift, alpha, beta};
  double *now = x_array.data(), *next = second;
  if (KNOB_STAGING != KNOB_STAGING_COPY_BACK) {
    copy(0, shift, now, next);
    copy(n - shift, n, now, next);
  }
  for (std::int64_t done = 0; done < steps;) {
    std::int64_t taken = 1;
    if (KNOB_STAGING == KNOB_STAGING_FUSED) {
      taken = steps - done < KNOB_TIME_BLOCK ? steps - done : KNOB_TIME_BLOCK;
      pass(line, taken, now, next);
    } else {
      step(line, now, next);
    }
    done += taken;
    if (KNOB_STAGING == KNOB_STAGING_COPY_BACK) {
      copy(shift, n - shift, next, now);
      continue;
    }
    double* const stepped = next;
    next = now;
    now = stepped;
  }
  if (now != x_array.data()) copy(shift, n - shift, now, x_array.data());
  Kokkos::fence();
}

void diffusion_finish(std::int64_t, std::int64_t, std::int64_t, double, double, double*) {
  x_array.copy_out();
}
