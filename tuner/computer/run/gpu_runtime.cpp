#include "run/gpu_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "run/cuda/cuda_card.h"

namespace rooftune::run {
namespace {

constexpr std::array<GpuRuntime, 1> table{{{.name = "cuda",
                                            .driver = cuda_driver_here,
                                            .driver_text = cuda_driver_text,
                                            .cards = cuda_cards,
                                            .open = cuda_card,
                                            .why_no_energy = cuda_why_no_energy}}};

}  // namespace

GpuRuntimes gpu_runtimes() { return table; }

const GpuRuntime& gpu_runtime(const std::string& name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const auto& row) { return name == row.name; });
  if (found == table.end()) throw Error("there is no GPU runtime \"" + name + "\"");
  return *found;
}

Availability GpuRuntime::counters() const {
  for (const CounterProviderRow& row : counter_providers())
    if (row.counts_calls() && row.on_card() && name == std::string_view(row.runtime))
      return row.availability();
  return {false, fmt::format("nothing counts on cards of {}", name), {}};
}

std::vector<InstalledCard> installed_cards(GpuRuntimes runtimes) {
  std::optional<Error> first;
  for (const GpuRuntime& runtime : runtimes) try {
      return runtime.cards();
    } catch (const Error& error) {
      if (!first) first = error;
    }
  throw *first;
}

InstalledCard installed_card(const std::string& index_or_uuid, GpuRuntimes runtimes) {
  std::string known;
  for (const InstalledCard& one : installed_cards(runtimes)) {
    if (index_or_uuid.empty() || index_or_uuid == std::to_string(one.index)) return one;
    if (index_or_uuid.size() > 4 && one.uuid.starts_with(index_or_uuid)) return one;
    known += fmt::format("{}{}: {} {}", known.empty() ? "" : ", ", one.index, one.name, one.uuid);
  }
  throw Error(fmt::format("there is no card \"{}\"", index_or_uuid), "--gpu", "there are " + known,
              ExitCode::unavailable);
}

}  // namespace rooftune::run
