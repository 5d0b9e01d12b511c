// Reader of the knobs and constraints of a search-space file; every fault with its JSON pointer.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/json.h"
#include "space/search_space.h"

namespace rooftune::space {

class SpaceReader {
 public:
  /// `of_kernel`: every knob declares its paradigms. The effect of a program's knobs is unknown.
  SpaceReader(const Facts& facts, Faults& faults, bool of_kernel = true)
      : facts_(facts), faults_(faults), of_kernel_(of_kernel) {}

  /// One element of /knobs.
  Knob knob(ObjectReader& object) const;
  /// One element of /constraints; `knobs` are those read before.
  Constraint constraint(ObjectReader& object, const std::vector<Knob>& knobs) const;
  /// Names in `active` expressions, perhaps of later knobs; texts that become equal macros.
  void check_together(ObjectReader& space, const std::vector<Knob>& knobs) const;

 private:
  void values(ObjectReader& object, Knob& knob) const;
  /// Appends one element of /values unless `seen` has it.
  void add_value(const std::string& where, const Json& json, Knob& knob,
                 std::set<Value>& seen) const;
  void fallback(ObjectReader& object, Knob& knob) const;
  void flags(ObjectReader& object, Knob& knob) const;
  void setting(ObjectReader& object, Knob& knob) const;
  void applicable(ObjectReader& object, Knob& knob) const;
  /// "about" of a condition: whether results or only times are wrong where it does not hold. The
  /// space is the same either way; exports read it.
  static void about(ObjectReader& object);
  /// Parses; a fault at `key` and an empty expression when it cannot.
  Expression expression(ObjectReader& object, const std::string& key) const;
  /// Evaluates over facts only; a fault at `where` when it cannot.
  std::optional<Value> computed(const std::string& where, const std::string& text) const;
  void check_names(const std::string& where, const Expression& expression,
                   const std::vector<Knob>& knobs) const;

  const Facts& facts_;
  Faults& faults_;
  bool of_kernel_;
};

/// The result of `make`. Its errors about the space `name`, or a knob or constraint of it, are
/// thrown about the file `where` and that knob or constraint.
SearchSpace space_of_file(const std::string& name, const std::string& where,
                          const std::function<SearchSpace()>& make);

}  // namespace rooftune::space
