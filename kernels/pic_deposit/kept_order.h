// Particles put in order on the host, once, where an application would keep them so (sort = kept).
#pragma once
#include <vector>

#include "gift.h"

namespace pic_deposit_kernel {

struct KeptOrder {
  std::vector<double> of[quantity_count];
  std::vector<Int64> begin;       ///< first particle of each key, and the end
  std::vector<Int64> tile_begin;  ///< of each tile, and the end

  /// Calls put(particle, place in the order) for all.
  template <int Order, class Put>
  void order(const Box& box, const Particles& from, const Put& put) {
    const Tiling t = tiling<Order>(box.nx, box.ny, box.nz);
    std::vector<Int64> table(static_cast<std::size_t>(table_size(t)));
    const Keys key = keys(t, table.data());
    const auto key_of = [&](Int64 n) {
      return static_cast<std::size_t>(key(first_node<Order>(from(at_x, n)),
                                          first_node<Order>(from(at_y, n)),
                                          first_node<Order>(from(at_z, n))));
    };
    begin.assign(static_cast<std::size_t>(t.keys() + 1), 0);
    for (Int64 n = 0; n < from.count; ++n) ++begin[key_of(n) + 1];
    for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
    tile_begin.resize(static_cast<std::size_t>(t.count() + 1));
    for (std::size_t tile = 0; tile < tile_begin.size(); ++tile)
      tile_begin[tile] = begin[static_cast<std::size_t>(t.first_key(static_cast<Int64>(tile)))];
    std::vector<Int64> next = begin;
    for (Int64 n = 0; n < from.count; ++n) put(n, next[key_of(n)]++);
  }
  template <int Order>
  void sort(const Box& box, const Particles& from) {
    for (auto& quantity : of) quantity.resize(static_cast<std::size_t>(from.count));
    order<Order>(box, from, [&](Int64 n, Int64 to) {
      for (int q = 0; q < quantity_count; ++q) of[q][static_cast<std::size_t>(to)] = from(q, n);
    });
  }
};

}  // namespace pic_deposit_kernel
