// The strategy "swarm": particle swarm optimisation on value numbers (Kennedy & Eberhart 1995); the
// particle of a trial is its number modulo the swarm, its velocity the difference of its last two
// places.
#include "search/moves.h"
#include "search/states.h"

namespace rooftune::search {
namespace {

constexpr std::size_t particles = 15;
constexpr double inertia = 0.6, own_pull = 1.4, common_pull = 1.4;

class Swarm : public SearchState {
 public:
  explicit Swarm(const SearchSpace& the_space) : SearchState(the_space), best_of_(particles) {}

  void add(const Observation& observed) override {
    const std::size_t particle = all().size() % particles;
    SearchState::add(observed);
    auto& mine = best_of_[particle];
    if (observed.ok && (!mine || observed.seconds < find(*mine)->seconds)) mine = observed.index;
  }

  std::optional<std::uint64_t> propose(Rng& rng) const override {
    const std::size_t n = all().size();
    if (n < 2 * particles || !best()) return covering_draw(*this, rng);
    const Assignment& now = all()[n - particles].point;
    const Assignment& before = all()[n - 2 * particles].point;
    const auto& mine = best_of_[n % particles];
    const Assignment& own = mine ? find(*mine)->point : best()->point;
    return first_open(*this, [&] { return moved(now, before, own, rng); });
  }

 private:
  Assignment moved(const Assignment& now, const Assignment& before, const Assignment& own,
                   Rng& rng) const {
    const auto towards = [](std::uint32_t to, std::uint32_t from) {
      return static_cast<double>(to) - static_cast<double>(from);
    };
    Assignment next = now;
    for (std::size_t k = 0; k < now.size(); ++k) {
      const double velocity = inertia * towards(now[k], before[k]) +
                              own_pull * rng.unit() * towards(own[k], now[k]) +
                              common_pull * rng.unit() * towards(best()->point[k], now[k]);
      next[k] = rounded(static_cast<double>(now[k]) + velocity + rng.unit() - 0.5,
                        space.knobs()[k].values.size());
    }
    return next;
  }
  std::vector<std::optional<std::uint64_t>> best_of_;
};

}  // namespace

std::unique_ptr<SearchState> new_swarm(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Swarm>>(space);
}

}  // namespace rooftune::search
