#include "space/step_program.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

namespace rooftune::space {
namespace {

using Kind = ExpressionGraph::Node::Kind;

/// Whether a double holds it exactly.
bool exact(const Scalar& scalar) {
  constexpr std::int64_t limit = std::int64_t{1} << 53;
  return scalar.tag == Scalar::Tag::real ||
         (scalar.tag == Scalar::Tag::integer && -limit < scalar.bits && scalar.bits < limit);
}

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace

StepProgram::StepProgram(const ExpressionGraph& graph, const DiagramStep& step,
                         const DiagramStep* before)
    : graph_(graph),
      step_(step),
      before_(before),
      width_(std::min(block, step.values.size())),
      columns_((step.program.size() + 1) * width_) {
  operations_.reserve(step.program.size());
  for (std::size_t n = 0; n < step.program.size(); ++n) add(n);
  for (const ExpressionGraph::NodeId node : step.remembered) remembered_.push_back(source(node));
  std::vector<std::size_t> order(operations_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return operations_[a].depends_on < operations_[b].depends_on;
  });
  for (const std::size_t n : order) {
    if (groups_.empty() || groups_.back().depends_on != operations_[n].depends_on)
      groups_.push_back({operations_[n].depends_on, order_.size()});
    order_.push_back(n);
  }
}

StepProgram::Source StepProgram::source(ExpressionGraph::NodeId node) const {
  if (const auto knob = graph_.knob_node(step_.knob); knob && *knob == node) return {true, 0, 0};
  for (std::size_t n = 0; n < operations_.size(); ++n)
    if (operations_[n].node == node) return {true, n + 1, operations_[n].depends_on};
  std::size_t depends_on = 0;
  for (std::size_t i = 0; before_ && i < before_->remembered.size(); ++i)
    if (before_->remembered[i] == node) depends_on = before_->since[i] + 1;
  return {false, node, depends_on};
}

void StepProgram::add(std::size_t number) {
  const ExpressionGraph::NodeId id = step_.program[number];
  const ExpressionGraph::Node& node = graph_.nodes()[id];
  const bool truth = node.kind == Kind::truth || node.kind == Kind::holds;
  Operation operation{id,
                      node.kind == Kind::binary ? Shape::binary
                      : truth                   ? Shape::truth
                                                : Shape::other,
                      static_cast<Operator>(node.code),
                      step_.condition[number],
                      {},
                      0};
  for (const ExpressionGraph::NodeId operand : node.operands) {
    operation.operands.push_back(source(operand));
    operation.depends_on = std::max(operation.depends_on, operation.operands.back().depends_on);
  }
  operations_.push_back(std::move(operation));
}

std::size_t StepProgram::first_changed(const std::vector<Scalar>& registers, std::size_t begin) {
  // Of more values than a block the columns hold those of another block.
  const bool known = !last_.empty() && step_.values.size() <= block;
  std::size_t changed = known ? SIZE_MAX : 0;
  if (before_) last_.resize(before_->remembered.size());
  for (std::size_t i = 0; i < last_.size(); ++i) {
    const Scalar& now = registers[before_->remembered[i]];
    if (!(last_[i] == now)) changed = std::min(changed, before_->since[i] + 1);
    last_[i] = now;
  }
  if (changed == 0 || groups_.empty()) {
    alive_ = std::min(block, step_.values.size() - begin);
    for (std::size_t i = 0; i < alive_; ++i) {
      lanes_[i] = static_cast<std::uint8_t>(i);
      columns_[i] = graph_.values(step_.knob)[step_.values[begin + i]];
    }
    return 0;
  }
  std::size_t group = 0;
  while (group < groups_.size() && groups_[group].depends_on < changed) ++group;
  if (group < groups_.size()) {
    alive_ = groups_[group].alive;
    std::copy_n(groups_[group].lanes.begin(), alive_, lanes_.begin());
  }
  return group;
}

void StepProgram::run(std::vector<Scalar>& registers, std::size_t begin, WrongTypePolicy policy) {
  for (std::size_t g = first_changed(registers, begin); g < groups_.size(); ++g) {
    groups_[g].alive = alive_;
    std::copy_n(lanes_.begin(), alive_, groups_[g].lanes.begin());
    if (alive_ > 0) run(g, registers, policy);
  }
}

void StepProgram::run(std::size_t group, std::vector<Scalar>& registers, WrongTypePolicy policy) {
  const std::size_t end =
      group + 1 < groups_.size() ? groups_[group + 1].first : operations_.size();
  for (std::size_t i = groups_[group].first; i < end && alive_ > 0; ++i) {
    const Operation& operation = operations_[order_[i]];
    Scalar* results = &columns_[(order_[i] + 1) * width_];
    compute(operation, registers, results);
    if (operation.condition) keep(results, policy);
  }
}

void StepProgram::keep(const Scalar* results, WrongTypePolicy policy) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < alive_; ++i) {
    const Scalar& result = results[lanes_[i]];
    const bool holds =
        result.tag == Scalar::Tag::boolean ? result.bits != 0 : condition_holds(result, policy);
    lanes_[kept] = lanes_[i];
    kept += holds ? 1 : 0;
  }
  alive_ = kept;
}

