// The Sigma-GPP kernel in CUDA: blocks take tiles of G', G and bands, threads sum a block of
// energies in registers; then the totals of all blocks meet. The caller provides what kernel.json
// describes.
#include "cuda_stage.h"
#include "cuda_sums.h"

#if ROOFTUNE_HOST
#include <vector>
#endif

/// A grid of blocks by blocks of energies, from number `first_energies` on; `partial` holds
/// `numbers` per block and block of energies.
ROOFTUNE_KERNEL __launch_bounds__(sigma_gpp::threads, KNOB_MIN_BLOCKS)
    gpp_sums(sigma_gpp::Arrays arrays, rooftune::Int64 first_energies, double* partial,
             double* sigma, unsigned* tickets) {
  using namespace sigma_gpp;
  const Int64 which = first_energies + blockIdx.y, w = which * energies;
  const unsigned tiles = arrays.tiles_i * arrays.tiles_g * arrays.tiles_n;
  double total[numbers] = {};
  for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x) {
    const Tile tile = tile_of(arrays, k);
    const Place place = place_in(arrays, tile);
    Columns columns;
    columns.start(arrays, place);
    // Outside the loop over bands: a branch inside it would part multiplications from additions.
    if (by_fractions && arrays.vanishing)
      add_bands<true>(arrays, tile, place, w, columns);
    else
      add_bands<false>(arrays, tile, place, w, columns);
    columns.finish(arrays, place, total);
  }
  deliver(total, partial + which * gridDim.x * numbers, sigma + which * numbers, tickets + which);
}

#if KNOB_REDUCTION == KNOB_REDUCTION_SECOND

/// A block per block of energies.
ROOFTUNE_KERNEL __launch_bounds__(sigma_gpp::threads, 1)
    gpp_gather(const double* partial, rooftune::Int64 blocks, double* sigma) {
  using namespace sigma_gpp;
  gather(partial + blockIdx.x * blocks * numbers, blocks, sigma + Int64{blockIdx.x} * numbers);
}

#elif KNOB_REDUCTION != KNOB_REDUCTION_LAST

/// Sums that atomic additions start from.
ROOFTUNE_KERNEL __launch_bounds__(256, 1) gpp_clear(rooftune::Int64 count, double* sigma) {
  for (rooftune::Int64 k = threadIdx.x; k < count; k += 256) sigma[k] = 0;
}

#endif

#if ROOFTUNE_HOST

using sigma_gpp::Int64;

static rooftune::DeviceBuffer<double> t_on_card, e_on_card, a_on_card, v_on_card, occ_on_card,
    x_on_card, partial_on_card, sigma_on_card;
static rooftune::DeviceBuffer<double2> m_on_card;
static rooftune::DeviceBuffer<unsigned> tickets_on_card;
static sigma_gpp::Arrays arrays;
static Int64 grid, energy_blocks;

/// `count` complex numbers in the layout of the variant.
static sigma_gpp::ComplexArray laid_out(rooftune::DeviceBuffer<double>& buffer, const double* pairs,
                                        Int64 count) {
  if (!sigma_gpp::split) return {buffer.copy_in(pairs, 2 * count), 0};
  std::vector<double> parts(static_cast<std::size_t>(2 * count));
  for (Int64 k = 0; k < count; ++k) {
    parts[static_cast<std::size_t>(k)] = pairs[2 * k];
    parts[static_cast<std::size_t>(count + k)] = pairs[2 * k + 1];
  }
  return {buffer.copy_in(parts.data(), 2 * count), count};
}

/// wx with the last energy repeated up to whole blocks of them.
static void lay_out_energies(Int64 nb, Int64 nw, const double* wx) {
  const Int64 whole = energy_blocks * sigma_gpp::energies;
  const bool bands_fastest = KNOB_WX_ORDER == KNOB_WX_ORDER_N_W;
  arrays.x_n = bands_fastest ? 1 : whole;
  arrays.x_w = bands_fastest ? nb : 1;
  std::vector<double> x(static_cast<std::size_t>(nb * whole));
  for (Int64 n = 0; n < nb; ++n)
    for (Int64 w = 0; w < whole; ++w)
      x[static_cast<std::size_t>(n * arrays.x_n + w * arrays.x_w)] =
          wx[n * nw + (w < nw ? w : nw - 1)];
  arrays.x = x_on_card.copy_in(x.data(), nb * whole);
}

