// The modules. Each has its own namespace; they are inline, so code says rooftune::Trial or Trial,
// while two modules may each have an Effect that the linker keeps apart.
#pragma once
#include <filesystem>

#if defined(__clang__)
// They are said to be inline once, below, and not in each file.
#pragma clang diagnostic ignored "-Winline-namespace-reopened-noninline"
#endif

namespace rooftune {
namespace fs = std::filesystem;
inline namespace core {}
inline namespace roofline {}
inline namespace space {}
inline namespace trial {}
inline namespace search {}
inline namespace os {}
inline namespace kernel {}
inline namespace build {}
inline namespace counters {}
inline namespace run {}
inline namespace probe {}
inline namespace store {}
inline namespace study {}
inline namespace host {}
inline namespace report {}
inline namespace exports {}
inline namespace sweep {}
inline namespace runtime {}
inline namespace replay {}
inline namespace instrumentation {}
inline namespace cli {}
}  // namespace rooftune
