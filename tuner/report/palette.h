// Colours and line styles of the charts: one table for light and dark, safe for colour-blind eyes.
#pragma once
#include <cstddef>
#include <string>

namespace rooftune::inline report {

/// CSS of every class that the charts use: light (also for print) and, for dark screens, an
/// override. No custom properties: SVG renderers outside browsers do not know them.
std::string chart_style();
/// The class that colours a family of ceilings: "fam-L1", "fam-fp64"; "fam-other" for unknown ones.
std::string family_class(const std::string& family);

/// Studies beside each other: "study-0" fills and "study-0-line" strokes, up to study_colours.
constexpr std::size_t study_colours = 6;

}  // namespace rooftune::inline report
