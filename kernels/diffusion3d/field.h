// Where the points of a box lie in memory, and the box copied from one place to another.
// The caller allocates size() elements, or from first() on for the padded layout.
#pragma once
#include <cstdint>

struct Box {
  std::int64_t nx, ny, nz;
  std::int64_t row, plane;  ///< elements from a row to the next, from a plane to the next

  std::int64_t at(std::int64_t z, std::int64_t y) const { return z * plane + y * row; }
  std::int64_t size() const { return nz * plane; }
  bool has_inner_points() const { return nx > 2 && ny > 2 && nz > 2; }
};

/// As the caller stores it: x fastest, nothing between rows.
inline Box packed(std::int64_t nx, std::int64_t ny, std::int64_t nz) {
  return {nx, ny, nz, nx, nx * ny};
}

/// Rows start on cache lines; `pad` elements more after every row and again after every plane.
inline Box padded(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t pad) {
  const std::int64_t row = (nx + 7) / 8 * 8 + pad;
  return {nx, ny, nz, row, row * ny + pad};
}

inline void copy_box(const Box& from, const double* source, const Box& to, double* target) {
#pragma omp parallel for schedule(static)
  for (std::int64_t z = 0; z < from.nz; ++z)
    for (std::int64_t y = 0; y < from.ny; ++y)
      for (std::int64_t x = 0; x < from.nx; ++x)
        target[to.at(z, y) + x] = source[from.at(z, y) + x];
}

/// The outermost layer only: what no time step writes.
inline void copy_boundary(const Box& box, const double* source, double* target) {
#pragma omp parallel for schedule(static)
  for (std::int64_t z = 0; z < box.nz; ++z)
    for (std::int64_t y = 0; y < box.ny; ++y) {
      const bool face = z == 0 || z == box.nz - 1 || y == 0 || y == box.ny - 1;
      const std::int64_t skip = face || box.nx == 1 ? 1 : box.nx - 1;
      for (std::int64_t x = 0; x < box.nx; x += skip)
        target[box.at(z, y) + x] = source[box.at(z, y) + x];
    }
}
