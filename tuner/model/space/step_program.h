// Computations of one step of a diagram for the values of its knob. Building a diagram spends
// nearly all its time here (up to 200 million operations), and nearly all of them take two
// integers. So an operation runs for a block of values before the next one does: its kind is looked
// up once, not for each value, and values forbidden by a condition take no part in later
// operations. States come in the order of the knobs bound first: operations on these alone are
// computed first, and again only when they change.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "space/diagram_order.h"

namespace rooftune::space {

class StepProgram {
 public:
  static constexpr std::size_t block = 256;

  /// `before`: the step before, if any. The graph and the steps must outlive it.
  StepProgram(const ExpressionGraph& graph, const DiagramStep& step, const DiagramStep* before);

  /// Computes for the values of the step from number `begin` on, at most a block of them.
  /// `registers` hold the results of earlier steps; others are overwritten. Throws WrongTypes where
  /// they are a fault.
  void run(std::vector<Scalar>& registers, std::size_t begin, WrongTypePolicy policy);
  /// Values no condition forbids, counted from `begin`, ascending.
  std::span<const std::uint8_t> survivors() const { return {lanes_.data(), alive_}; }
  /// A survivor's results needed by later steps.
  void remember(const std::vector<Scalar>& registers, std::size_t lane,
                std::vector<Scalar>& key) const {
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = column(remembered_[i], registers)[lane];
  }

 private:
  /// Where an operand lies: in a register, the same for all values, or in a column of this step.
  struct Source {
    bool of_step = false;
    std::size_t at = 0;
    std::size_t depends_on = 0;  ///< as of an operation
  };
  struct Column {
    const Scalar* first;
    std::size_t stride;
    const Scalar& operator[](std::size_t lane) const { return first[lane * stride]; }
  };
  enum class Shape : std::uint8_t { binary, truth, other };
  struct Operation {
    ExpressionGraph::NodeId node;
    Shape shape;
    Operator code;
    bool condition;
    std::vector<Source> operands;
    std::size_t depends_on;  ///< number of the latest step before this one, from 1; 0: of none
  };
  /// Operations with the same latest step among their inputs, and the values left before them.
  struct Group {
    std::size_t depends_on, first;
    std::array<std::uint8_t, block> lanes{};
    std::size_t alive = 0;
  };

  Column column(const Source& source, const std::vector<Scalar>& registers) const {
    if (source.of_step) return {&columns_[source.at * width_], 1};
    return {&registers[source.at], 0};
  }
  Source source(ExpressionGraph::NodeId node) const;
  void add(std::size_t number);
  /// The first group in need of a new computation.
  std::size_t first_changed(const std::vector<Scalar>& registers, std::size_t begin);
  void run(std::size_t group, std::vector<Scalar>& registers, WrongTypePolicy policy);
  void keep(const Scalar* results, WrongTypePolicy policy);
  void compute(const Operation& operation, std::vector<Scalar>& registers, Scalar* results);
  void compute_binary(const Operation& operation, const Column& left, const Column& right,
                      Scalar* results) const;
  template <typename Quick>
  void each(Operator code, const Column& left, const Column& right, Scalar* results,
            Quick quick) const;

  const ExpressionGraph& graph_;
  const DiagramStep& step_;
  const DiagramStep* before_;
  std::size_t width_;                  ///< of a column
  std::vector<Operation> operations_;  ///< the n-th has column n + 1; the first is the knob's
  std::vector<std::size_t> order_;     ///< of the operations, by their inputs
  std::vector<Group> groups_;
  std::vector<Source> remembered_;
  std::vector<Scalar> last_;  ///< results remembered before this one's last run; may be empty
  std::vector<Scalar> columns_;
  std::array<std::uint8_t, block> lanes_{};
  std::size_t alive_ = 0;
};

}  // namespace rooftune::space
