// The answer for several inputs as text, table and page.
#pragma once
#include <string>

#include "core/json.h"
#include "study/result.h"

namespace rooftune::report {

struct TerminalStyle;
class Markup;

/// "One configuration for 3 inputs: 1.83x [1.80, 1.86] faster than the baseline ..."
std::string inputs_sentence(const InputsAnswer& answer);
/// Gain of a choice per input, in words.
std::string gain_sentence(const InputsAnswer& answer);
/// A table for the terminal: a line per input.
std::string inputs_table(const InputsAnswer& answer, const TerminalStyle& style);
/// The section of a page. `common`: the configuration of all.
void inputs_section(Markup& page, const InputsAnswer& answer, const Configuration& common);
Json to_json(const InputsAnswer& answer);

}  // namespace rooftune::report
