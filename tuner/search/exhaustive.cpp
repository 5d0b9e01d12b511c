// The strategy "exhaustive": every configuration, in the order of the search space.
#include "core/error.h"
#include "search/strategy.h"

namespace rooftune {
namespace {

class Exhaustive : public Strategy {
 public:
  std::optional<Configuration> propose(const SearchSpace& space, const History& history,
                                       Rng&) const override {
    if (!space.counted())
      throw Error("strategy exhaustive needs a space that can be counted; this one cannot: " +
                      space.extent().because,
                  space.name(),
                  "another strategy draws from it (--strategy random, roofline, ...)");
    const std::uint64_t size = space.size();
    const std::uint64_t begin = start(space, history);
    for (std::uint64_t step = 0; step < size; ++step) {
      Configuration configuration = space.configuration((begin + step) % size);
      if (!history.tried(configuration)) return configuration;
    }
    return std::nullopt;
  }

 private:
  /// After the latest trial, so that a proposal does not walk over all that was tried. The
  /// baseline, which a session tries first, is no place in the order.
  static std::uint64_t start(const SearchSpace& space, const History& history) {
    if (history.size() == 0) return 0;
    const Configuration& latest = history.trials().back().configuration;
    if (latest == space.baseline()) return 0;
    const auto index = space.index(latest);
    return index ? *index + 1 : 0;
  }
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive() { return std::make_unique<Exhaustive>(); }

}  // namespace rooftune
