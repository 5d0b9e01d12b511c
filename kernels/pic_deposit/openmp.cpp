// Charge and current deposition for OpenMP: with every knob at its default, particles as the caller
// keeps them, shared among threads that each add to a grid of their own. The caller provides
// positions in cells, 0 <= x < nx and so on, and rho, jx, jy, jz of nz ny nx nodes, x fastest.
#include <omp.h>

#include <cstdint>

#include "deposit.h"
#include "merge.h"
#include "rooftune/kept.h"
#include "rooftune/scratch.h"
#include "sorting.h"

using namespace pic_deposit_kernel;

constexpr bool uses_tiles = KNOB_SCATTER == KNOB_SCATTER_TILES;
/// Particles that a thread takes at once where they are not in tiles.
constexpr int64_t share = 4096;

struct State {
  rooftune::Scratch buffer_memory, particle_memory, count_memory;
  const int64_t* begin = nullptr;  ///< of every key, where particles are sorted
};
static rooftune::Kept<State> kept;

static double* own(rooftune::Scratch& memory, int64_t count) {
  return memory.reserve(count, KNOB_SCRATCH_HUGE_PAGES);
}

/// All threads' buffers, `stride` elements each.
struct Buffers {
  double* start;
  int64_t stride;
};
template <int Order>
static Buffers buffers(const Tiling& t) {
  const int64_t size = uses_tiles ? buffer_size<Order>(t.x.longest(), t.y.longest(), t.z.longest())
                                  : buffer_size<Order>(t.x.cells, t.y.cells, t.z.cells);
  const int64_t stride = (size + 7) / 8 * 8;
  return {own(kept->buffer_memory, omp_get_max_threads() * stride), stride};
}

template <int Order>
static void sort_particles(const Tiling& t, const CallerParticles& p) {
  static_assert(sizeof(int64_t) == sizeof(double), "counters take the place of doubles");
  double* const counters = own(kept->count_memory, count_size(t, omp_get_max_threads()));
  kept->begin = sort<Order>(t, p, own(kept->particle_memory, store_size(p.count)),
                            reinterpret_cast<int64_t*>(counters));
}

/// Particles in the variant's layout, in the order of the caller.
static void copy_particles(const CallerParticles& p) {
  double* const memory = own(kept->particle_memory, store_size(p.count));
  const Store layout = own_store(memory, p.count);
#pragma omp parallel for schedule(static)
  for (int64_t n = 0; n < p.count; ++n) put_particle(p, n, layout, memory, n);
}

/// Every thread a whole grid, then their sum.
template <int Order>
static void deposit_private(const Tiling& t, const Store& s, int64_t particles, const Grid& g) {
  const Buffers all = buffers<Order>(t);
  const Buffer<Order> first{all.start, t.x.cells, t.y.cells, t.z.cells, 0, 0, 0};
#pragma omp parallel
  {
    Buffer<Order> mine = first;
    mine.start += omp_get_thread_num() * all.stride;
    mine.clear();
#pragma omp for schedule(runtime)
    for (int64_t n = 0; n < (particles + share - 1) / share; ++n)
      deposit(mine, s, n * share, (n + 1) * share < particles ? (n + 1) * share : particles);
#pragma omp for schedule(static)
    for (int64_t z = 0; z < g.nz; ++z) sum_plane(first, omp_get_num_threads(), all.stride, g, z);
  }
}

/// All threads add to the grid itself.
template <int Order>
static void deposit_atomically(const Store& s, int64_t particles, const Grid& g) {
  constexpr int n = support<Order>;
  clear(g);
#pragma omp parallel for schedule(runtime)
  for (int64_t part = 0; part < (particles + share - 1) / share; ++part)
    for (int64_t p = part * share; p < (part + 1) * share && p < particles; ++p) {
      const double x = s(at_x, p), y = s(at_y, p), z = s(at_z, p);
      const int32_t fx = first_node<Order>(x), fy = first_node<Order>(y), fz = first_node<Order>(z);
      double wx[n], rows[n * n];
      weights(distance(x, fx), wx);
      set_rows<Order>(distance(y, fy), distance(z, fz), rows);
      const rooftune::Vector<4> m = moments_of(s, p);
      for (int r = 0; r < n * n; ++r)
        for (int a = 0; a < n; ++a) {
          const int64_t node = g.row(wrapped(fy + lowest<Order> + r % n, g.ny),
                                     wrapped(fz + lowest<Order> + r / n, g.nz)) +
                               wrapped(fx + lowest<Order> + a, g.nx);
          for (int k = 0; k < moments; ++k) add_atomically(g.of[k][node], wx[a] * rows[r] * m[k]);
        }
    }
}

