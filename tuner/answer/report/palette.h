// Colours and line styles of the charts, in pages and in files of their own: page/palette.css.
// Hues after Okabe and Ito (2008), darkened on light and lightened on dark until text reads well.
// No custom properties: SVG renderers outside browsers do not know them.
#pragma once
#include <cstddef>
#include <string>

#include "core/modules.h"

namespace rooftune::report {

/// The class to colour a family of ceilings: "fam-L1", "fam-fp64"; "fam-other" for unknown ones.
std::string family_class(const std::string& family);

/// Studies beside each other: "study-0" fills and "study-0-line" strokes, up to study_colours.
constexpr std::size_t study_colours = 6;

}  // namespace rooftune::report
