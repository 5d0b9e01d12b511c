// The in-core micro-kernels.
#include "probe/in_core_kernels.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "core/list.h"
#include "core/rng.h"
#include "probe/in_core_mix.h"
#include "roofline/machine.h"
#if defined(__x86_64__)
#include "probe/in_core_x86.h"
#elif defined(__aarch64__)
#include "probe/in_core_arm.h"
#endif

namespace rooftune::probe {
namespace {

template <class Real>
void fill(std::array<std::byte, 64>& vector, Real value) {
  std::array<Real, 64 / sizeof(Real)> lanes;
  lanes.fill(value);
  std::memcpy(vector.data(), lanes.data(), vector.size());
}

template <class Real>
InCoreOperands operands(Real c, Real d) {
  InCoreOperands result;
  fill<Real>(result.c, c);
  fill<Real>(result.d, d);
  Rng rng(20261121, 0);
  for (auto& vector : result.x) {
    std::array<Real, 64 / sizeof(Real)> lanes;
    for (Real& lane : lanes) lane = Real(0.25 + 0.5 * rng.unit());
    std::memcpy(vector.data(), lanes.data(), vector.size());
  }
  return result;
}

const InCoreMix& mix_named(const std::string& name) {
  const auto* const found = first_with(mixes, &InCoreMix::name, name);
  return found ? *found : *std::prev(std::end(mixes));
}

#if defined(__x86_64__) || defined(__aarch64__)

/// Kernels of these mixes on vectors of `Bits`.
template <Element Type, int Bits, Mix... Which>
struct Kernels {
  template <int Ilp, Mix One>
  static InCoreKernel kernel() {
    constexpr InCoreMix mix = mixes[int(One)];
    constexpr ElementRow element = elements[int(Type)];
    return {element.precision,
            mix.name,
            Bits,
            Ilp,
            Bits == 64 ? 1 : Bits / element.bits,
            instructions_for(Ilp),
            instructions_for(Ilp) / mix.parts * mix.fused,
            mix.fused > 0 && accumulates(Bits),
            vectors<Type, Bits, One, Ilp>};
  }
  template <int Ilp>
  static void add(InCoreKernels& kernels) {
    (kernels.push_back(kernel<Ilp, Which>()), ...);
  }
  /// The whole ladder of chain counts.
  static void add_ladder(InCoreKernels& kernels) {
    add<1>(kernels), add<2>(kernels), add<4>(kernels), add<8>(kernels), add<12>(kernels);
  }
};
template <Element Type, int Bits>
void add_precision(InCoreKernels& kernels, bool fma) {
  Kernels<Type, Bits, Mix::add, Mix::mul, Mix::add_mul>::add_ladder(kernels);
  // Only for throughput: as many chains as registers.
  Kernels<Type, Bits, Mix::div, Mix::sqrt>::template add<12>(kernels);
  if (fma) Kernels<Type, Bits, Mix::fma>::add_ladder(kernels);
  // The last rungs, where there are registers for them, and multiply-adds beside others.
  constexpr int chains = most_chains(Bits);
  if constexpr (chains > 15)
    Kernels<Type, Bits, Mix::add, Mix::mul, Mix::add_mul>::template add<chains>(kernels);
  if (!fma) return;
  if constexpr (chains > 15) Kernels<Type, Bits, Mix::fma>::template add<chains>(kernels);
  Kernels<Type, Bits, Mix::fma_add, Mix::fma2_add, Mix::fma_mul>::template add<chains>(kernels);
}
template <int Bits>
void add_width(InCoreKernels& kernels, bool fma) {
  add_precision<Element::fp64, Bits>(kernels, fma);
  add_precision<Element::fp32, Bits>(kernels, fma);
}
template <int Bits, Element... Types>
void add_vectors(InCoreKernels& kernels) {
  (Kernels<Types, Bits, Mix::add, Mix::mul, Mix::shift, Mix::compare>::template add<12>(kernels),
   ...);
}
template <int Bits>
void add_integers(InCoreKernels& kernels) {
  add_vectors<Bits, Element::int64, Element::int32, Element::int8>(kernels);
}

template <ScalarStep Step, int Ilp>
InCoreKernel scalar(const char* precision, const char* mix) {
  return {precision, mix, 64, Ilp, 1, 48, 0, false, scalars<Step, Ilp>};
}

#endif

}  // namespace

double flops_per_instruction(const std::string& mix) {
  return 1 + double(mix_named(mix).fused) / mix_named(mix).parts;
}

InCoreOperands timing_operands(const InCoreKernel& kernel) {
  InCoreMix mix = mix_named(kernel.mix);
  // x + c d, and x + c by turns: sums that come back, or are lost beside x.
  if (kernel.accumulates && mix.first == mix.second) mix.c = mix.d = 0x1p-30;
  if (kernel.accumulates && mix.second == Step::add) mix.d = -1.0 / (mix.parts - 1);
  if (kernel.precision == double_precision) return operands<double>(mix.c, mix.d);
  return operands<float>(float(mix.c), float(mix.d));
}

#if defined(__x86_64__) || defined(__aarch64__)
InCoreKernels integer_kernels(const CpuFeatures& features) {
  using enum ScalarStep;
  InCoreKernels kernels{
      scalar<add, 6>("int64", "add"),         scalar<add, 1>("int64", "add"),
      scalar<mul, 6>("int64", "mul"),         scalar<mul, 1>("int64", "mul"),
      scalar<shift, 6>("int64", "shift"),     scalar<compare, 6>("int64", "compare"),
      scalar<issue, 6>(Ceiling::issue, "any")};
  if (has_vectors(features, 512))
    add_integers<512>(kernels);
  else if (has_vectors(features, 256))
    add_integers<256>(kernels);
#if defined(__aarch64__)
  else if (has_vectors(features, 128))
    add_integers<128>(kernels);
#endif
  return kernels;
}

InCoreKernels in_core_kernels(const CpuFeatures& features) {
  InCoreKernels kernels;
  add_width<64>(kernels, features.fma);
  add_width<128>(kernels, features.fma);
  if (has_vectors(features, 256)) add_width<256>(kernels, features.fma);
  if (has_vectors(features, 512)) add_width<512>(kernels, features.fma);
  return kernels;
}
#else
InCoreKernels in_core_kernels(const CpuFeatures&) { return {}; }
InCoreKernels integer_kernels(const CpuFeatures&) { return {}; }
#endif

}  // namespace rooftune::probe