template <int Order>
static void deposit_tile(const Tiling& t, const Store& s, const Grid& g, const Buffers& all,
                         int64_t x, int64_t y, int64_t z) {
  const int64_t tile = (z * t.y.count + y) * t.x.count + x;
  const int64_t from = kept->begin[t.first_key(tile)], to = kept->begin[t.first_key(tile + 1)];
  if (from == to) return;
  const Buffer<Order> b{all.start + omp_get_thread_num() * all.stride,
                        t.x.from(x + 1) - t.x.from(x),
                        t.y.from(y + 1) - t.y.from(y),
                        t.z.from(z + 1) - t.z.from(z),
                        t.x.from(x),
                        t.y.from(y),
                        t.z.from(z)};
  b.clear();
  deposit(b, s, from, to);
  merge_tile(b, t, g);
}

/// Tile by tile, in a buffer that stays in a near cache.
template <int Order>
static void deposit_tiles(const Tiling& t, const Store& s, const Grid& g) {
  const Buffers all = buffers<Order>(t);
  constexpr bool coloured = KNOB_MERGE == KNOB_MERGE_COLOUR;
  const int64_t cx = coloured ? t.x.colours() : 1, cy = coloured ? t.y.colours() : 1,
                cz = coloured ? t.z.colours() : 1;
  clear(g);
#pragma omp parallel
  for (int64_t colour = 0; colour < cx * cy * cz; ++colour) {
#pragma omp for schedule(runtime)
    for (int64_t tile = 0; tile < t.count(); ++tile) {
      const int64_t x = tile % t.x.count, y = tile / t.x.count % t.y.count,
                    z = tile / t.x.count / t.y.count;
      if (coloured && (t.z.colour(z) * cy + t.y.colour(y)) * cx + t.x.colour(x) != colour) continue;
      deposit_tile<Order>(t, s, g, all, x, y, z);
    }
  }
}

template <int Order>
static void prepare(const CallerParticles& p, const Grid& g) {
  const Tiling t = tiling<Order>(g.nx, g.ny, g.nz);
  buffers<Order>(t);
  if (sorts)
    sort_particles<Order>(t, p);
  else if (own_particles)
    copy_particles(p);
}

template <int Order>
static void call(const CallerParticles& p, const Grid& g) {
  const Tiling t = tiling<Order>(g.nx, g.ny, g.nz);
  if (KNOB_SORT == KNOB_SORT_CALL) sort_particles<Order>(t, p);
  Store s{};
  if (own_particles)
    s = own_store(own(kept->particle_memory, store_size(p.count)), p.count);
  else
    for (int q = 0; q < quantity_count; ++q) s.of[q] = p.of[q];
  if constexpr (uses_tiles)
    deposit_tiles<Order>(t, s, g);
  else if constexpr (KNOB_SCATTER == KNOB_SCATTER_ATOMIC)
    deposit_atomically<Order>(s, p.count, g);
  else
    deposit_private<Order>(t, s, p.count, g);
}

/// Memory, and what layout and order the variant's particles have when it does not sort each time.
void pic_deposit_prepare(int64_t nx, int64_t ny, int64_t nz, int64_t particles, int64_t order,
                         const double* x, const double* y, const double* z, const double* vx,
                         const double* vy, const double* vz, const double* w, double* rho,
                         double* jx, double* jy, double* jz) {
  const CallerParticles p{{x, y, z, w, vx, vy, vz}, particles};
  const Grid g{{rho, jx, jy, jz}, nx, ny, nz};
  order == 1 ? prepare<1>(p, g) : prepare<2>(p, g);
}

void pic_deposit(int64_t nx, int64_t ny, int64_t nz, int64_t particles, int64_t order,
                 const double* x, const double* y, const double* z, const double* vx,
                 const double* vy, const double* vz, const double* w, double* rho, double* jx,
                 double* jy, double* jz) {
  const CallerParticles p{{x, y, z, w, vx, vy, vz}, particles};
  const Grid g{{rho, jx, jy, jz}, nx, ny, nz};
  order == 1 ? call<1>(p, g) : call<2>(p, g);
}
