#include "trial/history.h"

#include <algorithm>
#include <bit>
#include <set>

#include "core/rng.h"

namespace rooftune::trial {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) { return Rng(hash, word).next(); }

std::uint64_t hashed(std::uint64_t hash, const std::string& key, const Trial& trial) {
  std::uint64_t word = 0xcbf29ce484222325;
  for (const char c : key) word = (word ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash = mixed(hash, word);
  hash = mixed(hash, static_cast<std::uint64_t>(trial.outcome));
  const double seconds = trial.ok() ? trial.measurement->seconds.value : 0;
  return mixed(hash, std::bit_cast<std::uint64_t>(seconds));
}

bool is_faster(const Trial& a, const Trial& b) {
  return a.measurement->seconds.value < b.measurement->seconds.value;
}

}  // namespace

void History::append(Trial trial) {
  std::string key = trial.configuration.key();
  fingerprints_.push_back(hashed(fingerprint(size()), key, trial));
  by_key_[std::move(key)] = trials_.size();
  trials_.push_back(std::move(trial));
}

void History::refute(const Configuration& configuration, const std::string& detail) {
  std::vector<Trial> trials = std::move(trials_);
  *this = History();
  for (Trial& trial : trials) {
    if (trial.ok() && trial.configuration == configuration) {
      trial.outcome = Outcome::wrong_result;
      trial.detail = detail;
    }
    append(std::move(trial));
  }
}

std::uint64_t History::fingerprint(std::size_t n) const {
  return n == 0 ? 0 : fingerprints_.at(n - 1);
}

bool History::tried(const Configuration& configuration) const {
  return by_key_.count(configuration.key()) != 0;
}

const Trial* History::find(const Configuration& configuration) const {
  const auto found = by_key_.find(configuration.key());
  return found == by_key_.end() ? nullptr : &trials_[found->second];
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

History History::proposed() const {
  History result;
  for (const auto& trial : trials_)
    if (trial.promoted_because.empty()) result.append(trial);
  return result;
}

std::map<Outcome, int> History::counts() const {
  std::map<Outcome, int> result;
  for (const auto& trial : trials_) ++result[trial.outcome];
  return result;
}

std::vector<const Trial*> History::fastest(std::size_t n) const {
  std::vector<const Trial*> result;
  for (const auto& trial : trials_)
    if (trial.ok()) result.push_back(&trial);
  // Stable: of equal times the earlier trial comes first, on every machine.
  std::stable_sort(result.begin(), result.end(),
                   [&](const Trial* a, const Trial* b) { return is_faster(*a, *b); });
  std::set<std::string> seen;
  std::erase_if(
      result, [&](const Trial* trial) { return !seen.insert(trial->configuration.key()).second; });
  if (result.size() > n) result.resize(n);
  return result;
}

std::vector<const Trial*> History::incumbents() const {
  std::vector<const Trial*> result;
  for (const auto& trial : trials_)
    if (trial.ok() && (result.empty() || is_faster(trial, *result.back())))
      result.push_back(&trial);
  return result;
}

}  // namespace rooftune::trial
