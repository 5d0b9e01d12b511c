// What the in-core micro-kernels consist of, by numbers that their assembly knows.
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/error.h"
#include "core/modules.h"
#include "probe/in_core_kernels.h"

namespace rooftune::probe {

/// An instruction, as the assembly numbers them.
enum class Step { fused, add, mul, div, sqrt, shift, compare };

/// An instruction mix: its instructions in turn, and its operands for timing: finite, neither 0 nor
/// denormal, and bounded over any number of iterations (fma: x -> 1 - x; add: +c, -c; mul, div:
/// 5/4, 4/5; the others draw near to a value).
struct InCoreMix {
  const char* name;  ///< as in a ceiling
  int fused, parts;  ///< so many multiply-adds among so many instructions
  Step first, second;
  double c, d;
};
/// In the order of `mixes`.
enum class Mix { fma, add, mul, add_mul, fma_add, fma2_add, fma_mul, div, shift, compare, sqrt };
/// The last one stands for a mix unknown here.
constexpr InCoreMix mixes[] = {{"fma", 1, 1, Step::fused, Step::fused, -1, 1},
                               {"add", 0, 2, Step::add, Step::add, 0.8125, -0.8125},
                               {"mul", 0, 2, Step::mul, Step::mul, 1.25, 0.8},
                               {"add_mul", 0, 2, Step::add, Step::mul, 0.8125, 0.5},
                               {"fma_add", 1, 2, Step::fused, Step::add, -0.5, 0.8125},
                               {"fma2_add", 2, 3, Step::fused, Step::add, -0.5, 0.8125},
                               {"fma_mul", 1, 2, Step::fused, Step::mul, -0.5, 0.8125},
                               {"div", 0, 2, Step::div, Step::div, 1.25, 0.8},
                               {"shift", 0, 1, Step::shift, Step::shift, 0, 0},
                               {"compare", 0, 1, Step::compare, Step::compare, 0, 0},
                               {"sqrt", 0, 2, Step::sqrt, Step::sqrt, 0.8125, 0.5}};

/// Instructions per iteration: whole passes over the chains, and a multiple of every mix's period.
constexpr int instructions_for(int chains) { return chains > 12 ? 6 * chains : 48; }

/// A vector's elements, as the assembly numbers them.
enum class Element { fp64, fp32, int64, int32, int8 };
struct ElementRow {
  const char* precision;
  int bits;
};
constexpr ElementRow elements[] = {
    {double_precision, 64}, {single_precision, 32}, {"int64", 64}, {"int32", 32}, {"int8", 8}};

/// An instruction on registers for whole numbers; `issue` copies them, which needs no unit. (Empty
/// instructions would not do: some cores take two for one.)
enum class ScalarStep { add, shift, mul, compare, issue };

}  // namespace rooftune::probe
