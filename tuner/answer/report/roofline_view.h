// Content of a roofline chart, independent of pixels and characters.
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
  /// The slowest behind the best and the fastest ahead of it, as far as they apply.
  bool next = false;
  /// Meant for the kernel: of its own mix (applicable_ceilings).
  bool own = false;
  bool applies = true;  ///< false: the problem moves nothing at its level
  bool listed = false, passed = false;  ///< in the ledger; by a step of the staircase
  /// Shown by default: a roof for each level, and the ceilings next to the best.
  bool shown() const { return (roof && (applies || !diagonal)) || binding || next || own; }
  /// As the scripts of pages read it.
  static void fields(auto& self, auto& visit) {
    visit("words", self.words)("family", self.family)("diagonal", self.diagonal)("rate", self.rate);
    visit("low", self.low)("high", self.high)("label", self.rate_label)("hover", self.hover);
    visit("roof", self.roof)("typical", self.typical)("binding", self.binding)("next", self.next);
    visit("own", self.own)("applies", self.applies);
  }
};

/// A speed with its interval at an intensity.
struct RooflinePoint {
  double x = 0, y = 0, low = 0, high = 0;
  std::string label;
  static void fields(auto& self, auto& visit) {
    visit("x", self.x)("y", self.y)("low", self.low)("high", self.high)("label", self.label);
  }
};

struct RooflineView {
  std::string unit = "flop";
  std::string level;                 ///< level of the bytes in x
  std::vector<RooflineLine> lines;   ///< roofs first, then by descending rate
  std::vector<RooflinePoint> walls;  ///< x only, name as label; left of the kernel's x
  std::optional<double> x;           ///< the kernel's intensity at `level`
  std::optional<RooflinePoint> bound, baseline, best;
  /// The best at the counted intensity of each level, else at the least of the other levels.
  std::vector<RooflinePoint> levels;
  double x_low = 0, x_high = 0, y_low = 0, y_high = 0;  ///< range of the axes
  static void fields(auto& self, auto& visit) {
    visit("unit", self.unit)("level", self.level)("lines", self.lines)("walls", self.walls);
    visit("x", self.x)("bound", self.bound)("baseline", self.baseline)("best", self.best);
    visit("levels", self.levels);
  }
};

RooflineView roofline_view(const StudyResult& result);
/// All ceilings of a machine with rates, nothing else.
RooflineView machine_view(const Machine& machine);

/// Where a line of the view enters and leaves the picture, in values.
struct LineSpan {
  double x1, y1, x2, y2;
  bool visible() const { return x2 > x1; }
};
/// Horizontals start at the fastest diagonal, diagonals end at the fastest horizontal: the roof's
/// shape.
LineSpan line_span(const RooflineLine& line, const RooflineView& view);

}  // namespace rooftune::report
