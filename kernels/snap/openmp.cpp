// SNAP energies and forces for OpenMP: with every knob at its default, atoms shared among threads,
// all four stages of an atom in turn, forces added atomically. The caller provides the bonds of
// atom i at first[i] .. first[i + 1] - 1, each with its mirror image, and calls snap_prepare first,
// again after a change of sizes, beta or threads.
#include <omp.h>

#include <cstdint>

#include "atoms.h"
#include "forces.h"
#include "rooftune/kept.h"
#include "tables.h"

namespace snap_kernel {
namespace {

struct Prepared {
  Tables tables;
  Forces forces;
  rooftune::Scratch memory;
};
rooftune::Kept<Prepared> kept;

constexpr std::int64_t lanes_step = atom_lanes;
constexpr std::int64_t neighbour_step = bonds_step;

/// Atoms that a thread takes through a stage together.
std::int64_t batch_room(std::int64_t atoms) {
  if (!batched) return atom_lanes;
  return team_stages ? atoms : KNOB_BATCH;
}

/// Cuts a batch for thread `mine` out of `memory`, which may be null.
std::int64_t place(Batch& batch, double* memory, std::int64_t atoms, std::int64_t slots,
                   std::int64_t mine) {
  return batch.place(memory, batch_room(atoms), slots, kept->tables.twojmax,
                     kept->tables.couplings.size(), team_stages ? omp_get_max_threads() : 1,
                     team_stages ? mine : 0);
}

/// Doubles per batch, a whole number of pages and a line apart so that threads share none.
std::int64_t batch_doubles(std::int64_t atoms, std::int64_t slots) {
  Batch batch;
  return (place(batch, nullptr, atoms, slots, 0) + 511) / 512 * 512 + 64;
}

double* reserve(std::int64_t atoms, std::int64_t slots) {
  const std::int64_t copies = team_stages ? 1 : omp_get_max_threads();
  return kept->memory.reserve(copies * batch_doubles(atoms, slots), KNOB_SCRATCH_HUGE_PAGES);
}

Batch make_batch(double* memory, std::int64_t atoms, std::int64_t slots) {
  Batch batch;
  const std::int64_t mine = omp_get_thread_num();
  const std::int64_t from = team_stages ? 0 : mine * batch_doubles(atoms, slots);
  place(batch, memory + from, atoms, slots, mine);
  return batch;
}

/// One batch from atom `first` on: its stages, each over all its atoms.
class Stages {
 public:
  Stages(const Context& context, const Batch& batch, std::int64_t first, std::int64_t slots,
         double* energy)
      : x_(context), batch_(batch), first_(first), slots_(slots), energy_(energy) {
    const std::int64_t left = context.atoms.count - first;
    count_ = left < batch.atoms ? left : batch.atoms;
  }

  void sum() const {
    if constexpr (neighbour_lanes > 1) {
      each_atom([&](std::int64_t a) {
        clear_atom(x_, batch_, a);
        for (std::int64_t k = 0; k < x_.atoms.bonds(first_ + a); k += neighbour_step) sum_at(a, k);
        add_lanes(batch_, a);
      });
    } else {
      each_atom([&](std::int64_t a) { clear_atom(x_, batch_, a); });
      each_bond([&](std::int64_t a, std::int64_t k) { sum_at(a, k); });
    }
    // Bonds of one atom that several threads took meet here.
    if (collapsed)
      each_atom([&](std::int64_t a) {
        for (std::int64_t k = 0; k < x_.atoms.most_bonds(first_ + a); ++k)
          add_stored(x_, batch_, first_, a, k);
      });
  }

  void couple() const {
    each_atom([&](std::int64_t a) { expand_atom(x_, batch_, a); });
    if constexpr (collapsed && by_target) {
      const int elements = half_offset(order_of(x_.twojmax) + 1);
#pragma omp for collapse(2) schedule(runtime)
      for (std::int64_t a = 0; a < count_; a += lanes_step)
        for (int e = 0; e < elements; ++e) couple_target(x_, batch_, a, e);
    } else {
      each_atom([&](std::int64_t a) { couple_atom(x_, batch_, a); });
    }
    each_atom([&](std::int64_t a) { weigh_atom(x_, batch_, first_, a, energy_); });
  }

