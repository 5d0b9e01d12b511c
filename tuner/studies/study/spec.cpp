#include "study/spec.h"

#include "core/error.h"
#include "store/study_record.h"

namespace rooftune::study {

const std::vector<std::string>& objective_words() {
  static const std::vector<std::string> words{"time", energy_objective, "mean", "minimax"};
  return words;
}

void set_objective(StudySpec& spec, const std::string& word) {
  spec.objective.reset();
  spec.ranked_by = word == energy_objective ? Figure::energy : Figure::time;
  if (word != energy_objective && word != "time") spec.objective = aim(word);
}

}  // namespace rooftune::study
