// The ceilings of a roofline view drawn into a panel, with separate labels.
#pragma once
#include "report/roofline_view.h"
#include "report/svg.h"

namespace rooftune::report {

/// Lines with a label; the others show their name when pointed at. `all`: the typical ones of their
/// paradigms as well.
enum class LabelChoice { important, all };

/// Where a line of the view enters and leaves the panel, in values.
struct LineSpan {
  double x1, y1, x2, y2;
  bool visible() const { return x2 > x1; }
};
/// Horizontals start at the fastest diagonal, diagonals end at the fastest horizontal: the roof's
/// shape.
LineSpan line_span(const RooflineLine& line, const RooflineView& view);

/// Draws all lines, faintest first.
void draw_lines(Markup& svg, const LogPanel& panel, const RooflineView& view);
/// Places labels of the lines where `layout` is free; returns how many found no place.
int draw_line_labels(Markup& svg, const LogPanel& panel, const RooflineView& view,
                     LabelLayout& layout, LabelChoice choice);

}  // namespace rooftune::report