static bool may_vanish_somewhere(const double* wtilde, Int64 count) {
  for (Int64 k = 0; k < count; ++k)
    if (sigma_gpp::may_vanish(sigma_gpp::pole<double>({wtilde[2 * k], wtilde[2 * k + 1]})))
      return true;
  return false;
}

/// How many blocks: one per tile unless they are very many, or what the card holds at a time.
static void size_grid() {
  constexpr Int64 most = Int64{1} << 20;
  const Int64 tiles = Int64{arrays.tiles_i} * arrays.tiles_g * arrays.tiles_n;
  grid = tiles < most ? tiles : most;
  if (KNOB_PERSISTENT) {
    const Int64 resident =
        ROOFTUNE_PERSISTENT_BLOCKS(gpp_sums, sigma_gpp::threads, sigma_gpp::stage_bytes);
    if (resident < grid) grid = resident;
  }
}

void gpp_prepare(std::int64_t nb, std::int64_t ngpown, std::int64_t ncouls, std::int64_t nw,
                 const double* wtilde, const double* i_eps, const double* aqsn, const double* aqsm,
                 const double* vcoul, const double* occ, const double* wx, double*) {
  arrays.nb = static_cast<int>(nb);
  arrays.ng = static_cast<int>(ngpown);
  arrays.nc = static_cast<int>(ncouls);
  arrays.t = laid_out(t_on_card, wtilde, ngpown * ncouls);
  arrays.e = laid_out(e_on_card, i_eps, ngpown * ncouls);
  arrays.a = laid_out(a_on_card, aqsn, nb * ncouls);
  arrays.m = m_on_card.copy_in(reinterpret_cast<const double2*>(aqsm), nb * ngpown);
  arrays.v = v_on_card.copy_in(vcoul, ngpown);
  arrays.occ = occ_on_card.copy_in(occ, nb);
  energy_blocks = rooftune::blocks_for(nw, sigma_gpp::energies);
  lay_out_energies(nb, nw, wx);
  arrays.bands = KNOB_BLOCK_N > 0 && KNOB_BLOCK_N < nb ? KNOB_BLOCK_N : arrays.nb;
  const auto tiles = [](Int64 count, Int64 size) {
    return static_cast<unsigned>(rooftune::blocks_for(count, size));
  };
  arrays.tiles_i = tiles(ncouls, sigma_gpp::tile_i);
  arrays.tiles_g = tiles(ngpown, sigma_gpp::tile_g);
  arrays.tiles_n = tiles(nb, arrays.bands);
  arrays.vanishing = may_vanish_somewhere(wtilde, ngpown * ncouls);
  size_grid();
  if (!sigma_gpp::atomic_sums) partial_on_card.reserve(energy_blocks * grid * sigma_gpp::numbers);
  sigma_on_card.zeroed(energy_blocks * sigma_gpp::numbers);
  tickets_on_card.zeroed(energy_blocks);
}

void gpp(std::int64_t, std::int64_t, std::int64_t, std::int64_t, const double*, const double*,
         const double*, const double*, const double*, const double*, const double*, double*) {
  const rooftune::CudaSize block(KNOB_BLOCK_X, KNOB_BLOCK_Y);
  double* const sigma = sigma_on_card.data();
#if KNOB_REDUCTION == KNOB_REDUCTION_ATOMIC || KNOB_REDUCTION == KNOB_REDUCTION_WARPS
  ROOFTUNE_LAUNCH(gpp_clear, 1, 256, 0, energy_blocks * sigma_gpp::numbers, sigma);
#endif
  const Int64 together = KNOB_ENERGIES == KNOB_ENERGIES_LAUNCHES ? 1 : energy_blocks;
  for (Int64 first = 0; first < energy_blocks; first += together)
    ROOFTUNE_LAUNCH(gpp_sums, rooftune::CudaSize(grid, together), block, sigma_gpp::stage_bytes,
                    arrays, first, partial_on_card.data(), sigma, tickets_on_card.data());
#if KNOB_REDUCTION == KNOB_REDUCTION_SECOND
  ROOFTUNE_LAUNCH(gpp_gather, energy_blocks, block, 0, partial_on_card.data(), grid, sigma);
#endif
}

void gpp_finish(std::int64_t, std::int64_t, std::int64_t, std::int64_t nw, const double*,
                const double*, const double*, const double*, const double*, const double*,
                const double*, double* sigma) {
  sigma_on_card.copy_out(sigma, 4 * nw);
}

#endif
