// Horizontal viscosity for OpenMP: with every knob at its default, layers shared among threads,
// every stage over a whole layer before the next. The caller provides h, u, v of nz (ny + 4) (nx +
// 4) points, the planes of metrics.h and du, dv of nz ny nx points.
#include <omp.h>

#include <cstdint>

#include "rooftune/kept.h"
#include "rooftune/scratch.h"
#include "stages.h"

using namespace hor_visc_kernel;

constexpr bool own_metric = KNOB_METRIC != KNOB_METRIC_PLANES;

struct State {
  rooftune::Scratch temporaries, metric_memory, h_memory, u_memory, v_memory, du_memory, dv_memory;
};
static rooftune::Kept<State> kept;

static double* own(rooftune::Scratch& memory, std::int64_t count) {
  return memory.reserve(count, KNOB_SCRATCH_HUGE_PAGES);
}
static std::int64_t with_halo(const Grid& g) { return g.slabs() * lanes * g.plane(); }
static std::int64_t inner(const Grid& g) { return g.slabs() * lanes * g.nx * g.ny; }

/// The memory of one thread; a line apart from the next thread's.
static std::int64_t share(const Grid& g) { return temporaries_size(g) + 16; }
static double* all_temporaries(const Grid& g) {
  return own(kept->temporaries, omp_get_max_threads() * share(g));
}

/// An application allocates kept->temporaries once, and keeps the layout that suits it.
void hor_visc_prepare(std::int64_t nx, std::int64_t ny, std::int64_t nz, double, double,
                      const double* metric, const double* h, const double* u, const double* v,
                      double*, double*) {
  const Grid g{nx, ny, nz};
  all_temporaries(g);
  if (own_metric) {
    double* const rows = own(kept->metric_memory, rows_metric_size(g));
    folded ? fold_metric(g, metric, rows) : copy_metric(g, metric, rows);
  }
  if (!layers_inside) return;
  gather_layers(g, g.plane(), h, own(kept->h_memory, with_halo(g)));
  gather_layers(g, g.plane(), u, own(kept->u_memory, with_halo(g)));
  gather_layers(g, g.plane(), v, own(kept->v_memory, with_halo(g)));
  own(kept->du_memory, inner(g));
  own(kept->dv_memory, inner(g));
}

void hor_visc(std::int64_t nx, std::int64_t ny, std::int64_t nz, double kh, double ah,
              const double* metric, const double* h, const double* u, const double* v, double* du,
              double* dv) {
  const Grid g{nx, ny, nz};
  Fields fields{own_metric ? rows_metric(g, own(kept->metric_memory, rows_metric_size(g)))
                           : caller_metric(g, metric),
                h,
                u,
                v,
                du,
                dv};
  if (layers_inside)
    fields = {fields.metric,
              own(kept->h_memory, with_halo(g)),
              own(kept->u_memory, with_halo(g)),
              own(kept->v_memory, with_halo(g)),
              own(kept->du_memory, inner(g)),
              own(kept->dv_memory, inner(g))};
  double* const memory = all_temporaries(g);
  const Extent bi = blocks_i(g), bj = blocks_j(g);
  const std::int64_t depth = KNOB_BLOCK_K > 0 ? KNOB_BLOCK_K : g.slabs();
  const std::int64_t tiles = bi.count() * bj.count(), deep = (g.slabs() + depth - 1) / depth;
  constexpr bool layers_first = KNOB_ORDER == KNOB_ORDER_LAYERS;
  const std::int64_t outer = layers_first ? deep : tiles, inside = layers_first ? tiles : deep;
#pragma omp parallel for collapse(KNOB_COLLAPSE) schedule(runtime)
  for (std::int64_t a = 0; a < outer; ++a)
    for (std::int64_t b = 0; b < inside; ++b) {
      const std::int64_t tile = layers_first ? b : a, first = (layers_first ? a : b) * depth;
      const std::int64_t i = tile % bi.count(), j = tile / bi.count();
      for (std::int64_t s = first; s < first + depth && s < g.slabs(); ++s)
        march({g, fields, kh, ah, memory + omp_get_thread_num() * share(g), s, bi.from(i), bi.to(i),
               bj.from(j), bj.to(j)});
    }
}

void hor_visc_finish(std::int64_t nx, std::int64_t ny, std::int64_t nz, double, double,
                     const double*, const double*, const double*, const double*, double* du,
                     double* dv) {
  if (!layers_inside) return;
  const Grid g{nx, ny, nz};
  scatter_layers(g, nx * ny, own(kept->du_memory, inner(g)), du);
  scatter_layers(g, nx * ny, own(kept->dv_memory, inner(g)), dv);
}
