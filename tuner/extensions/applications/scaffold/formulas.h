// Numbers of elements as formulas: C's expressions as those of kernel.json, and the formulas that a
// person would write.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/expression.h"
#include "core/modules.h"

namespace rooftune::scaffold {

using Sizes = std::map<std::string, std::int64_t>;
Expression::Lookup lookup_in(const Sizes& sizes);

/// As an Expression reads it: whole division, no casts and no suffixes of numbers.
std::string formula_of(const std::string& text);
/// The whole number that a text of C is; nullopt: it is none.
std::optional<std::int64_t> value_of(const std::string& text, const Expression::Lookup& lookup);
/// Formulas over these names: n, n + 1, n*m, (n + 2)*(m + 2), n*m*k and the like; simple ones
/// first.
std::vector<std::string> plain_formulas(const std::vector<std::string>& names);
/// The first of `texts`, then of the plain formulas, that is `count`; else the number.
std::string formula_for(std::int64_t count, const std::vector<std::string>& texts,
                        const Sizes& sizes);

}  // namespace rooftune::scaffold
