// What one step of a diagram computes for each value of its knob. Building a diagram spends nearly
// all its time here (up to 200 million operations), and nearly all of them take two numbers: these
// run without a look at the graph, all others through it. Registers hold the operands; the graph
// must outlive the program.
#pragma once
#include <cstdint>
#include <vector>

#include "space/diagram_order.h"

namespace rooftune::inline space {

class StepProgram {
 public:
  StepProgram(const ExpressionGraph& graph, const DiagramStep& step) : graph_(graph) {
    using Kind = ExpressionGraph::Node::Kind;
    for (std::size_t i = 0; i < step.program.size(); ++i) {
      const ExpressionGraph::Node& node = graph.nodes()[step.program[i]];
      const bool truth = node.kind == Kind::truth || node.kind == Kind::holds;
      const bool binary = node.kind == Kind::binary;
      operations_.push_back({step.program[i], truth || binary ? node.operands[0] : 0,
                             binary ? node.operands[1] : 0, static_cast<Operator>(node.code),
                             binary  ? Shape::binary
                             : truth ? Shape::truth
                                     : Shape::other,
                             step.condition[i]});
    }
  }

  /// Computes in order; false at the first condition that is broken. Throws WrongTypes where they
  /// are a fault.
  bool survives(std::vector<Scalar>& registers, WrongTypePolicy policy) const {
    for (const Operation& operation : operations_) {
      Scalar& result = registers[operation.node];
      if (!quick(operation, registers, result)) result = graph_.result(operation.node, registers);
      if (!operation.condition) continue;
      if (result.tag == Scalar::Tag::boolean ? result.bits == 0 : !condition_holds(result, policy))
        return false;
    }
    return true;
  }

 private:
  enum class Shape : std::uint8_t { binary, truth, other };
  struct Operation {
    ExpressionGraph::NodeId node, left, right;
    Operator code;
    Shape shape;
    bool condition;
  };

  /// False where the graph must compute.
  static bool quick(const Operation& operation, const std::vector<Scalar>& registers,
                    Scalar& result) {
    const Scalar& left = registers[operation.left];
    if (operation.shape == Shape::binary)
      return quick(operation.code, left, registers[operation.right], result);
    if (operation.shape == Shape::other || left.is_undefined()) return false;
    result = Scalar::boolean(left.truth());
    return true;
  }
  /// As apply() does, for two integers or two reals that are no special case of theirs; else false.
  static bool quick(Operator code, const Scalar& left, const Scalar& right, Scalar& result) {
    if (left.tag == Scalar::Tag::integer && right.tag == Scalar::Tag::integer)
      return whole(code, left.bits, right.bits, result) ||
             compared(code, left.bits, right.bits, result);
    if (!exact(left) || !exact(right)) return false;
    return real(code, left.as_real(), right.as_real(), result) ||
           compared(code, left.as_real(), right.as_real(), result);
  }
  /// Whether a real stands for it.
  static bool exact(const Scalar& scalar) {
    constexpr std::int64_t limit = std::int64_t{1} << 53;
    return scalar.tag == Scalar::Tag::real ||
           (scalar.tag == Scalar::Tag::integer && -limit < scalar.bits && scalar.bits < limit);
  }
  static bool whole(Operator code, std::int64_t a, std::int64_t b, Scalar& result) {
    std::int64_t value = 0;
    switch (code) {
      case Operator::add:
        if (__builtin_add_overflow(a, b, &value)) return false;
        break;
      case Operator::subtract:
        if (__builtin_sub_overflow(a, b, &value)) return false;
        break;
      case Operator::multiply:
        if (__builtin_mul_overflow(a, b, &value)) return false;
        break;
      case Operator::modulo:
        if (a < 0 || b <= 0) return false;
        value = a % b;
        break;
      default:
        return false;
    }
    result = Scalar::integer(value);
    return true;
  }
  static bool real(Operator code, double a, double b, Scalar& result) {
    if (code == Operator::add)
      result = Scalar::real(a + b);
    else if (code == Operator::subtract)
      result = Scalar::real(a - b);
    else if (code == Operator::multiply)
      result = Scalar::real(a * b);
    else
      return false;
    return true;
  }
  template <typename Number>
  static bool compared(Operator code, Number a, Number b, Scalar& result) {
    switch (code) {
      case Operator::less:
        result = Scalar::boolean(a < b);
        return true;
      case Operator::less_equal:
        result = Scalar::boolean(a <= b);
        return true;
      case Operator::greater:
        result = Scalar::boolean(a > b);
        return true;
      case Operator::greater_equal:
        result = Scalar::boolean(a >= b);
        return true;
      case Operator::equal:
        result = Scalar::boolean(a == b);
        return true;
      case Operator::not_equal:
        result = Scalar::boolean(a != b);
        return true;
      default:
        return false;
    }
  }

  const ExpressionGraph& graph_;
  std::vector<Operation> operations_;
};

}  // namespace rooftune::inline space
