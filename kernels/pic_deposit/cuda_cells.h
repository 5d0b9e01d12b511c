// Particles added cell by cell. A warp walks over cells and takes four particles at a time; a lane
// has one of them and one of the eight nodes around. Once a cell is done its lanes share out the
// sums, a node and a moment for each, and add them to the nodes: 32 numbers side by side in shared
// memory in place of 32 for every particle. Records come to shared memory ahead of their use.
// The caller keeps particles in the order of cells, as records, for shapes of order 1.
#pragma once
#include "cuda_deposit.h"

namespace pic_deposit_kernel {

/// Numbers of a record, x y z w vx vy vz and one that nobody reads, and from one to the next in
/// shared memory, where four of them lie in banks of their own.
constexpr int record = 8, record_stride = 10;
/// Records that a warp fetches in one turn, 16 bytes a lane. It may still read those of two turns
/// when KNOB_AHEAD are on their way.
constexpr int turn_records = 8, ring_records = (KNOB_AHEAD + 2) * turn_records;
constexpr int ring_numbers = ring_records * record_stride;
constexpr int team = 32, teams = KNOB_BLOCK / team, at_a_time = 4;

/// Cells [from, to) of one tile that a block takes at a time, counted in the tile.
struct CellPart {
  Int64 key;     ///< of the tile's first cell in the order
  int first[3];  ///< its first cell in the box
  int from, to;
};

/// Particles in the order of cells; behind the last is another turn of records.
struct CellParticles {
  const double* records;
  const Int64* begin;  ///< first particle of each cell, and the end twice
};

/// The nodes of a tile in shared memory, four moments each. Rows are so long that four neighbours
/// in a plane lie in banks of their own.
struct CellNodes {
  int cells_x, cells_y, row, plane, size;
};
ROOFTUNE_FUNCTION CellNodes cell_nodes(const Tiling& t) {
  const int x = static_cast<int>(t.x.longest()), y = static_cast<int>(t.y.longest()),
            z = static_cast<int>(t.z.longest());
  const int row = (x + 2) / 4 * 4 + 2, plane = row * (y + 1);
  return {x, y, row, plane, plane * (z + 1)};
}

/// Records on their way to a warp, in the order of memory.
struct RecordStream {
  double* ring;
  const double* next;               ///< what this lane fetches in the next turn
  int lane, to_fetch;               ///< turns
  unsigned ready = 0, fetched = 0;  ///< records

  __device__ __forceinline__ RecordStream(double* ring, const double* from, Int64 count, int lane)
      : ring(ring),
        next(from + 2 * lane),
        lane(lane),
        to_fetch(static_cast<int>((count + turn_records - 1) / turn_records)) {
#pragma unroll
    for (int a = 0; a < KNOB_AHEAD; ++a) fetch();
  }
  __device__ __forceinline__ double* at(unsigned n) const {
    return ring + n % ring_records * record_stride;
  }
  __device__ __forceinline__ void fetch() {
    if (--to_fetch >= 0) {
      const auto mine = static_cast<unsigned>(lane);
      rooftune::async_copy16(at(fetched + mine / 4) + mine % 4 * 2, next);
    }
    rooftune::async_commit();
    next += turn_records * record;
    fetched += turn_records;
  }
  /// At least so many records have arrived; those of two turns before are no longer read.
  __device__ __forceinline__ void await(unsigned count) {
    if (count <= ready) return;
    rooftune::async_wait<KNOB_AHEAD - 1>();
    rooftune::sync_warp();
    fetch();
    ready += turn_records;
  }
};

/// One lane of a team: what it gives of its particle to its node.
struct CellLane {
  int lane, mine, node[3];    ///< its particle of the four; the node, 0 or 1 along each axis
  double sign[3], offset[3];  ///< the share along an axis is sign x + offset
  double sum[moments];

