// The Sigma-GPP kernel for OpenMP: with every knob at its default, bands shared among threads and
// everything computed in the innermost loop. The caller provides what kernel.json describes.
#include <omp.h>

#include "knobs.h"
#include "rooftune/kept.h"
#include "tiles.h"

using namespace sigma_gpp;

namespace {

struct State {
  rooftune::Scratch t_memory, e_memory, a_memory, t2_memory, omega2_memory, m_memory, x_memory,
      slots_memory;
  View view;
};
rooftune::Kept<State> kept;

constexpr std::int64_t slot = 4 * most_energies + 8;  ///< doubles per thread, lines apart

Complex<double> element(const double* data, std::int64_t k) {
  return {data[2 * k], data[2 * k + 1]};
}

/// What the variant stores of its own beside t and e.
void build_products(View& v, const double* wtilde, const double* i_eps) {
  const std::int64_t nc = v.nc;
  if (!stored) return;
  if (fractions) {
    v.e = build(kept->e_memory, nc, v.ng, false, [=](std::int64_t g, std::int64_t i) {
      return element(i_eps, g * nc + i) * element(wtilde, g * nc + i);
    });
    return;
  }
  v.t2 = build(kept->t2_memory, nc, v.ng, false, [=](std::int64_t g, std::int64_t i) {
    return element(wtilde, g * nc + i) * element(wtilde, g * nc + i);
  });
  v.omega2 = build(kept->omega2_memory, nc, v.ng, false, [=](std::int64_t g, std::int64_t i) {
    const Complex<double> t = element(wtilde, g * nc + i);
    return t * t * element(i_eps, g * nc + i);
  });
}

/// Own copies of the fields, aqsm with bands together.
void build_fields(View& v, const double* wtilde, const double* i_eps, const double* aqsn,
                  const double* aqsm) {
  if (!own_layout) return;
  const std::int64_t nb = v.nb, ng = v.ng, nc = v.nc;
  const auto copy = [nc](const double* data) {
    return [=](std::int64_t j, std::int64_t i) { return element(data, j * nc + i); };
  };
  v.t = build(kept->t_memory, nc, ng, false, copy(wtilde));
  v.e = build(kept->e_memory, nc, ng, false, copy(i_eps));
  v.a = build(kept->a_memory, nc, nb, true, copy(aqsn));
  double* const m = kept->m_memory.reserve(2 * nb * ng);
  for (std::int64_t g = 0; g < ng; ++g)
    for (std::int64_t k = 0; k < 2 * nb; ++k)
      m[g * 2 * nb + k] = aqsm[2 * (k / 2 * ng + g) + k % 2];
  v.m = m;
  v.m_n = 2;
  v.m_g = 2 * nb;
}

/// wx with the index that runs fastest, and what follows from its sign.
void build_energies(View& v, const double* wx) {
  const std::int64_t nb = v.nb, nw = v.nw;
  double* const x = kept->x_memory.reserve(2 * nb * nw);
  double* const cutoff = x + nb * nw;
  const bool bands_fastest = KNOB_WX_ORDER == KNOB_WX_ORDER_N_W;
  for (std::int64_t n = 0; n < nb; ++n)
    for (std::int64_t w = 0; w < nw; ++w) {
      const std::int64_t to = bands_fastest ? w * nb + n : n * nw + w;
      x[to] = wx[n * nw + w];
      cutoff[to] = exchange_cutoff(x[to]);
    }
  v.x = x;
  v.cutoff = cutoff;
  v.x_n = bands_fastest ? 1 : nw;
  v.x_w = bands_fastest ? nb : 1;
}

/// All tiles of some energies; adds to `sigma`.
void sweep(const View& v, const Nest& nest, Range w, double* sigma) {
  const std::int64_t outer = nest.at(0).count(), middle = nest.at(1).count(),
                     inner = nest.at(2).count(), numbers = 4 * v.nw;
#if KNOB_REDUCTION == KNOB_REDUCTION_SLOTS
  double* const slots = kept->slots_memory.reserve(omp_get_max_threads() * slot);
  for (std::int64_t k = 0; k < omp_get_max_threads() * slot; ++k) slots[k] = 0;
#pragma omp parallel
  {
    double* const sums = slots + omp_get_thread_num() * slot;
#pragma omp for collapse(KNOB_COLLAPSE) schedule(runtime) nowait
#elif KNOB_REDUCTION == KNOB_REDUCTION_CLAUSE
#pragma omp parallel for collapse(KNOB_COLLAPSE) schedule(runtime) reduction(+ : sigma[:numbers])
#else
#pragma omp parallel for collapse(KNOB_COLLAPSE) schedule(runtime)
#endif
    for (std::int64_t a = 0; a < outer; ++a)
      for (std::int64_t b = 0; b < middle; ++b)
        for (std::int64_t c = 0; c < inner; ++c) {
#if KNOB_REDUCTION == KNOB_REDUCTION_CLAUSE
          run(v, nest.tile({a, b, c}, w), sigma);
#elif KNOB_REDUCTION == KNOB_REDUCTION_SLOTS
        run(v, nest.tile({a, b, c}, w), sums);
#else
        double sums[4 * most_energies] = {};
        run(v, nest.tile({a, b, c}, w), sums);
        for (std::int64_t k = 4 * w.from; k < 4 * w.to; ++k)
#pragma omp atomic
          sigma[k] += sums[k];
#endif
        }
#if KNOB_REDUCTION == KNOB_REDUCTION_SLOTS
  }
  for (std::int64_t t = 0; t < omp_get_max_threads(); ++t)
    for (std::int64_t k = 0; k < numbers; ++k) sigma[k] += slots[t * slot + k];
#endif
}

}  // namespace

/// Own layouts last as long as wtilde, I_eps and the matrix elements do: not part of the time.
void gpp_prepare(std::int64_t nb, std::int64_t ngpown, std::int64_t ncouls, std::int64_t nw,
                 const double* wtilde, const double* i_eps, const double* aqsn, const double* aqsm,
                 const double* vcoul, const double* occ, const double* wx, double*) {
  View& v = kept->view;
  v = {nb,
       ngpown,
       ncouls,
       nw,
       callers(wtilde, ncouls),
       callers(i_eps, ncouls),
       callers(aqsn, ncouls),
       {},
       {},
       aqsm,
       2 * ngpown,
       2,
       vcoul,
       occ,
       wx,
       nullptr,
       nw,
       1,
       false};
  build_fields(v, wtilde, i_eps, aqsn, aqsm);
  build_products(v, wtilde, i_eps);
  build_energies(v, wx);
  for (std::int64_t k = 0; k < ngpown * ncouls; ++k)
    v.vanishing = v.vanishing || may_vanish(pole(element(wtilde, k)));
}

void gpp(std::int64_t, std::int64_t, std::int64_t, std::int64_t nw, const double*, const double*,
         const double*, const double*, const double*, const double*, const double*, double* sigma) {
  const View& v = kept->view;
  const Nest nest(v);
  for (std::int64_t k = 0; k < 4 * nw; ++k) sigma[k] = 0;
#if KNOB_ENERGIES == KNOB_ENERGIES_OUTSIDE && KNOB_FORMULA == KNOB_FORMULA_LITERATURE
  for (std::int64_t w = 0; w < nw; ++w) sweep(v, nest, {w, w + 1}, sigma);
#else
  sweep(v, nest, {0, nw}, sigma);
#endif
}
