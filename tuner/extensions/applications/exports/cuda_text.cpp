// Parts of a library of CUDA kernels only: their source for NVRTC, its options, and the arrays for
// the launching half itself.
#include <fmt/format.h>

#include "build/amalgamation.h"
#include "exports/library_text.h"
#include "os/paths.h"
#include "report/exporter.h"

namespace rooftune::exports {
namespace {

/// As they were when the variant was timed, without the card's architecture and the standard: the
/// latter is the newest known to the NVRTC there.
std::string nvrtc_options(const LibraryVariant& variant) {
  std::vector<std::string> options{literal("--device-as-default-execution-space")};
  for (const std::string& option : variant.kernel_options) options.push_back(literal(option));
  return joined(options);
}

/// A function with the launching half's arrays on the host.
std::string mirrored_text(const LibrarySource& source) {
  if (source.backend.device_arrays) return {};
  std::vector<std::string> members;
  for (std::size_t i = 0; i < source.kernel.arguments.size(); ++i) {
    const Argument& one = source.kernel.arguments[i];
    if (!is_given(source, i)) continue;
    const bool written = one.access != Argument::Access::read;
    members.push_back(one.pointer
                          ? fmt::format("mirrors.of(arguments_.{}, {}, stream)", one.name, written)
                          : "arguments_." + one.name);
  }
  return fmt::format(
      "Arguments mirrored(rooftune_cuda_library::Mirrors& mirrors, const Arguments& arguments_,\n"
      "                   void* stream) {{\n  return {{{}}};\n}}\n",
      joined(members, ",\n          "));
}

}  // namespace

Fillings cuda_fillings(const LibrarySource& source, const LibraryVariant& variant) {
  return {{"OPTIONS", nvrtc_options(variant)},
          {"CAPABILITY", std::to_string(variant.capability)},
          {"MULTIPROCESSORS", std::to_string(variant.threads)},
          {"MIRRORED", mirrored_text(source)},
          {"MIRRORED_NAME", source.backend.device_arrays ? "nullptr" : "mirrored"}};
}

std::string cuda_kernels_text(const LibrarySource& source, const LibraryVariant& variant) {
  const Amalgamation code = amalgamated(source.backend.source, variant_include_directory(),
                                        variant.macros, Side::kernels);
  return filled("cuda_kernels.cpp",
                {{"TITLE", remark(source.kernel.title)},
                 {"DIFFERENCE", remark(difference_text(variant.configuration,
                                                       source.variants.back().configuration))},
                 {"INCLUDES", code.includes()},
                 {"CODE", code.text},
                 {"VARIANT", variant.name},
                 {"NAME", library_name(source)}});
}

}  // namespace rooftune::exports
