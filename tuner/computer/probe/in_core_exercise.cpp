// The exercise of an in-core ceiling: the same operands on every thread, fresh before each visit.
#include <algorithm>

#include "probe/exercise.h"
#include "probe/in_core_kernels.h"

namespace rooftune::probe {
namespace {

class InCoreExercise final : public Exercise {
 public:
  InCoreExercise(InCoreKernel kernel, int threads)
      : kernel_(std::move(kernel)), operands_(static_cast<std::size_t>(threads)) {}

  void prepare(int index) override { own(index).operands = timing_operands(kernel_); }
  void work(int index) override { kernel_.run(amount, own(index).operands); }
  double units() const override {
    return static_cast<double>(amount) * kernel_.flops_per_iteration() *
           static_cast<double>(operands_.size());
  }

 private:
  struct alignas(128) Own {
    InCoreOperands operands;
  };
  Own& own(int index) { return operands_[static_cast<std::size_t>(index)]; }

  InCoreKernel kernel_;
  std::vector<Own> operands_;
};

}  // namespace

std::unique_ptr<Exercise> in_core_exercise(const Ceiling& ceiling, const CpuFeatures& features) {
  const auto kernels = in_core_kernels(features);
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const InCoreKernel& kernel) {
    return kernel.precision == ceiling.precision && kernel.mix == ceiling.mix &&
           kernel.simd_bits == ceiling.simd_bits && kernel.ilp == ceiling.ilp;
  });
  if (found == kernels.end()) return nullptr;
  return std::make_unique<InCoreExercise>(*found, ceiling.threads);
}

}  // namespace rooftune::probe
