// Atoms in a periodic cubic box and the bonds between them, by a grid of cells.
// The caller keeps positions finite; they may lie outside of the box.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace snap {

struct Crystal {
  double edge = 0;                ///< of the box, in Angstrom
  std::vector<double> positions;  ///< [3 atoms]
  std::int64_t atoms() const { return static_cast<std::int64_t>(positions.size() / 3); }
};

/// Bonds shorter than the cutoff, those of atom i at first[i] .. first[i + 1] - 1.
struct Bonds {
  std::vector<std::int32_t> first, neighbour, mirror;
  std::vector<double> displacement;       ///< [3 bonds], from the atom to its neighbour
  std::vector<std::array<int, 3>> image;  ///< box in which the neighbour is seen
  std::int64_t coincident[2] = {-1, -1};  ///< two atoms at one place, -1: none
  std::int64_t largest() const {
    std::int64_t most = 0;
    for (std::size_t i = 0; i + 1 < first.size(); ++i)
      most = std::max<std::int64_t>(most, first[i + 1] - first[i]);
    return most;
  }
};

/// Body-centred cubic, two atoms per cell, x fastest, each moved by up to `amplitude` per
/// direction.
inline Crystal tungsten_crystal(std::int64_t cells, double edge, double amplitude,
                                std::uint64_t seed) {
  Crystal c;
  c.edge = edge * static_cast<double>(cells);
  c.positions.reserve(static_cast<std::size_t>(6 * cells * cells * cells));
  std::uint64_t state = seed * 2 + 1;
  const auto moved = [&](double x) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return x + amplitude * (static_cast<double>(state >> 11) * 0x1p-52 - 1);
  };
  for (std::int64_t z = 0; z < cells; ++z)
    for (std::int64_t y = 0; y < cells; ++y)
      for (std::int64_t x = 0; x < cells; ++x)
        for (const double centre : {0.0, 0.5}) {
          c.positions.push_back(moved((static_cast<double>(x) + centre) * edge));
          c.positions.push_back(moved((static_cast<double>(y) + centre) * edge));
          c.positions.push_back(moved((static_cast<double>(z) + centre) * edge));
        }
  return c;
}

/// Atoms of a grid of cells, each at least as wide as the cutoff where the box is.
class CellGrid {
 public:
  CellGrid(const Crystal& crystal, double cutoff)
      : edge_(crystal.edge), positions_(crystal.positions) {
    // More cells than atoms would only cost memory.
    const double most = std::cbrt(static_cast<double>(crystal.atoms())) + 1;
    cells_ = static_cast<int>(std::max(1.0, std::min(most, std::floor(edge_ / cutoff))));
    reach_ = static_cast<int>(std::ceil(cutoff * cells_ / edge_));
    members_.resize(static_cast<std::size_t>(cells_) * static_cast<std::size_t>(cells_) *
                    static_cast<std::size_t>(cells_));
    for (double& x : positions_) x -= edge_ * std::floor(x / edge_);
    for (std::int64_t i = 0; i < crystal.atoms(); ++i)
      members_[index(cell(i, 0), cell(i, 1), cell(i, 2))].push_back(static_cast<std::int32_t>(i));
  }

  /// visit(k, displacement, image) for all atoms k in reach of atom i.
  template <class Visit>
  void around(std::int64_t i, const Visit& visit) const {
    const int home[3] = {cell(i, 0), cell(i, 1), cell(i, 2)};
    int at[3];
    for (at[2] = home[2] - reach_; at[2] <= home[2] + reach_; ++at[2])
      for (at[1] = home[1] - reach_; at[1] <= home[1] + reach_; ++at[1])
        for (at[0] = home[0] - reach_; at[0] <= home[0] + reach_; ++at[0]) {
          std::array<int, 3> image;
          for (std::size_t c = 0; c < 3; ++c)
            image[c] = at[c] >= 0 ? at[c] / cells_ : -((-at[c] + cells_ - 1) / cells_);
          for (const std::int32_t k :
               members_[index(at[0] - image[0] * cells_, at[1] - image[1] * cells_,
                              at[2] - image[2] * cells_)])
            visit_one(i, k, image, visit);
        }
  }

 private:
  template <class Visit>
  void visit_one(std::int64_t i, std::int32_t k, const std::array<int, 3>& image,
                 const Visit& visit) const {
    std::array<double, 3> d;
    for (std::size_t c = 0; c < 3; ++c)
      d[c] = positions_[3 * static_cast<std::size_t>(k) + c] + image[c] * edge_ -
             positions_[3 * static_cast<std::size_t>(i) + c];
    const bool itself = k == i && image == std::array<int, 3>{0, 0, 0};
    if (!itself) visit(k, d, image);
  }
  int cell(std::int64_t i, int c) const {
    const double x = positions_[static_cast<std::size_t>(3 * i + c)];
    return std::min(cells_ - 1, static_cast<int>(x / edge_ * cells_));
  }
  std::size_t index(int x, int y, int z) const {
    return static_cast<std::size_t>((static_cast<std::int64_t>(z) * cells_ + y) * cells_ + x);
  }

  double edge_;
  std::vector<double> positions_;
  std::vector<std::vector<std::int32_t>> members_;
  int cells_ = 1, reach_ = 1;
};

/// Where each bond is seen from its other end.
inline void find_mirrors(Bonds& b) {
  b.mirror.resize(b.neighbour.size());
  for (std::size_t i = 0; i + 1 < b.first.size(); ++i)
    for (auto p = static_cast<std::size_t>(b.first[i]);
         p < static_cast<std::size_t>(b.first[i + 1]); ++p) {
      const auto k = static_cast<std::size_t>(b.neighbour[p]);
      const std::array<int, 3> back = {-b.image[p][0], -b.image[p][1], -b.image[p][2]};
      for (std::int32_t q = b.first[k]; q < b.first[k + 1]; ++q)
        if (b.neighbour[static_cast<std::size_t>(q)] == static_cast<std::int32_t>(i) &&
            b.image[static_cast<std::size_t>(q)] == back)
          b.mirror[p] = q;
    }
}

inline Bonds bonds(const Crystal& crystal, double cutoff) {
  const CellGrid grid(crystal, cutoff);
  Bonds b;
  b.first.push_back(0);
  for (std::int64_t i = 0; i < crystal.atoms(); ++i) {
    grid.around(
        i, [&](std::int32_t k, const std::array<double, 3>& d, const std::array<int, 3>& image) {
          const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
          if (square >= cutoff * cutoff) return;
          if (square < 1e-12) {
            b.coincident[0] = i;
            b.coincident[1] = k;
          }
          b.neighbour.push_back(k);
          b.image.push_back(image);
          b.displacement.insert(b.displacement.end(), d.begin(), d.end());
        });
    b.first.push_back(static_cast<std::int32_t>(b.neighbour.size()));
  }
  find_mirrors(b);
  return b;
}

}  // namespace snap
