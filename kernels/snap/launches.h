// The launches of SNAP and the device memory behind them.
// The caller prepares again when sizes, beta or arrays change.
#pragma once
#include "site.h"
#include "tables.h"

namespace snap_kernel {

using rooftune::ExecutionSpace;
using rooftune::Int32;
using rooftune::Int64;

/// Where the arrays of an atom start and how far its elements lie apart.
struct Sites {
  double* base;
  Int64 atoms, half, full;

  KOKKOS_INLINE_FUNCTION static Int64 elements(Int64 half, Int64 full) {
    return 2 * half + full + (rotates ? 4 * half : 0);
  }
  KOKKOS_INLINE_FUNCTION Site cut(double* at, Int64 stride, Int64 imaginary) const {
    const auto part = [&](Int64 from) { return DeviceView{at + from * stride, stride, imaginary}; };
    return {part(0), part(2 * half), part(half), part(2 * half + full)};
  }
  /// Right: an atom's elements together; left: an element of all atoms together.
  KOKKOS_INLINE_FUNCTION Site at(Int64 atom) const {
    if (KNOB_LAYOUT == KNOB_LAYOUT_RIGHT) return cut(base + atom * 2 * elements(half, full), 2, 1);
    return cut(base + atom, 2 * atoms, atoms);
  }
  /// In memory of a team's own.
  KOKKOS_INLINE_FUNCTION Site local(double* scratch) const { return cut(scratch, 2, 1); }
};

class Launches {
 public:
  void prepare(Int64 atoms, Int64 pairs, Int64 slots, int twojmax, const double* beta,
               const Int32* first, const Int32*, const Int32* mirror, const double* displacement,
               double* force, double* energy) {
    atoms_ = atoms;
    slots_ = slots;
    tables_.build(twojmax, beta + 1, true, false);
    copy_tables();
    first_.copy_in(first, atoms + 1);
    mirror_.copy_in(mirror, pairs);
    displacement_.copy_in(displacement, 3 * pairs);
    force_.copy_in(force, 3 * atoms);
    energy_.copy_in(energy, atoms);
    const Int64 half = half_offset(twojmax + 1), full = full_offset(twojmax + 1);
    const bool in_scratch = KNOB_POLICY == KNOB_POLICY_TEAM;
    const Int64 own = in_scratch ? 0 : atoms * 2 * Sites::elements(half, full);
    reserve(own + 3 * pairs);
    sites_ = {memory_, atoms, half, full};
    slopes_ = memory_ + own;
  }

  void run(double cutoff, double constant_energy) const {
    const Model model = {
        constants(),    tables_.twojmax,      cutoff,  constant_energy, first_.data(),
        mirror_.data(), displacement_.data(), slopes_, force_.data(),   energy_.data()};
#if KNOB_POLICY == KNOB_POLICY_TEAM
    team(model);
#elif KNOB_POLICY == KNOB_POLICY_MDRANGE
    stages(model);
#else
    atoms(model);
#endif
    each_atom(KOKKOS_LAMBDA(const Int64 i) { model.gather(i); });
    Kokkos::fence();
  }

  void finish() {
    force_.copy_out();
    energy_.copy_out();
  }

  /// An item per atom with all its stages.
  void atoms(const Model& model) const {
    const Sites sites = sites_;
    each_atom(KOKKOS_LAMBDA(const Int64 i) {
      const Site s = sites.at(i);
      model.clear(s);
      for (Int64 p = model.first[i]; p < model.first[i + 1]; ++p) model.sum(p, s, false);
      model.expand(s);
      model.couple(s);
      model.weigh(i, s);
      for (Int64 p = model.first[i]; p < model.first[i + 1]; ++p) model.slope(p, s);
    });
  }

  /// A launch per stage.
  void stages(const Model& model) const {
    const Sites sites = sites_;
    each_atom(KOKKOS_LAMBDA(const Int64 i) { model.clear(sites.at(i)); });
    each_pair(
        slots_, KOKKOS_LAMBDA(const Int64 i, const Int64 k) {
          const Int64 p = model.first[i] + k;
          if (p < model.first[i + 1]) model.sum(p, sites.at(i), true);
        });
    each_atom(KOKKOS_LAMBDA(const Int64 i) { model.expand(sites.at(i)); });
    if (shares_products)
      each_atom(KOKKOS_LAMBDA(const Int64 i) { model.couple(sites.at(i)); });
    else
      each_pair(
          sites_.half, KOKKOS_LAMBDA(const Int64 i, const Int64 e) {
            model.couple_element(static_cast<int>(e), sites.at(i));
          });
    each_atom(KOKKOS_LAMBDA(const Int64 i) { model.weigh(i, sites.at(i)); });
    each_pair(
        slots_, KOKKOS_LAMBDA(const Int64 i, const Int64 k) {
          const Int64 p = model.first[i] + k;
          if (p < model.first[i + 1]) model.slope(p, sites.at(i));
        });
  }

