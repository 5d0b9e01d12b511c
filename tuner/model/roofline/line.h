// The lines that limit a problem on a machine: roofs, the ceilings below them, walls.
#pragma once
#include <string>
#include <vector>

#include "roofline/roofline.h"

namespace rooftune::roofline {

/// A limit on the way: a roof, a ceiling below it, or a wall.
struct Line {
  LedgerEntry::Kind kind;
  std::string wall;
  Paradigms lacks;
  CeilingTime time;
  Bytes bytes{0};  ///< a wall's, less what caches may keep
  Bytes plain{0};  ///< a wall's, all
};

/// A problem's lines, slowest first: ceilings and roofs by its least work and traffic, walls by
/// theirs; none faster than the bound, since such a line limits nothing.
std::vector<Line> lines(const Roofline& roofline);

}  // namespace rooftune::roofline
