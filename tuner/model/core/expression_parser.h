// Text to expression tree by recursive descent.
#pragma once
#include <string>
#include <vector>

#include "core/expression_node.h"

namespace rooftune::core {

/// Throws Error with the column of the fault.
ExpressionNode::Pointer parse_expression(const std::string& text);
/// " at column 7 of "a + )"": the text is cut around the column.
std::string place_in_expression(const std::string& text, std::size_t column);

}  // namespace rooftune::core
