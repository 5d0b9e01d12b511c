// The Sigma-GPP kernel with Kokkos: G' and G in parallel, bands inside, one reduction per block of
// energies. The caller provides what kernel.json describes.
#include "rooftune/kokkos.h"

#include <cmath>

#include "body.h"
#include "kokkos_cell.h"

using namespace sigma_gpp;

static rooftune::DeviceArray<const double> t_array, e_array, a_array, m_array, v_array, occ_array,
    x_array;
static Kokkos::View<double*, rooftune::DeviceSpace>* transposed;  ///< aqsn with bands fastest
static Arrays arrays;

/// aqsn as the layout wants it: G fastest as the caller has it, or bands fastest.
static void lay_out_aqsn(std::int64_t nb, std::int64_t nc) {
  arrays.a = a_array.data();
  arrays.a_n = 2 * nc;
  arrays.a_i = 2;
  if (KNOB_LAYOUT != KNOB_LAYOUT_RIGHT) return;
  // Ends with the process, as Kokkos does.
  transposed = new Kokkos::View<double*, rooftune::DeviceSpace>(
      "aqsn", static_cast<std::size_t>(2 * nb * nc));
  double* const to = transposed->data();
  const double* const from = a_array.data();
  Kokkos::parallel_for(
      Kokkos::RangePolicy<rooftune::ExecutionSpace, Kokkos::IndexType<std::int64_t> >(0, nb * nc),
      KOKKOS_LAMBDA(const std::int64_t k) {
        const std::int64_t n = k / nc, i = k % nc;
        to[2 * (i * nb + n)] = from[2 * k];
        to[2 * (i * nb + n) + 1] = from[2 * k + 1];
      });
  Kokkos::fence();
  arrays.a = to;
  arrays.a_n = 2;
  arrays.a_i = 2 * nb;
}

void gpp_prepare(std::int64_t nb, std::int64_t ngpown, std::int64_t ncouls, std::int64_t nw,
                 const double* wtilde, const double* i_eps, const double* aqsn, const double* aqsm,
                 const double* vcoul, const double* occ, const double* wx, double*) {
  t_array.copy_in(wtilde, 2 * ngpown * ncouls);
  e_array.copy_in(i_eps, 2 * ngpown * ncouls);
  a_array.copy_in(aqsn, 2 * nb * ncouls);
  m_array.copy_in(aqsm, 2 * nb * ngpown);
  v_array.copy_in(vcoul, ngpown);
  occ_array.copy_in(occ, nb);
  x_array.copy_in(wx, nb * nw);
  arrays = {nb,
            ngpown,
            ncouls,
            nw,
            t_array.data(),
            e_array.data(),
            nullptr,
            0,
            0,
            m_array.data(),
            v_array.data(),
            occ_array.data(),
            x_array.data()};
  lay_out_aqsn(nb, ncouls);
}

#if KNOB_POLICY == KNOB_POLICY_TEAM

