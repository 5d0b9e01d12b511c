// NVRTC for tests that cannot do without it.
// The caller skips its test where there is none; that has been said then.
#pragma once
#include <catch2/catch.hpp>
#include <optional>

#include "build/cuda/nvrtc.h"
#include "core/error.h"

namespace rooftune::test {

/// The compiler for the architecture, if an NVRTC that knows it is here.
inline std::optional<GpuCompiler> nvrtc_for(int capability) {
  try {
    return choose_nvrtc(capability);
  } catch (const Error& error) {
    WARN("skipped for sm_" << capability << ": " << error.message());
    return std::nullopt;
  }
}

}  // namespace rooftune::test
