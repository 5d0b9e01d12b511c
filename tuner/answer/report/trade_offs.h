// The further figures of a program's trials, and the trials that no other beats in all of them.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "report/html.h"
#include "study/result.h"

namespace rooftune::report {

/// Of the trial with this Trial::index, by name; empty without any.
const std::map<std::string, double>& further_figures(const StudyResult& result,
                                                     std::uint64_t trial);
/// The Pareto set of metric and figures with a direction, best metric first; empty without such
/// figures.
std::vector<const Trial*> trade_offs(const StudyResult& result);
/// A row for each of them, the first few.
HtmlTable trade_offs_table(const StudyResult& result);

}  // namespace rooftune::report
