// Places of the labels of a chart, without overlaps or cut ends. Boxes are in pixels, y downwards;
// texts are measured with generous widths, since fonts differ.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/modules.h"

namespace rooftune::report {

/// Width of a text in a sans-serif font of `size` px; an over-estimate for common fonts.
double text_width(std::string_view text, double size);

/// A rectangle, perhaps rotated about its centre.
struct Box {
  double x = 0, y = 0;  ///< centre
  double width = 0, height = 0;
  double angle = 0;  ///< degrees, clockwise on screen (as SVG's rotate)
};
bool overlap(const Box& a, const Box& b);

/// Remembers used places, and takes the first free candidate.
class LabelLayout {
 public:
  /// Labels must stay inside [left, right] x [top, bottom].
  LabelLayout(double left, double top, double right, double bottom)
      : left_(left), top_(top), right_(right), bottom_(bottom) {}
  void take(const Box& box) { taken_.push_back(box); }
  /// The first free candidate, then taken; nullopt when there is none.
  std::optional<Box> place(const std::vector<Box>& candidates);

 private:
  bool free(const Box& box) const;
  double left_, top_, right_, bottom_;
  std::vector<Box> taken_;
};

}  // namespace rooftune::report
