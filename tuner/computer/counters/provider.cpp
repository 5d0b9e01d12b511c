#include "counters/provider.h"

#include <algorithm>

#include "core/error.h"
#include "core/list.h"
#include "counters/cuda/cupti.h"
#include "counters/cuda/nvidia.h"
#include "counters/perf.h"

namespace rooftune::counters {
namespace {

constexpr const char* no_provider = "none";
constexpr const char* fitting_providers = "auto";

std::vector<CounterProviderRow>& table() {
  static std::vector<CounterProviderRow> rows{
      {.name = "perf",
       .summary = "hardware events of the processor through Linux perf",
       .availability = perf_availability,
       .open = open_perf},
      {.name = "cupti",
       .summary = "NVIDIA GPU metrics through CUPTI's range profiler",
       .availability = cupti_availability,
       .open = open_cupti,
       .runtime = "cuda"},
  };
  return rows;
}

}  // namespace

const std::vector<CounterProviderRow>& counter_providers() { return table(); }

void add_counter_provider(const CounterProviderRow& row) { table().push_back(row); }

const CounterProviderRow* counter_provider(const std::string& name) {
  for (const auto& row : counter_providers())
    if (row.name == name) return &row;
  return nullptr;
}

std::vector<const CounterProviderRow*> chosen_providers(const std::string& word, bool card) {
  std::vector<const CounterProviderRow*> chosen;
  if (word == no_provider) return chosen;
  if (word == fitting_providers) {
    for (const auto& row : counter_providers()) {
      const bool alike =
          std::ranges::count(chosen, row.own_build(), &CounterProviderRow::own_build) > 0;
      if (row.on_card() == card && !alike && row.availability().available) chosen.push_back(&row);
    }
    return chosen;
  }
  const CounterProviderRow* row = counter_provider(word);
  if (!row) {
    Texts words{fitting_providers, no_provider};
    append(words, members(counter_providers(), &CounterProviderRow::name));
    throw Error("there is no counter provider \"" + word + "\"", "--counters",
                did_you_mean(word, words, "tune list counters names them; also: auto, none"));
  }
  if (const Availability here = row->availability(); !here.available)
    throw Unavailable("the counter provider \"" + word + "\" is not available here: " + here.reason,
                      "--counters", here.cure);
  if (row->on_card() != card)
    throw Error("the counter provider \"" + word + "\" counts " +
                    (row->on_card() ? "a graphics card, and the variants run on the processor"
                                    : "the processor, and the variants run on a graphics card"),
                "--counters", "auto chooses one that fits");
  chosen.push_back(row);
  return chosen;
}

std::string no_counters_reason(bool card) {
  const auto usable = chosen_providers(fitting_providers, card);
  if (!usable.empty())
    return std::string("this variant was not counted (tune --counters ") + usable.front()->name +
           " counts the best and the baseline)";
  const auto& rows = counter_providers();
  const auto* const first = first_with(rows, &CounterProviderRow::on_card, card);
  return "nothing counts executed work and traffic here: " + first->availability().reason;
}

}  // namespace rooftune::counters
