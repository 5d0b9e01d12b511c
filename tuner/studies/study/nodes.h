// Other nodes at work on a study's search: each tries what it is given, in this order, and reports
// one trial after the other. The module host starts them; tests have synthetic ones.
#pragma once
#include <optional>
#include <string>

#include "core/list.h"
#include "space/knob.h"
#include "store/study_record.h"
#include "trial/trial.h"

namespace rooftune::study {

/// What a node reports: its baseline's trial when it is ready, then a trial for each configuration
/// that it was given, and at last its end.
struct NodeReport {
  std::string node;
  std::optional<Trial> trial = {};
  std::optional<Environment> environment = {};  ///< around the trial
  std::string ended = {};                       ///< why it does nothing more; empty: it works
};

class OtherNodes {
 public:
  /// Ends their work; what they still had in hand gets no report.
  virtual ~OtherNodes() = default;
  virtual std::string own_node() const = 0;  ///< where the study itself runs
  virtual Texts names() const = 0;
  /// The next report; nullopt if there is none yet or, if it is to `wait`, when no node is at work
  /// any more. Throws Interrupted.
  virtual std::optional<NodeReport> next(bool wait) = 0;
  /// `incumbent`: see Evaluator. That a node is gone shows in next().
  virtual void give(const std::string& node, const Configurations& configurations,
                    std::optional<double> incumbent) = 0;
};

/// Why a node whose baseline ran like `there` cannot take part; empty: it can. `here`: the
/// baseline's trial where the study runs.
std::string why_not_equal(const Trial& there, const Trial& here);

}  // namespace rooftune::study