/// A league member has a G' and a strip of G, and may keep the bands' numbers in scratch memory.
template <int E>
static Sums<E> reduce(std::int64_t w) {
  using Policy = Kokkos::TeamPolicy<rooftune::ExecutionSpace>;
  using Member = typename Policy::member_type;
  const Arrays k = arrays;
  const std::int64_t strips = (k.nc + KNOB_STRIP - 1) / KNOB_STRIP;
  Policy policy(static_cast<int>(k.ng * strips), KNOB_TEAM_SIZE, KNOB_VECTOR_LENGTH);
  constexpr bool staged = KNOB_SCRATCH >= 0;
  constexpr int level = staged ? KNOB_SCRATCH : 0;
  using Stage = Kokkos::View<double*, typename rooftune::ExecutionSpace::scratch_memory_space,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged> >;
  const std::size_t numbers = static_cast<std::size_t>(k.nb * (2 + E));
  if (staged) policy.set_scratch_size(level, Kokkos::PerTeam(Stage::shmem_size(numbers)));
  Sums<E> result;
  Kokkos::parallel_reduce(
      policy,
      KOKKOS_LAMBDA(const Member& team, Sums<E>& sums) {
        const std::int64_t g = team.league_rank() / strips;
        const std::int64_t from = team.league_rank() % strips * KNOB_STRIP;
        const std::int64_t to = from + KNOB_STRIP < k.nc ? from + KNOB_STRIP : k.nc;
        Bands bands = bands_of(k, g, w);
        if (staged) {
          Stage stage(team.team_scratch(level), numbers);
          double* const kept = stage.data();
          Kokkos::parallel_for(Kokkos::TeamVectorRange(team, k.nb), [&](const std::int64_t n) {
            kept[n * (2 + E)] = bands.m[n * bands.m_n];
            kept[n * (2 + E) + 1] = bands.m[n * bands.m_n + 1];
            for (int c = 0; c < E; ++c) kept[n * (2 + E) + 2 + c] = bands.x[n * bands.x_n + c];
          });
          team.team_barrier();
          bands = {kept, kept + 2, 2 + E, 2 + E};
        }
        Sums<E> of_team;
        Kokkos::parallel_reduce(
            Kokkos::TeamVectorRange(team, from, to),
            [&](const std::int64_t i, Sums<E>& s) { column<E>(k, bands, g, i, s); },
            Kokkos::Sum<Sums<E> >(of_team));
        Kokkos::single(Kokkos::PerTeam(team), [&]() { sums += of_team; });
      },
      Kokkos::Sum<Sums<E> >(result));
  return result;
}

#elif KNOB_POLICY == KNOB_POLICY_MDRANGE

template <int E>
static Sums<E> reduce(std::int64_t w) {
  constexpr auto iterate =
      KNOB_ITERATE == KNOB_ITERATE_LEFT ? Kokkos::Iterate::Left : Kokkos::Iterate::Right;
  using Policy = Kokkos::MDRangePolicy<rooftune::ExecutionSpace, Kokkos::Rank<2, iterate, iterate>,
                                       Kokkos::IndexType<std::int64_t> >;
  const Arrays k = arrays;
  Sums<E> result;
  Kokkos::parallel_reduce(
      Policy({0, 0}, {k.ng, k.nc}, {KNOB_TILE_G, KNOB_TILE_I}),
      KOKKOS_LAMBDA(const std::int64_t g, const std::int64_t i, Sums<E>& s) {
        column<E>(k, bands_of(k, g, w), g, i, s);
      },
      Kokkos::Sum<Sums<E> >(result));
  return result;
}

#else

template <int E>
static Sums<E> reduce(std::int64_t w) {
  using Policy = Kokkos::RangePolicy<rooftune::ExecutionSpace, Kokkos::IndexType<std::int64_t> >;
  const Arrays k = arrays;
  Policy policy(0, k.ng * k.nc);
  if (KNOB_CHUNK > 0) policy.set_chunk_size(KNOB_CHUNK);
  Sums<E> result;
  Kokkos::parallel_reduce(
      policy,
      KOKKOS_LAMBDA(const std::int64_t cell, Sums<E>& s) {
        const std::int64_t g = cell / k.nc, i = cell % k.nc;
        column<E>(k, bands_of(k, g, w), g, i, s);
      },
      Kokkos::Sum<Sums<E> >(result));
  return result;
}

#endif

template <int E>
static void energies(std::int64_t w, double* sigma) {
  const Sums<E> sums = reduce<E>(w);
  Kokkos::fence();
  for (int c = 0; c < 4 * E; ++c) sigma[4 * w + c] = sums.s[c];
}

void gpp(std::int64_t, std::int64_t, std::int64_t, std::int64_t nw, const double*, const double*,
         const double*, const double*, const double*, const double*, const double*, double* sigma) {
  std::int64_t w = 0;
  for (; w + KNOB_ENERGY_BLOCK <= nw; w += KNOB_ENERGY_BLOCK) energies<KNOB_ENERGY_BLOCK>(w, sigma);
  for (; w < nw; ++w) energies<1>(w, sigma);
}
