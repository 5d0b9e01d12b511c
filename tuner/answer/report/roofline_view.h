// What a roofline chart shows, before anyone decides where a pixel or a character goes.
// Speeds are in units of `unit` per second (flop, item or call), intensities in unit per byte.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "study/result.h"

namespace rooftune::report {

/// A ceiling as a line: y = rate, or y = rate * x for bandwidth.
struct RooflineLine {
  std::string name;  ///< of its micro-kernel
  std::string
      words;  ///< "DRAM" of a roof, "fp64 without simd, tlp", "fp64 fma_add" where it lacks nothing
  std::string family;  ///< precision or level: lines of one colour
  bool diagonal = false;
  double rate = 0;           ///< unit/s, or B/s for diagonals
  double low = 0, high = 0;  ///< its interval, likewise
  Estimate seconds;          ///< of the problem at this ceiling; value 0 where it does not apply
  std::string rate_label;    ///< the ceiling's own figure: "31.0 GB/s"
  std::string hover;         ///< name, figure with interval, source, requirements; one per line
  bool roof = false;         ///< fastest of its family
  bool typical = true;  ///< fastest of its family with these requirements; others say little more
  Paradigms requirements;
  bool binding = false;
  /// The slowest that the best is past and the fastest that is ahead of it, as far as they apply.
  bool next = false;
  /// Meant for the kernel: that of its own mix (applicable_ceilings).
  bool own = false;
  bool applies = true;  ///< false: the problem moves nothing at that level
  std::optional<LedgerEntry::State> state;
  /// What a chart shows unasked: a roof for each level, and what lies next to the best.
  bool shown() const { return (roof && (applies || !diagonal)) || binding || next || own; }
};

/// A speed with its interval at an intensity.
struct RooflinePoint {
  double x = 0, y = 0, low = 0, high = 0;
  std::string label;
};

struct RooflineView {
  std::string unit = "flop";
  std::string level;                 ///< whose bytes x counts
  std::vector<RooflineLine> lines;   ///< roofs first, then by descending rate
  std::vector<RooflinePoint> walls;  ///< x only, name as label; left of the kernel's x
  std::optional<double> x;           ///< the kernel's intensity at `level`
  std::optional<RooflinePoint> bound, baseline, best;
  /// The best at what was counted at each level, else at the least of the other levels.
  std::vector<RooflinePoint> levels;
  /// Other configurations that were counted, at their intensity at `level`.
  std::vector<RooflinePoint> sample;
  double x_low = 0, x_high = 0, y_low = 0, y_high = 0;  ///< what the axes should span
};

RooflineView roofline_view(const StudyResult& report);
/// All ceilings of a machine that are rates, nothing else.
RooflineView machine_view(const Machine& machine);

}  // namespace rooftune::report
