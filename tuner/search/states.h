// The states of the searches that others combine: each as it is on its own.
// The caller owes every trial, in order, also those that another state proposed.
#pragma once
#include "search/seen.h"

namespace rooftune {

std::unique_ptr<Seen> new_annealing(const SearchSpace& space);
std::unique_ptr<Seen> new_differential(const SearchSpace& space);
std::unique_ptr<Seen> new_first_improvement(const SearchSpace& space);
std::unique_ptr<Seen> new_genetic(const SearchSpace& space);

/// A search whose state `make` makes.
class StateStrategy : public DerivedStrategy {
 public:
  using Make = std::unique_ptr<Seen> (*)(const SearchSpace&);
  explicit StateStrategy(Make make) : make_(make) {}

 private:
  std::unique_ptr<Seen> fresh(const SearchSpace& space) const override { return make_(space); }
  Make make_;
};

}  // namespace rooftune
