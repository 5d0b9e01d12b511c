// The strategy "differential": differential evolution on value numbers (rand/1/bin, Storn & Price
// 1997); the slot of a trial is its number modulo the population.
#include <cmath>

#include "search/moves.h"
#include "search/states.h"

namespace rooftune::search {
namespace {

constexpr std::size_t members_at_once = 15;
constexpr double scale = 0.8, crossover = 0.7;

class Differential : public SearchState {
 public:
  explicit Differential(const SearchSpace& the_space)
      : SearchState(the_space), slots_(members_at_once) {}

  void add(const Observation& observed) override {
    const std::size_t slot = all().size() % members_at_once;
    SearchState::add(observed);
    auto& holder = slots_[slot];
    if (observed.ok && (!holder || observed.seconds < find(*holder)->seconds))
      holder = observed.index;
  }

  std::optional<std::uint64_t> propose(Rng& rng) const override {
    std::vector<std::uint64_t> members;
    for (const auto& slot : slots_)
      if (slot) members.push_back(*slot);
    if (all().size() < members_at_once || members.size() < 4) return covering_draw(*this, rng);
    const auto& own = slots_[all().size() % members_at_once];
    const Assignment target = find(own.value_or(members.front()))->point;
    return first_open(*this, [&] { return mutant(target, members, rng); });
  }

 private:
  Assignment mutant(Assignment child, const std::vector<std::uint64_t>& members, Rng& rng) const {
    const Assignment& a = find(members[rng.below(members.size())])->point;
    const Assignment& b = find(members[rng.below(members.size())])->point;
    const Assignment& c = find(members[rng.below(members.size())])->point;
    const std::size_t always = rng.below(child.size());
    for (std::size_t k = 0; k < child.size(); ++k) {
      if (k != always && rng.unit() >= crossover) continue;
      const double step = scale * (static_cast<double>(b[k]) - static_cast<double>(c[k]));
      // Half a value of chance, so knobs of two values move as well.
      child[k] = rounded(static_cast<double>(a[k]) + step + rng.unit() - 0.5,
                         space.knobs()[k].values.size());
    }
    return child;
  }
  std::vector<std::optional<std::uint64_t>> slots_;
};

}  // namespace

std::unique_ptr<SearchState> new_differential(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Differential>>(space);
}

}  // namespace rooftune::search