  __device__ __forceinline__ explicit CellLane(int lane) : lane(lane), mine(lane % at_a_time) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      node[axis] = lane / at_a_time >> axis & 1;
      sign[axis] = node[axis] != 0 ? 1 : -1;
    }
  }
  /// d or 1 - d, d the distance from the cell's first node.
  __device__ __forceinline__ void place(int axis, int first) {
    offset[axis] = node[axis] != 0 ? -first : 1 + first;
  }
  /// `weighs`: the lane has a particle of its own.
  __device__ __forceinline__ void add(const double* p, bool weighs) {
    const auto* const pairs = reinterpret_cast<const double2*>(p);
    const double2 xy = pairs[0], zw = pairs[1], v = pairs[2];
    const double share = (sign[0] * xy.x + offset[0]) * (sign[1] * xy.y + offset[1]) *
                         (sign[2] * zw.x + offset[2]) * (weighs ? zw.y : 0);
    sum[0] += share;
    sum[1] += share * v.x;
    sum[2] += share * v.y;
    sum[3] += share * p[6];
  }
  /// The sum over the team's four particles of moment `mine` at the lane's node.
  __device__ __forceinline__ double shared_out() const {
    const bool high = (mine & 2) != 0, odd = (mine & 1) != 0;
    const double a = (high ? sum[2] : sum[0]) +
                     rooftune::shuffle(high ? sum[0] : sum[2], lane ^ 2, team),
                 b = (high ? sum[3] : sum[1]) +
                     rooftune::shuffle(high ? sum[1] : sum[3], lane ^ 2, team);
    return (odd ? b : a) + rooftune::shuffle(odd ? a : b, lane ^ 1, team);
  }
};

/// A team's share of the cells of a part. All lanes of a warp call it.
__device__ __forceinline__ void deposit_cells(const CellParticles& p, const CellPart& part,
                                              const CellNodes& nodes, double* sums, double* rings) {
  const int lane = static_cast<int>(threadIdx.x) % team,
            mine = static_cast<int>(threadIdx.x) / team;
  const int share = (part.to - part.from + teams - 1) / teams;
  const int from = part.from + share * mine, to = min(from + share, part.to);
  if (from >= to) return;
  const Int64* begin = p.begin + (part.key + from);
  Int64 start = begin[0], next = begin[1];
  RecordStream stream(rings + mine * ring_numbers, p.records + start * record,
                      p.begin[part.key + to] - start, lane);
  CellLane here(lane);
  int x = from % nodes.cells_x, y = from / nodes.cells_x % nodes.cells_y,
      z = from / nodes.cells_x / nodes.cells_y;
  unsigned at = 0;
  for (int left = to - from; left > 0;) {
    const int end = min(nodes.cells_x, x + left);
    left -= end - x;
    here.place(0, part.first[0] + x);
    here.place(1, part.first[1] + y);
    here.place(2, part.first[2] + z);
    double* target =
        sums +
        ((z + here.node[2]) * nodes.plane + (y + here.node[1]) * nodes.row + x + here.node[0]) *
            moments +
        here.mine;
    for (; x < end; ++x) {
      const int count = static_cast<int>(next - start);
      start = next;
      // Asked for before this cell's particles keep the warp busy.
      next = *(++begin + 1);
      if (count > 0) {
#pragma unroll
        for (double& sum : here.sum) sum = 0;
        for (int n = 0; n < count; n += at_a_time, at += at_a_time) {
          stream.await(at + at_a_time);
          const bool weighs = n + here.mine < count;
          here.add(stream.at(at + (weighs ? static_cast<unsigned>(here.mine) : 0)), weighs);
        }
        at -= static_cast<unsigned>(-count & (at_a_time - 1));
        atomicAdd(target, here.shared_out());
      }
      here.offset[0] -= here.sign[0];
      target += moments;
    }
    x = 0;
    if (++y == nodes.cells_y) {
      y = 0;
      ++z;
    }
  }
}

/// Adds the sums of a tile to the box and clears them: a team for each row of nodes.
__device__ __forceinline__ void give_rows(const CellNodes& local, const CellPart& part,
                                          const Box& box, const Nodes& nodes, double* sums) {
  const int lane = static_cast<int>(threadIdx.x) % team,
            mine = static_cast<int>(threadIdx.x) / team;
  const int rows_y = local.cells_y + 1, rows = local.size / local.row;
  const int nx = static_cast<int>(box.nx), ny = static_cast<int>(box.ny),
            nz = static_cast<int>(box.nz);
  for (int r = mine; r < rows; r += teams) {
    int y = part.first[1] + r % rows_y, z = part.first[2] + r / rows_y;
    y -= y >= ny ? ny : 0;
    z -= z >= nz ? nz : 0;
    const Int64 start = (Int64{z} * ny + y) * nx;
    double* const row = sums + r * local.row * moments;
    for (int n = lane; n < local.row * moments; n += team) {
      const double sum = row[n];
      // Nodes beyond a shorter tile hold nothing.
      if (sum == 0) continue;
      row[n] = 0;
      const int x = part.first[0] + n / moments;
      atomicAdd(nodes.at(start + (x >= nx ? x - nx : x), n % moments), sum);
    }
  }
}

}  // namespace pic_deposit_kernel
