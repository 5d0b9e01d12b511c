// The launches of SNAP on a GPU and the memory behind them; host code.
// The caller sets tables, bonds and fields, in this order, before it runs.
#pragma once
#include <vector>

#include "cuda_strips.h"

namespace snap_kernel {

class Launches {
 public:
  void tables(int twojmax, const double* beta) {
    tables_.build(twojmax, beta + 1, y_over == by_elements, KNOB_SORT_PRODUCTS);
    model_.constants = tables_.constants();
    copy(root_, tables_.root, model_.constants.root);
    copy(scale_, tables_.scale, model_.constants.scale);
    copy(cg_, tables_.cg, model_.constants.cg);
    copy(product_c_, tables_.product_c, model_.constants.product_c);
    copy(coupling_, tables_.couplings, model_.constants.coupling);
    copy(product_, tables_.products, model_.constants.product);
    copy(target_first_, tables_.target_first, model_.constants.target_first);
    copy(product_targets_, tables_.product_targets, model_.constants.product_targets);
    model_.order = twojmax;
    model_.constant_energy = beta[0];
    std::vector<Place> places;
    for (int j = 0; j <= twojmax; ++j)
      for (int mb = 0; 2 * mb <= j; ++mb)
        for (int ma = 0; ma <= j; ++ma) places.push_back({short(j), short(mb), short(ma)});
    model_.half_elements = static_cast<int>(places.size());
    model_.place = place_.copy_in(places.data(), model_.half_elements);
#if KNOB_FUSION == KNOB_FUSION_GROUPS
    strip_tables_.build(twojmax, beta + 1, most_columns, KNOB_Y_SUMS, teams);
    copy(share_, strip_tables_.share, model_.share);
    copy(strip_, strip_tables_.strips, model_.strip);
    copy(segment_, strip_tables_.segments, model_.segment);
    copy(strip_c_, strip_tables_.c, model_.strip_c);
#endif
  }

  void bonds(Int64 atoms, Int64 pairs, const Int32* first, const Int32* neighbour,
             const Int32* mirror, const double* displacement) {
    model_.atoms = atoms;
    model_.first = first_.copy_in(first, atoms + 1);
    model_.neighbour = neighbour_.copy_in(neighbour, pairs);
    model_.mirror = mirror_.copy_in(mirror, pairs);
    model_.displacement = displacement_.copy_in(displacement, 3 * pairs);
    model_.slopes = slopes_.reserve(3 * pairs);
    model_.force = force_.reserve(3 * atoms);
    model_.energy = energy_.reserve(atoms);
  }

  void fields(Int64 slots, double cutoff) {
    model_.slots = slots;
    model_.cutoff = cutoff;
    const Int64 half = model_.half_elements, full = full_offset(model_.order + 1);
    if (KNOB_FUSION == KNOB_FUSION_GROUPS)
      model_.bond_numbers =
          bond_numbers_.reserve(groups() * slots * group_atoms * bond_number_count);
    if (!stages_apart) return;
    field(model_.half, half_, half, 1);
    field(model_.full, full_, full, 1);
    field(model_.y, y_, half, 1);
    if (rotates) field(model_.weights, weights_, 4 * half, 1);
    if (stores_u) field(model_.stored_u, stored_u_, half, slots);
    if (stores_du) field(model_.stored_du, stored_du_, 4 * half, slots);
  }

  void run() const {
    if (model_.atoms == 0) return;
    if (atomic_forces) forces();
#if KNOB_FUSION == KNOB_FUSION_STAGES
    stages();
#elif KNOB_FUSION == KNOB_FUSION_GROUPS
    blocks_of_groups();
#else
    atoms();
#endif
    if (!atomic_forces) forces();
  }

  void finish(double* force, double* energy) const {
    force_.copy_out(force, 3 * model_.atoms);
    energy_.copy_out(energy, model_.atoms);
  }

 private:
  template <class T>
  static void copy(rooftune::DeviceBuffer<T>& buffer, const List<T>& from, const T*& to) {
    to = buffer.copy_in(from.data(), from.size());
  }

  void field(Field& f, rooftune::DeviceBuffer<double>& buffer, Int64 elements, Int64 slots) const {
    const Int64 together = layout_atoms > 0 ? layout_atoms : model_.atoms;
    f = {buffer.reserve(Field::doubles(model_.atoms, elements, slots, together)), elements, slots,
         together};
  }

