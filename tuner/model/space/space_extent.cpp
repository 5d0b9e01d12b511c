#include "space/space_extent.h"

#include <fmt/format.h>

namespace rooftune::space {

SpaceExtent counted_extent(std::uint64_t count) {
  SpaceExtent extent;
  extent.count = count;
  const auto size = static_cast<double>(count);
  extent.size = SpaceExtent::Estimate{size, size, size};
  extent.sampling = "uniform";
  return extent;
}

std::string to_text(const SpaceExtent& extent) {
  if (extent.count) return std::to_string(*extent.count);
  if (!extent.size) return "not known how many";
  const auto& [value, low, high] = *extent.size;
  return fmt::format("about {:.4g} [{:.4g}, {:.4g}]", value, low, high);
}

Json count_json(const SpaceExtent& extent) { return extent.count ? Json(*extent.count) : Json(); }

Json not_counted_json(const SpaceExtent& extent) {
  if (extent.counted()) return {};
  Json estimate;
  if (extent.size)
    estimate = {
        {"value", extent.size->value}, {"low", extent.size->low}, {"high", extent.size->high}};
  return {{"because", extent.because}, {"sampling", extent.sampling}, {"estimate", estimate}};
}

}  // namespace rooftune::space
