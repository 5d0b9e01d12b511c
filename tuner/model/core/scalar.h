// Numbers in expressions, and what operators and functions make from them.
#pragma once
#include <bit>
#include <compare>
#include <cstdint>
#include <span>

#include "core/expression.h"

namespace rooftune::core {

/// 16 bytes, comparable bit by bit. An operation without a result gives an undefined scalar, and so
/// does every operation on one.
struct Scalar {
  enum class Tag : int64_t { boolean, integer, real, text, undefined };
  enum class Reason : int64_t { division_by_zero, overflow, domain, type };

  Tag tag = Tag::integer;
  int64_t bits = 0;  ///< truth, integer, a text's identifier, reason, or the real's bits

  static Scalar boolean(bool v) { return {Tag::boolean, v ? 1 : 0}; }
  static Scalar integer(int64_t v) { return {Tag::integer, v}; }
  static Scalar real(double v) { return {Tag::real, std::bit_cast<int64_t>(v)}; }
  static Scalar text(int64_t identifier) { return {Tag::text, identifier}; }
  static constexpr Scalar undefined(Reason reason) { return {Tag::undefined, int64_t(reason)}; }

  bool is_number() const { return tag <= Tag::real; }
  bool is_whole() const { return tag <= Tag::integer; }  ///< integer or truth
  bool is_undefined() const { return tag == Tag::undefined; }
  Reason reason() const { return Reason(bits); }
  /// A number's value; integers round as Python's float() does.
  double as_real() const { return tag == Tag::real ? std::bit_cast<double>(bits) : double(bits); }
  bool truth() const { return tag == Tag::real ? as_real() != 0 : bits != 0; }
  bool operator==(const Scalar&) const = default;  ///< identity, not Python's ==
};
const char* to_text(Scalar::Reason reason);

/// Orders two numbers exactly (also an integer and a real), or two texts; others are unordered.
std::partial_ordering order(const Scalar& a, const Scalar& b);
/// + - * / // % ** | ^ & < <= > >= == != ; `in` and `not in` are no scalar operations.
Scalar apply(Operator op, const Scalar& a, const Scalar& b);
Scalar negated(const Scalar& a);
Scalar plus(const Scalar& a);
/// The functions on numbers: abs round int float bool min max ceil floor sqrt log2 exp log sin cos
/// pow; any other is undefined (type).
Scalar call(MathFunction function, std::span<const Scalar> arguments);

/// A number as scalar and back. Throws Error for texts and lists, undefined and text scalars.
Scalar as_scalar(const Value& number);
Value value(const Scalar& number);

}  // namespace rooftune::core
