// The climb: an enlarged strip of the roofline at the kernel's intensity, in which the path from
// the baseline to the best rises through ceilings and walls as a staircase, with every trial as a
// point.
#pragma once
#include "report/roofline_view.h"
#include "report/svg.h"

namespace rooftune::inline report {

/// The speeds that the strip spans.
struct ClimbSpan {
  double low = 0, high = 0;
};
ClimbSpan climb_span(const StudyResult& report);

/// Draws the strip into [left, right] x [top, bottom]; labels of ceilings go to the right, up to
/// `limit`.
void draw_climb(Markup& svg, const StudyResult& report, double left, double top, double right,
                double bottom, double limit, double unit);

}  // namespace rooftune::inline report
