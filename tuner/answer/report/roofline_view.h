// What a roofline chart shows, independent of pixels and characters. Speeds are in units of `unit`
// per second (flop, item or call), intensities in unit per byte.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "study/result.h"

namespace rooftune::report {

/// A ceiling as a line: y = rate, or y = rate * x for bandwidth.
struct RooflineLine {
  std::string name;    ///< its micro-kernel's
  std::string words;   ///< as in the table: "DRAM bandwidth", "DRAM without prefetch"
  std::string family;  ///< precision or level: lines that share a colour
  bool diagonal = false;
  double rate = 0;         ///< unit/s, or B/s for diagonals
  std::string rate_label;  ///< the ceiling's own figure: "31.0 GB/s"
  std::string hover;       ///< name, figure with interval, source, requirements; one per line
  bool roof = false;       ///< fastest in its family
  bool typical = true;  ///< fastest in its family with these requirements; others say little more
  Paradigms requirements;
  bool binding = false;
  bool broken = false;  ///< by a step in the staircase
};
using RooflineLines = std::vector<RooflineLine>;

/// A speed with its interval at an intensity.
struct RooflinePoint {
  double x = 0, y = 0, low = 0, high = 0;
  std::string label;
  std::optional<size_t> stair = {};  ///< its place in the staircase
  bool counted = true;               ///< false: it stands at its neighbours' intensity
};

struct RooflineView {
  std::string unit = "flop";
  std::string level;                 ///< the level at which the bytes in x are counted
  RooflineLines lines;               ///< roofs first, then by descending rate
  std::vector<RooflinePoint> walls;  ///< x only, name as label; left of `x`
  std::optional<double> x;           ///< intensity with the least traffic at `level`
  std::optional<RooflinePoint> bound;
  /// The staircase's configurations with a time; without a staircase baseline and best.
  std::vector<RooflinePoint> stairs;
  double x_low = 0, x_high = 0, y_low = 0, y_high = 0;  ///< what the axes span
};

/// A study's view: the roofs for the charted level and the work, the ceilings that a step broke,
/// and the next ones ahead of the winner.
RooflineView roofline_view(const StudyResult& result);
/// All of a machine's ceilings with rates, nothing else.
RooflineView machine_view(const Machine& machine);

/// Where a line enters and leaves the picture, in values.
struct LineSpan {
  double x1, y1, x2, y2;
  bool visible() const { return x2 > x1; }
};
/// Horizontals start at the fastest diagonal, diagonals end at the fastest horizontal: the roof's
/// shape.
LineSpan line_span(const RooflineLine& line, const RooflineView& view);

}  // namespace rooftune::report
