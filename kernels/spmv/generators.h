// Seeded matrices: regular grids, elasticity-like 3 x 3 blocks, power-law graphs, bands, an arrow,
// a dense one. The same kind, n and seed give the same matrix on every machine.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "limits.h"
#include "triplets.h"

namespace spmv_kernel {

using rooftune::RandomStream;

/// Where the rows are written: pointer [rows + 1], column and value [entries].
struct Target {
  std::int32_t* pointer;
  std::int32_t* column;
  double* value;
};

struct Shape {
  std::int64_t rows = 0, cols = 0, entries = 0;
};

/// A box of grid points, x fastest; `reach` neighbours to each side along each axis.
struct Grid {
  std::int64_t nx, ny, nz;
  bool faces_only;  ///< 5- and 7-point: only neighbours that share a face
  int unknowns;     ///< per point: each entry becomes a dense unknowns x unknowns block

  std::int64_t points() const { return nx * ny * nz; }
  static std::int64_t pairs(std::int64_t n) { return 3 * n - 2; }
  Shape shape() const {
    const std::int64_t links =
        faces_only ? points() + 2 * ((nx - 1) * ny * nz + nx * (ny - 1) * nz + nx * ny * (nz - 1))
                   : pairs(nx) * pairs(ny) * pairs(nz);
    return {points() * unknowns, points() * unknowns, links * unknowns * unknowns};
  }
};

/// Entry (a, b) of the block that couples a point with the one at (dx, dy, dz); for one unknown the
/// classic stencils (diagonal = number of neighbours inside), for three a spring: I + d d^T and a
/// weak full coupling, so that the matrix is symmetric and diagonally dominant.
inline double coupling(int unknowns, int a, int b, int dx, int dy, int dz) {
  if (unknowns == 1) return -1;
  const int d[3] = {dx, dy, dz};
  const double length = dx * dx + dy * dy + dz * dz;
  return -((a == b ? 1.0 : 0.0625) + d[a] * d[b]) / length;
}

/// Writes the rows of one grid point; `next` is the first free entry.
inline std::int32_t write_point(const Grid& g, std::int64_t x, std::int64_t y, std::int64_t z,
                                std::int32_t next, const Target& t) {
  const int m = g.unknowns;
  const std::int64_t point = x + g.nx * (y + g.ny * z);
  for (int a = 0; a < m; ++a) {
    double sum = 0;
    std::int32_t diagonal = next;
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          if (x + dx < 0 || x + dx >= g.nx || y + dy < 0 || y + dy >= g.ny || z + dz < 0 ||
              z + dz >= g.nz || (g.faces_only && dx * dx + dy * dy + dz * dz > 1))
            continue;
          const std::int64_t first = (point + dx + g.nx * (dy + g.ny * dz)) * m;
          const bool self = dx == 0 && dy == 0 && dz == 0;
          for (int b = 0; b < m; ++b, ++next) {
            if (self && a == b) diagonal = next;
            const double v = self ? (a == b ? 0 : 0.125) : coupling(m, a, b, dx, dy, dz);
            t.column[next] = static_cast<std::int32_t>(first + b);
            t.value[next] = v;
            sum += v < 0 ? -v : v;
          }
        }
    t.value[diagonal] = sum > 0 ? sum : 1;
    t.pointer[point * m + a + 1] = next;
  }
  return next;
}

inline void write_grid(const Grid& g, const Target& t) {
  t.pointer[0] = 0;
  std::int32_t next = 0;
  for (std::int64_t z = 0; z < g.nz; ++z)
    for (std::int64_t y = 0; y < g.ny; ++y)
      for (std::int64_t x = 0; x < g.nx; ++x) next = write_point(g, x, y, z, next, t);
}

/// R-MAT graph (Chakrabarti, Zhan, Faloutsos, SDM 2004) with the Graph500 probabilities, 2^scale
/// vertices and 16 edges per vertex before duplicates are added up.
inline Triplets rmat(int scale, std::uint64_t seed) {
  Triplets t;
  t.rows = t.cols = std::int64_t{1} << scale;
  const std::int64_t edges = 16 * t.rows;
  t.reserve(static_cast<std::size_t>(edges));
  RandomStream random(seed);
  for (std::int64_t e = 0; e < edges; ++e) {
    std::int64_t i = 0, j = 0;
    for (int level = 0; level < scale; level += 4) {
      // 16 bits decide one level: a probability is then exact to 1/65536.
      std::uint64_t bits = random.next();
      for (int l = level; l < level + 4 && l < scale; ++l, bits >>= 16) {
        const auto u = static_cast<unsigned>(bits & 0xffffu);
        const int quadrant = (u >= 37355) + (u >= 49807) + (u >= 62259);  // .57 .19 .19 .05
        i = 2 * i + (quadrant >> 1);
        j = 2 * j + (quadrant & 1);
      }
    }
    t.add(i, j, 1 - random.unit());
  }
  return t;
}

/// Diagonal and 15 random entries per row, at most n/64 (but 16) columns from it.
inline Triplets banded(std::int64_t n, std::uint64_t seed) {
  Triplets t;
  t.rows = t.cols = n;
  t.reserve(static_cast<std::size_t>(16 * n));
  RandomStream random(seed);
  const std::int64_t reach = n / 64 > 16 ? n / 64 : 16;
  for (std::int64_t i = 0; i < n; ++i) {
    t.add(i, i, 16);
    const std::int64_t low = i > reach ? i - reach : 0;
    const std::int64_t high = i + reach < n ? i + reach : n - 1;
    for (int k = 0; k < 15; ++k) t.add(i, low + random.below(high - low + 1), random.unit() - 0.5);
  }
  return t;
}

/// Dense first row, dense first column and the diagonal.
inline void write_arrow(std::int64_t n, std::uint64_t seed, const Target& t) {
  RandomStream random(seed);
  std::int32_t next = 0;
  t.pointer[0] = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; j += (i == 0 || j == i ? 1 : i)) {
      t.column[next] = static_cast<std::int32_t>(j);
      t.value[next++] = i == j ? static_cast<double>(n) : random.unit() - 0.5;
      if (i > 0 && j == i) break;
    }
    t.pointer[i + 1] = next;
  }
}

inline void write_dense(std::int64_t n, std::uint64_t seed, const Target& t) {
  RandomStream random(seed);
  std::int32_t next = 0;
  t.pointer[0] = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      t.column[next] = static_cast<std::int32_t>(j);
      t.value[next++] = random.unit() - 0.5;
    }
    t.pointer[i + 1] = next;
  }
}

}  // namespace spmv_kernel
