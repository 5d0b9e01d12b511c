// Element counts as formulas in a manifest.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/expression.h"
#include "core/list.h"

namespace rooftune::scaffold {

using Sizes = ByName<int64_t>;

/// The text as an Expression reads it: whole division, no casts and no number suffixes, and numbers
/// for the names that `lookup` knows.
std::string formula_of(const std::string& text, const Expression::Lookup& lookup = {});
/// The whole number that a C expression stands for; nullopt: it is none.
std::optional<int64_t> value_of(const std::string& text, const Expression::Lookup& lookup = {});
/// Knows the names that stand for whole numbers; `meanings` must outlive it.
Expression::Lookup values_in(const NamedTexts& meanings, int depth = 8);
/// The formula for the first text whose value is `count`; else the number itself.
std::string formula_for(int64_t count, const Texts& texts, const Sizes& sizes);

}  // namespace rooftune::scaffold