  Int64 groups() const { return rooftune::blocks_for(model_.atoms, group_atoms); }

#if KNOB_FUSION == KNOB_FUSION_STAGES
  /// What picked() expects, for `others` items of every atom.
  rooftune::CudaSize grid_for(Int64 others, Int64 lanes = 1) const {
    const Int64 atoms = model_.atoms, row = atoms < row_atoms ? atoms : row_atoms;
    if (KNOB_FASTEST == KNOB_FASTEST_ATOMS)
      return {rooftune::blocks_for(atoms * lanes, KNOB_BLOCK), others};
    return {rooftune::blocks_for(row * others * lanes, KNOB_BLOCK),
            rooftune::blocks_for(atoms, row_atoms)};
  }
#endif

  void forces() const {
    ROOFTUNE_LAUNCH(snap_forces, rooftune::blocks_for(model_.atoms, force_threads), force_threads,
                    0, model_);
  }

#if KNOB_FUSION == KNOB_FUSION_STAGES
  void stages() const {
    const Int64 elements = model_.half_elements, others = others_of(model_.slots);
    const Int64 terms_of_y = y_over == by_atoms      ? 1
                             : y_over == by_elements ? elements
                                                     : terms(model_);
    ROOFTUNE_LAUNCH(snap_clear, grid_for(elements), KNOB_BLOCK, 0, model_);
    if (others > 0) ROOFTUNE_LAUNCH(snap_sum, grid_for(others, row_lanes), KNOB_BLOCK, 0, model_);
    ROOFTUNE_LAUNCH(snap_expand, grid_for(elements), KNOB_BLOCK, 0, model_);
    ROOFTUNE_LAUNCH(snap_couple, grid_for(terms_of_y), KNOB_BLOCK, 0, model_);
    ROOFTUNE_LAUNCH(snap_energy,
                    rooftune::blocks_for(model_.atoms * rooftune::warp_threads, KNOB_BLOCK),
                    KNOB_BLOCK, 0, model_);
    ROOFTUNE_LAUNCH(snap_weigh, grid_for(elements), KNOB_BLOCK, 0, model_);
    if (others == 0) return;
    ROOFTUNE_LAUNCH(snap_slopes, grid_for(others, row_lanes), KNOB_BLOCK, 0, model_);
    if (stores_du)
      ROOFTUNE_LAUNCH(snap_contract, grid_for(others, row_lanes), KNOB_BLOCK, 0, model_);
  }
#elif KNOB_FUSION == KNOB_FUSION_GROUPS
  void blocks_of_groups() const {
    if (model_.slots > 0)
      ROOFTUNE_LAUNCH(snap_geometry,
                      rooftune::CudaSize(rooftune::blocks_for(groups(), teams), model_.slots),
                      KNOB_BLOCK, 0, model_);
    ROOFTUNE_LAUNCH(snap_groups, groups(), KNOB_BLOCK, 8 * group_doubles, model_);
  }
#else
  void atoms() const {
    const Int64 shared_bytes =
        8 * KNOB_BLOCK_ATOMS * atom_doubles(model_.half_elements, full_offset(model_.order + 1));
    Int64 count = rooftune::blocks_for(model_.atoms, KNOB_BLOCK_ATOMS);
    if (KNOB_PERSISTENT) {
      const Int64 resident = ROOFTUNE_PERSISTENT_BLOCKS(snap_atoms, KNOB_BLOCK, shared_bytes);
      if (resident < count) count = resident;
    }
    ROOFTUNE_LAUNCH(snap_atoms, count, KNOB_BLOCK, shared_bytes, model_);
  }
#endif

  Tables tables_;
  StripTables strip_tables_;
  Model model_{};
  rooftune::DeviceBuffer<double> root_, scale_, cg_, product_c_, displacement_;
  rooftune::DeviceBuffer<Coupling> coupling_;
  rooftune::DeviceBuffer<Product> product_;
  rooftune::DeviceBuffer<int> target_first_, product_targets_, share_;
  rooftune::DeviceBuffer<Strip> strip_;
  rooftune::DeviceBuffer<Segment> segment_;
  rooftune::DeviceBuffer<double> strip_c_, bond_numbers_;
  rooftune::DeviceBuffer<Place> place_;
  rooftune::DeviceBuffer<Int32> first_, neighbour_, mirror_;
  rooftune::DeviceBuffer<double> slopes_, force_, energy_;
  rooftune::DeviceBuffer<double> half_, full_, y_, weights_, stored_u_, stored_du_;
};

}  // namespace snap_kernel