  void slopes() const {
    if (stores_du)
      each_bond([&](std::int64_t a, std::int64_t k) { store_slope(x_, batch_, first_, a, k); });
    each_bond([&](std::int64_t a, std::int64_t k) {
      if constexpr (together > 1) {
        slopes_together(x_, batch_, first_, a, k, [&](int n, const Slopes& s) SNAP_INLINE {
          kept->forces.add(x_.atoms, first_ + a, k + n * neighbour_lanes, s.out);
        });
      } else if constexpr (stores_du) {
        BondLanes out[3];
        contract_stored(x_, batch_, a, k, out);
        kept->forces.add(x_.atoms, first_ + a, k, out);
      } else {
        const Slopes s = rotates ? slope_by_rotation(x_, batch_, first_, a, k)
                                 : slope_by_recursion(x_, batch_, first_, a, k);
        kept->forces.add(x_.atoms, first_ + a, k, s.out);
      }
    });
  }

 private:
  void sum_at(std::int64_t a, std::int64_t k) const {
    if constexpr (together > 1)
      sum_bonds(x_, batch_, first_, a, k);
    else
      sum_bond(x_, batch_, first_, a, k, !collapsed);
  }

  template <class F>
  void each_atom(const F& f) const {
    if constexpr (team_stages) {
#pragma omp for schedule(runtime)
      for (std::int64_t a = 0; a < count_; a += lanes_step) f(a);
    } else {
      for (std::int64_t a = 0; a < count_; a += lanes_step) f(a);
    }
  }

  template <class F>
  void each_bond(const F& f) const {
    const auto guarded = [&](std::int64_t a, std::int64_t k) {
      if (k < x_.atoms.most_bonds(first_ + a)) f(a, k);
    };
    if constexpr (collapsed && neighbour_outside) {
#pragma omp for collapse(2) schedule(runtime)
      for (std::int64_t k = 0; k < slots_; k += neighbour_step)
        for (std::int64_t a = 0; a < count_; a += lanes_step) guarded(a, k);
    } else if constexpr (collapsed) {
#pragma omp for collapse(2) schedule(runtime)
      for (std::int64_t a = 0; a < count_; a += lanes_step)
        for (std::int64_t k = 0; k < slots_; k += neighbour_step) guarded(a, k);
    } else if constexpr (neighbour_outside) {
      for (std::int64_t k = 0; k < slots_; k += neighbour_step)
        each_atom([&](std::int64_t a) { guarded(a, k); });
    } else {
      each_atom([&](std::int64_t a) {
        for (std::int64_t k = 0; k < slots_; k += neighbour_step) guarded(a, k);
      });
    }
  }

  const Context& x_;
  const Batch& batch_;
  std::int64_t first_, slots_, count_ = 0;
  double* energy_;
};

void run(const Context& x, double* memory, std::int64_t slots, double* energy) {
  const std::int64_t atoms = x.atoms.count;
#pragma omp parallel
  {
    const Batch batch = make_batch(memory, atoms, slots);
    const auto all_stages = [&](std::int64_t first) {
      const Stages stages(x, batch, first, slots, energy);
      stages.sum();
      stages.couple();
      stages.slopes();
    };
    if constexpr (team_stages) {
      all_stages(0);
    } else {
#pragma omp for schedule(runtime)
      for (std::int64_t first = 0; first < atoms; first += batch.atoms) all_stages(first);
    }
  }
}

}  // namespace
}  // namespace snap_kernel

void snap_prepare(std::int64_t atoms, std::int64_t pairs, std::int64_t max_neighbours,
                  std::int64_t twojmax, std::int64_t, double, const double* beta,
                  const std::int32_t*, const std::int32_t*, const std::int32_t*, const double*,
                  double*, double*) {
  using namespace snap_kernel;
  kept->tables.build(static_cast<int>(twojmax), beta + 1, by_target, KNOB_SORT_PRODUCTS);
  kept->forces.reserve(atoms, pairs);
  reserve(atoms, max_neighbours);
}

void snap(std::int64_t atoms, std::int64_t pairs, std::int64_t max_neighbours, std::int64_t twojmax,
          std::int64_t, double cutoff, const double* beta, const std::int32_t* first,
          const std::int32_t* neighbour, const std::int32_t* mirror, const double* displacement,
          double* force, double* energy) {
  using namespace snap_kernel;
  Context x;
  x.atoms = {atoms, cutoff, beta, first, neighbour, mirror, displacement};
  x.constants = kept->tables.constants();
  x.twojmax = static_cast<int>(twojmax);
  kept->forces.begin(x.atoms, pairs, force);
  run(x, reserve(atoms, max_neighbours), max_neighbours, energy);
  kept->forces.end(x.atoms);
}
