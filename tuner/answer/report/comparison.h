// Comparison of studies of one kernel: machines, nights, compilers, back ends.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "report/html.h"
#include "study/result.h"

namespace rooftune::report {

/// One study among the others.
struct ComparedStudy {
  std::string name;                  ///< distinct from the others: "a100, cuda"
  std::optional<double> efficiency;  ///< bound over the best's time; absent: no bound or no best
  std::optional<double> loss;        ///< time of the common configuration over the fastest trial's
};

/// Efficiencies are of the roofline: reached share of the machine's limit. Their harmonic mean is
/// the performance portability of S. J. Pennycook, J. D. Sewall, V. W. Lee (FGCS 92, 2019).
struct Comparison {
  std::vector<ComparedStudy> studies;   ///< in the order given
  std::optional<double> portability;    ///< absent where one has no efficiency
  std::optional<Configuration> common;  ///< tried in all: the least geometric mean of losses
  std::string no_common_because;        ///< said when `common` is absent
};

/// Throws Error for studies of several kernels, and fewer than two.
Comparison compare(const std::vector<StudyResult>& studies);
/// "spmv reaches 43 % of what the machines can do (harmonic mean of 3): most on a, least on b."
std::vector<std::string> comparison_sentences(const std::vector<StudyResult>& studies,
                                              const Comparison& comparison);
/// Colours of studies beside each other: study-0 and so on in page/palette.css.
constexpr std::size_t study_colours = 6;
/// Their roofs and best times as one log-log roofline.
std::string comparison_svg(const std::vector<StudyResult>& studies, const Comparison& comparison);
/// A row for each study: best, bound, efficiency, speed-up, loss by the common configuration.
HtmlTable compared_table(const std::vector<StudyResult>& studies, const Comparison& comparison);
/// A page of all; `date`: when it was made, empty to leave it out.
std::string comparison_page(const std::vector<StudyResult>& studies, const Comparison& comparison,
                            const std::string& date);

/// For a paper, in Markdown. A row for baseline, best and each tie: time per call with its
/// interval, speed, gap and factors.
std::string paper_table(const StudyResult& study);
/// The same of several studies: best, bound, efficiency, speed-up, loss by the common
/// configuration.
std::string paper_table(const std::vector<StudyResult>& studies, const Comparison& comparison);

}  // namespace rooftune::report
