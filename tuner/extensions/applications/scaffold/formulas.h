// Numbers of elements as formulas of a manifest.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/expression.h"
#include "core/list.h"

namespace rooftune::scaffold {

using Sizes = ByName<int64_t>;

/// As an Expression reads it: whole division, no casts and no suffixes of numbers.
std::string formula_of(const std::string& text);
/// The whole number that a text of C is; nullopt: it is none.
std::optional<int64_t> value_of(const std::string& text, const Expression::Lookup& lookup = {});
/// The first of `texts` that is `count`; else the number.
std::string formula_for(int64_t count, const Texts& texts, const Sizes& sizes);

}  // namespace rooftune::scaffold