void StepProgram::compute(const Operation& operation, std::vector<Scalar>& registers,
                          Scalar* results) {
  if (operation.shape == Shape::binary)
    return compute_binary(operation, column(operation.operands[0], registers),
                          column(operation.operands[1], registers), results);
  for (const std::uint8_t lane : survivors()) {
    if (operation.shape == Shape::truth) {
      const Scalar& operand = column(operation.operands[0], registers)[lane];
      if (!operand.is_undefined()) {
        results[lane] = Scalar::boolean(operand.truth());
        continue;
      }
    }
    const auto& nodes = graph_.nodes()[operation.node].operands;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (operation.operands[i].of_step)
        registers[nodes[i]] = column(operation.operands[i], registers)[lane];
    results[lane] = graph_.result(operation.node, registers);
  }
}

/// `quick` computes with two integers or two reals; false where apply() must.
template <typename Quick>
void StepProgram::each(Operator code, const Column& left, const Column& right, Scalar* results,
                       Quick quick) const {
  for (const std::uint8_t lane : survivors()) {
    const Scalar &a = left[lane], &b = right[lane];
    Scalar& result = results[lane];
    const bool integers = a.tag == Scalar::Tag::integer && b.tag == Scalar::Tag::integer;
    const bool done = integers               ? quick(a.bits, b.bits, result)
                      : exact(a) && exact(b) ? quick(a.as_real(), b.as_real(), result)
                                             : false;
    if (!done) result = apply(code, a, b);
  }
}

void StepProgram::compute_binary(const Operation& operation, const Column& left,
                                 const Column& right, Scalar* results) const {
  const Operator code = operation.code;
  const auto arithmetic = [&](auto of_integers, auto of_reals) {
    each(code, left, right, results,
         Overloaded{[of_integers](std::int64_t a, std::int64_t b, Scalar& result) {
                      result.tag = Scalar::Tag::integer;
                      return of_integers(a, b, &result.bits);
                    },
                    [of_reals](double a, double b, Scalar& result) {
                      result = Scalar::real(of_reals(a, b));
                      return true;
                    }});
  };
  const auto comparison = [&](auto compare) {
    each(code, left, right, results, [compare](auto a, auto b, Scalar& result) {
      result = Scalar::boolean(compare(a, b));
      return true;
    });
  };
  switch (code) {
    case Operator::add:
      return arithmetic(
          [](auto a, auto b, auto* sum) { return !__builtin_add_overflow(a, b, sum); },
          std::plus<>());
    case Operator::subtract:
      return arithmetic(
          [](auto a, auto b, auto* rest) { return !__builtin_sub_overflow(a, b, rest); },
          std::minus<>());
    case Operator::multiply:
      return arithmetic(
          [](auto a, auto b, auto* product) { return !__builtin_mul_overflow(a, b, product); },
          std::multiplies<>());
    case Operator::modulo:
      return each(code, left, right, results,
                  Overloaded{[](std::int64_t a, std::int64_t b, Scalar& result) {
                               if (a < 0 || b <= 0) return false;
                               result = Scalar::integer(a % b);
                               return true;
                             },
                             [](double, double, Scalar&) { return false; }});
    case Operator::less:
      return comparison(std::less<>());
    case Operator::less_equal:
      return comparison(std::less_equal<>());
    case Operator::greater:
      return comparison(std::greater<>());
    case Operator::greater_equal:
      return comparison(std::greater_equal<>());
    case Operator::equal:
      return comparison(std::equal_to<>());
    case Operator::not_equal:
      return comparison(std::not_equal_to<>());
    default:
      for (const std::uint8_t lane : survivors())
        results[lane] = apply(code, left[lane], right[lane]);
  }
}

}  // namespace rooftune::space
