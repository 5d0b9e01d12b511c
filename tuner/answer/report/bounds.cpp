#include "report/bounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "report/figures.h"
#include "report/sentences.h"

namespace rooftune::report {
namespace {

Estimate estimate_of(const CeilingTime& time) {
  return {time.time.value(), time.low.value(), time.high.value()};
}

BoundRow row_of(const StudyResult& report, const CeilingTime& part) {
  const Roofline& roofline = report.roofline;
  if (roofline.machine.level(part.level))
    return {"any code", part.level + " traffic", estimate_of(part),
            fmt::format("{} must cross, each distinct byte once less what caches keep; no measured "
                        "stream of such a mix is faster than \"{}\"",
                        to_text(roofline.least_traffic(part.level).total()), part.ceiling)};
  if (roofline.work.least.contains(part.level))
    return {"any code", part.level + " work", estimate_of(part),
            fmt::format("{} {}; no measured mix of instructions is faster than \"{}\"",
                        count_text(roofline.work.least.at(part.level).value()),
                        roofline.work.operations.contains(part.level)
                            ? "flop, each kind of operation at its fastest"
                            : "flop in whatever mix",
                        part.ceiling)};
  if (part.level == to_text(Ceiling::Kind::launch))
    return {
        "any code", "launch", estimate_of(part),
        fmt::format("a call launches at least one kernel; no empty one was launched faster than "
                    "\"{}\"",
                    part.ceiling)};
  return {"any code", part.level, estimate_of(part), fmt::format("at \"{}\"", part.ceiling)};
}

}  // namespace

std::vector<BoundRow> bound_rows(const StudyResult& report) {
  std::vector<BoundRow> rows;
  for (const CeilingTime& part : report.bound.parts) rows.push_back(row_of(report, part));
  if (!space_sentence(report).empty())
    rows.push_back({"this space", "what its variants move", estimate_of(report.space_bound->time),
                    report.space_bound->because});
  std::stable_sort(rows.begin(), rows.end(), [](const BoundRow& a, const BoundRow& b) {
    return a.seconds.value < b.seconds.value;
  });
  if (const auto& reached = report.bound.reached)
    rows.push_back({"a micro-kernel (seen)", "the slowest part of the bound", estimate_of(*reached),
                    fmt::format("no bound: \"{}\" does as much in that time", reached->ceiling)});
  return rows;
}

}  // namespace rooftune::report
