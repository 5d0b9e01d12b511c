#include "trial/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <set>

#include "core/list.h"
#include "core/rng.h"
#include "core/text.h"
#include "core/units.h"

namespace rooftune::trial {

bool Measurement::complete() const {
  return none_of(inputs, [](const Measurement& input) { return input.samples.empty(); });
}

std::string Measurement::memory(double least) const {
  for (const Measurement& input : inputs)
    if (std::string text = input.memory(least); !text.empty()) return text;
  if (!remembers || remembers->low < least) return {};
  return fmt::format("remembers its last input: {:.3g}x slower on new data [{:.3g}, {:.3g}]",
                     remembers->value, remembers->low, remembers->high);
}

Cost& Cost::operator+=(const Cost& other) {
  build += other.build;
  validate += other.validate;
  time += other.time;
  total += other.total;
  waiting += other.waiting;
  return *this;
}

double wall_of_call(const Trial& trial) {
  const Measurement& measured = *trial.measurement;
  const auto samples = double(measured.samples.size());
  // Several calls in one window last a millisecond together, whatever they are.
  if (samples == 0 || measured.repeats > 1) return measured.seconds.value;
  return std::max(measured.seconds.value, trial.cost.time / samples);
}

double wall_of_round(const Trial& trial) {
  constexpr double settling = 0.01, retaking = 0.05;
  const double call = wall_of_call(trial);
  return trial.measurement->disturbed ? settling + retaking + 3 * call : settling + 2 * call;
}

double wall_of_entering(const Trial& trial) { return 2 * trial.cost.validate; }

namespace {

uint64_t mixed(uint64_t hash, uint64_t word) { return Rng(hash, word).next(); }

uint64_t hashed(uint64_t hash, const std::string& key, const Trial& trial) {
  uint64_t word = 0xcbf29ce484222325;
  for (const char c : key) word = (word ^ uint8_t(c)) * 0x100000001b3;
  hash = mixed(hash, word);
  hash = mixed(hash, uint64_t(trial.outcome));
  const double seconds = trial.ok() ? trial.seconds() : 0;
  return mixed(hash, std::bit_cast<uint64_t>(seconds));
}

bool is_faster(const Trial& a, const Trial& b) { return a.seconds() < b.seconds(); }

}  // namespace

void History::append(Trial trial) {
  std::string key = trial.configuration.key();
  fingerprints_.push_back(hashed(fingerprint(size()), key, trial));
  by_key_[std::move(key)] = trials_.size();
  trials_.push_back(std::move(trial));
}

void History::refute(const Configuration& configuration, const std::string& detail) {
  TrialList trials = std::move(trials_);
  *this = History();
  for (Trial& trial : trials) {
    if (trial.ok() && trial.configuration == configuration) {
      trial.outcome = Outcome::wrong_result;
      trial.detail = detail;
    }
    append(std::move(trial));
  }
}

uint64_t History::fingerprint(size_t n) const { return n == 0 ? 0 : fingerprints_.at(n - 1); }

bool History::tried(const Configuration& configuration) const {
  return by_key_.count(configuration.key()) != 0;
}

const Trial* History::find(const Configuration& configuration) const {
  auto* found = value_at(by_key_, configuration.key());
  return found ? &trials_[*found] : nullptr;
}

const Trial* History::best() const {
  const Trial* result = nullptr;
  for (const auto& trial : trials_)
    if (trial.ok() && (!result || is_faster(trial, *result))) result = &trial;
  return result;
}

Cost History::cost() const {
  Cost sum;
  for (const auto& trial : trials_) sum += trial.cost;
  return sum;
}

std::map<Outcome, int> History::counts() const {
  std::map<Outcome, int> result;
  for (const auto& trial : trials_) ++result[trial.outcome];
  return result;
}

TrialRefs History::fastest(size_t n) const {
  TrialRefs result;
  for (const auto& trial : trials_)
    if (trial.ok()) result.push_back(&trial);
  // Stable: among trials with equal times the earlier comes first, on every machine.
  stable_sort(result, [&](const Trial* a, const Trial* b) { return is_faster(*a, *b); });
  TextSet seen;
  std::erase_if(
      result, [&](const Trial* trial) { return !seen.insert(trial->configuration.key()).second; });
  if (result.size() > n) result.resize(n);
  return result;
}

std::string to_text(const Transfer& transfer) {
  std::string text = transfer.sources.empty()     ? "nothing known elsewhere fits this space"
                     : transfer.proposals.empty() ? "started from "
                                                  : "started from the best known: ";
  for (const size_t i : indices(transfer.sources)) {
    const TransferSource& source = transfer.sources[i];
    if (source.study.empty())
      text += fmt::format("{} of your own", source.proposals.size());
    else
      text += fmt::format("{}{} of {} on {} ({}{})", i == 0 ? "" : "; ", source.proposals.size(),
                          source.study, source.machine, source.problem,
                          source.trials == 0 ? "" : fmt::format(", {} trials", source.trials));
  }
  if (transfer.skipped > 0)
    text +=
        fmt::format("; {} shipped with knobs or values that this space has not", transfer.skipped);
  if (!transfer.modelled.empty())
    text += fmt::format("; the code of {} should take {} and more",
                        plural(transfer.modelled.size(), "configuration"),
                        to_text(Seconds(transfer.modelled.front().seconds)));
  return text;
}

}  // namespace rooftune::trial