  /// A team per atom, its arrays in scratch memory.
  void team(const Model& model) const {
    using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
    using Member = typename Policy::member_type;
    using Scratch = Kokkos::View<double*, typename ExecutionSpace::scratch_memory_space,
                                 Kokkos::MemoryTraits<Kokkos::Unmanaged> >;
    const Sites sites = sites_;
    const auto doubles = static_cast<std::size_t>(2 * Sites::elements(sites.half, sites.full));
    Policy policy(static_cast<int>(atoms_), KNOB_TEAM_SIZE);
    if (KNOB_CHUNK > 0) policy.set_chunk_size(KNOB_CHUNK);
    policy.set_scratch_size(KNOB_SCRATCH_LEVEL,
                            Kokkos::PerTeam(static_cast<int>(Scratch::shmem_size(doubles))));
    Kokkos::parallel_for(
        policy, KOKKOS_LAMBDA(const Member& member) {
          const Scratch memory(member.team_scratch(KNOB_SCRATCH_LEVEL), doubles);
          const Site s = sites.local(memory.data());
          const Int64 i = member.league_rank(), from = model.first[i], to = model.first[i + 1];
          Kokkos::single(Kokkos::PerTeam(member), [&]() { model.clear(s); });
          member.team_barrier();
          Kokkos::parallel_for(Kokkos::TeamThreadRange(member, from, to),
                               [&](const Int64 p) { model.sum(p, s, member.team_size() > 1); });
          member.team_barrier();
          Kokkos::single(Kokkos::PerTeam(member), [&]() { model.expand(s); });
          member.team_barrier();
          if (shares_products)
            Kokkos::single(Kokkos::PerTeam(member), [&]() { model.couple(s); });
          else
            Kokkos::parallel_for(Kokkos::TeamThreadRange(member, sites.half), [&](const Int64 e) {
              model.couple_element(static_cast<int>(e), s);
            });
          member.team_barrier();
          Kokkos::single(Kokkos::PerTeam(member), [&]() { model.weigh(i, s); });
          member.team_barrier();
          Kokkos::parallel_for(Kokkos::TeamThreadRange(member, from, to),
                               [&](const Int64 p) { model.slope(p, s); });
        });
  }

 private:
  template <class F>
  void each_atom(const F& f) const {
    Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Int64> > policy(0, atoms_);
    if (KNOB_CHUNK > 0) policy.set_chunk_size(KNOB_CHUNK);
    Kokkos::parallel_for(policy, f);
  }

  /// All (atom, other) in tiles.
  template <class F>
  void each_pair(Int64 others, const F& f) const {
    constexpr Kokkos::Iterate order =
        KNOB_ITERATE == KNOB_ITERATE_LEFT ? Kokkos::Iterate::Left : Kokkos::Iterate::Right;
    using Policy = Kokkos::MDRangePolicy<ExecutionSpace, Kokkos::Rank<2, order, order>,
                                         Kokkos::IndexType<Int64> >;
#if KNOB_TILE_ATOMS > 0
    Kokkos::parallel_for(Policy({0, 0}, {atoms_, others}, {KNOB_TILE_ATOMS, KNOB_TILE_BONDS}), f);
#else
    Kokkos::parallel_for(Policy({0, 0}, {atoms_, others}), f);
#endif
  }

  void copy_tables() {
    root_.copy_in(tables_.root.data(), tables_.root.size());
    scale_.copy_in(tables_.scale.data(), tables_.scale.size());
    cg_.copy_in(tables_.cg.data(), tables_.cg.size());
    product_c_.copy_in(tables_.product_c.data(), tables_.product_c.size());
    couplings_.copy_in(tables_.couplings.data(), tables_.couplings.size());
    products_.copy_in(tables_.products.data(), tables_.products.size());
    target_first_.copy_in(tables_.target_first.data(), tables_.target_first.size());
    product_targets_.copy_in(tables_.product_targets.data(), tables_.product_targets.size());
  }

  Constants constants() const {
    Constants c = tables_.constants();
    c.root = root_.data();
    c.scale = scale_.data();
    c.cg = cg_.data();
    c.product_c = product_c_.data();
    c.coupling = couplings_.data();
    c.product = products_.data();
    c.target_first = target_first_.data();
    c.product_targets = product_targets_.data();
    return c;
  }

  void reserve(Int64 count) {
    if (count <= reserved_) return;
    if (memory_) Kokkos::kokkos_free<rooftune::DeviceSpace>(memory_);
    memory_ = static_cast<double*>(Kokkos::kokkos_malloc<rooftune::DeviceSpace>(
        static_cast<std::size_t>(count) * sizeof(double)));
    reserved_ = count;
  }

  Tables tables_;
  Sites sites_ = {};
  Int64 atoms_ = 0, slots_ = 0, reserved_ = 0;
  double *memory_ = nullptr, *slopes_ = nullptr;
  rooftune::DeviceArray<const double> root_, scale_, cg_, product_c_, displacement_;
  rooftune::DeviceArray<const Coupling> couplings_;
  rooftune::DeviceArray<const Product> products_;
  rooftune::DeviceArray<const int> target_first_, product_targets_;
  rooftune::DeviceArray<const Int32> first_, mirror_;
  rooftune::DeviceArray<double> force_, energy_;
};

}  // namespace snap_kernel
