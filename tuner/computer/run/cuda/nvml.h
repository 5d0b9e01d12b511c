// Reads from NVIDIA's management library how a card fares. It sets nothing.
#pragma once
#include <functional>
#include <optional>

#include "run/gpu_runtime.h"
#include "trial/card_span.h"

namespace rooftune::run {

/// Begins to watch the card, or the card of a slice; the returned function asks again: how the card
/// fared since. nullopt without the library, or where that does not know the card.
std::function<std::optional<CardSpan>()> watch_cuda_card(const InstalledCard& card);

}  // namespace rooftune::run
