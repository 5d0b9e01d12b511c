#include "report/palette.h"

#include <fmt/format.h>

#include <array>

namespace rooftune::inline report {
namespace {

/// One rule per class: property template with {} for the colour.
struct Rule {
  const char* selector;
  const char* property;
  const char* light;
  const char* dark;
};

// Hues after Okabe and Ito (2008), darkened on light and lightened on dark until text reads well.
constexpr std::array rules{
    Rule{".rt-bg", "fill", "#ffffff", "#12161c"},
    Rule{".rt-hollow", "fill", "#ffffff", "#12161c"},
    Rule{".rt-panel", "fill", "#fafbfc", "#171c23"},
    Rule{".rt-ink", "fill", "#1b2027", "#e8ebef"},
    Rule{".rt-soft", "fill", "#57606a", "#9da7b3"},
    Rule{".rt-halo", "stroke", "#fafbfc", "#171c23"},
    Rule{".rt-grid", "stroke", "#e3e7eb", "#262d36"},
    Rule{".rt-grid-minor", "stroke", "#f0f2f4", "#1d232b"},
    Rule{".rt-axis", "stroke", "#8b949e", "#606b77"},
    Rule{".rt-guide", "stroke", "#8b949e", "#606b77"},
    Rule{".rt-focus", "fill", "#0072b2", "#56b4e9"},
    Rule{".rt-binding", "stroke", "#1b2027", "#e8ebef"},
    Rule{".rt-wall", "stroke", "#a3478f", "#dd9ac6"},
    Rule{".rt-wall-text", "fill", "#8a3a79", "#dd9ac6"},
    Rule{".rt-trial", "fill", "#0072b2", "#56b4e9"},
    Rule{".rt-trial-line", "stroke", "#0072b2", "#56b4e9"},
    Rule{".rt-failed", "stroke", "#57606a", "#9da7b3"},
    Rule{".rt-best", "fill", "#00805f", "#2fc79c"},
    Rule{".rt-best-line", "stroke", "#00805f", "#2fc79c"},
    Rule{".rt-base", "fill", "#c04a00", "#f08c4a"},
    Rule{".rt-base-line", "stroke", "#c04a00", "#f08c4a"},
    Rule{".rt-path", "stroke", "#1b2027", "#e8ebef"},
    Rule{".rt-step", "fill", "#1b2027", "#e8ebef"},
    Rule{".rt-step-text", "fill", "#ffffff", "#12161c"},
    Rule{".rt-band", "fill", "#1b2027", "#e8ebef"},
    Rule{".rt-broken", "stroke", "#00805f", "#2fc79c"},
    Rule{".rt-touching", "stroke", "#b07800", "#f0c04a"},
    Rule{".rt-above", "stroke", "#8b949e", "#7d8894"},
    Rule{".rt-broken-text", "fill", "#00704f", "#2fc79c"},
    Rule{".rt-touching-text", "fill", "#8a5e00", "#f0c04a"},
    Rule{".rt-above-text", "fill", "#57606a", "#9da7b3"},
    Rule{".fam-fp64", "stroke", "#0072b2", "#56b4e9"},
    Rule{".fam-fp32", "stroke", "#a3478f", "#dd9ac6"},
    Rule{".fam-L1", "stroke", "#00805f", "#2fc79c"},
    Rule{".fam-L2", "stroke", "#b07800", "#f0c04a"},
    Rule{".fam-L3", "stroke", "#2a86a8", "#8ecfe8"},
    Rule{".fam-DRAM", "stroke", "#c04a00", "#f08c4a"},
    Rule{".fam-other", "stroke", "#57606a", "#9da7b3"},
    Rule{".fam-fp64-text", "fill", "#00609a", "#56b4e9"},
    Rule{".fam-fp32-text", "fill", "#8a3a79", "#dd9ac6"},
    Rule{".fam-L1-text", "fill", "#00704f", "#2fc79c"},
    Rule{".fam-L2-text", "fill", "#8a5e00", "#f0c04a"},
    Rule{".fam-L3-text", "fill", "#1f6f8d", "#8ecfe8"},
    Rule{".fam-DRAM-text", "fill", "#a84100", "#f08c4a"},
    Rule{".fam-other-text", "fill", "#57606a", "#9da7b3"},
    Rule{".study-0", "fill", "#0072b2", "#56b4e9"},
    Rule{".study-0-line", "stroke", "#0072b2", "#56b4e9"},
    Rule{".study-1", "fill", "#c04a00", "#f08c4a"},
    Rule{".study-1-line", "stroke", "#c04a00", "#f08c4a"},
    Rule{".study-2", "fill", "#00805f", "#2fc79c"},
    Rule{".study-2-line", "stroke", "#00805f", "#2fc79c"},
    Rule{".study-3", "fill", "#a3478f", "#dd9ac6"},
    Rule{".study-3-line", "stroke", "#a3478f", "#dd9ac6"},
    Rule{".study-4", "fill", "#8a5e00", "#f0c04a"},
    Rule{".study-4-line", "stroke", "#8a5e00", "#f0c04a"},
    Rule{".study-5", "fill", "#57606a", "#9da7b3"},
    Rule{".study-5-line", "stroke", "#57606a", "#9da7b3"},
};

constexpr const char* fixed_style =
    ".rt{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}"
    ".rt-halo{stroke-width:3.5px;stroke-linejoin:round;paint-order:stroke}";

}  // namespace

std::string chart_style() {
  std::string light, dark;
  for (const Rule& rule : rules) {
    light += fmt::format("{}{{{}:{}}}", rule.selector, rule.property, rule.light);
    dark += fmt::format("{}{{{}:{}}}", rule.selector, rule.property, rule.dark);
  }
  return fixed_style + light + "@media screen and (prefers-color-scheme:dark){" + dark + "}";
}

std::string family_class(const std::string& family) {
  const std::string wanted = ".fam-" + family;
  for (const Rule& rule : rules)
    if (wanted == rule.selector) return wanted.substr(1);
  return "fam-other";
}

}  // namespace rooftune::inline report
