// Evaluates the manifest's expressions and fills the arrays.
// The caller uses kernels whose scalars are int64 or double and whose arrays are double.
#include "kernel_call.h"

#include <limits>
#include <optional>
#include <stdexcept>

#include "core/rng.h"

namespace rooftune::testing {
namespace {

Value value_of(const Expression& expression, const Facts& parameters) {
  return expression.evaluate([&](const std::string& name) -> std::optional<Value> {
    const auto found = parameters.find(name);
    if (found == parameters.end()) return std::nullopt;
    return found->second;
  });
}

}  // namespace

KernelCall::KernelCall(const Kernel& kernel, const Facts& parameters, Flush flush) {
  for (const Argument& argument : kernel.arguments)
    argument.pointer ? add_array(argument, parameters, flush) : add_scalar(argument, parameters);
}

void KernelCall::add_scalar(const Argument& argument, const Facts& parameters) {
  const Value value = value_of(argument.value, parameters);
  if (argument.type == Argument::Type::int64)
    arguments_.push_back(&integers_.emplace_back(value.integer()));
  else if (argument.type == Argument::Type::float64)
    arguments_.push_back(&reals_.emplace_back(value.real()));
  else
    throw std::logic_error("scalar type");
}

void KernelCall::add_array(const Argument& argument, const Facts& parameters, Flush flush) {
  if (argument.type != Argument::Type::float64) throw std::logic_error("array type");
  const auto count = static_cast<std::size_t>(value_of(argument.count, parameters).integer());
  arrays_.push_back({GuardedArray(count, flush), count});
  double* const data = arrays_.back().memory.data();
  Rng rng(arguments_.size(), 0);
  for (std::size_t i = 0; i < count; ++i)
    data[i] = argument.access == Argument::Access::write ? std::numeric_limits<double>::quiet_NaN()
                                                         : 0.5 + rng.unit();
  arguments_.push_back(data);
}

std::vector<std::vector<double>> KernelCall::arrays() const {
  std::vector<std::vector<double>> result;
  for (const Array& array : arrays_)
    result.emplace_back(array.memory.data(), array.memory.data() + array.count);
  return result;
}

}  // namespace rooftune::testing
