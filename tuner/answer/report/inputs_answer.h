// The answer for several inputs as text, table and page.
#pragma once
#include <string>

#include "core/json.h"
#include "report/html.h"
#include "study/result.h"

namespace rooftune::report {

/// "One configuration for 3 inputs: 1.83x [1.80, 1.86] faster than the baseline ..."
std::string inputs_sentence(const InputsAnswer& answer);
/// Gain of a choice per input, in words.
std::string gain_sentence(const InputsAnswer& answer);
/// A line per input, for terminal and page. `common`: the configuration of all.
HtmlTable inputs_table(const InputsAnswer& answer, const Configuration& common);
/// The input the rest of the report is about.
std::string shown_input_sentence(const InputsAnswer& answer);
Json to_json(const InputsAnswer& answer);

}  // namespace rooftune::report
