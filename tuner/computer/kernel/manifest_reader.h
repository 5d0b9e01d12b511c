// Reads one kernel.json: members to a Kernel, every fault kept with its JSON pointer.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/object_reader.h"
#include "kernel/kernel.h"

namespace rooftune::kernel {

/// Reads in the order parameters, facts, the rest, because later members name earlier ones.
class ManifestReader {
 public:
  /// `folder` is where the sources are looked for; `where` prefixes every fault.
  ManifestReader(const Json& json, std::string where, fs::path folder, Faults& faults);
  Kernel read();

 private:
  void identity(ObjectReader& root);
  void parameter(ObjectReader& reader);
  void facts(ObjectReader& root);
  void argument(ObjectReader& reader);
  void scalar(ObjectReader& reader, Argument& argument);
  void array(ObjectReader& reader, Argument& argument);
  /// How the results in an array are compared; the tolerance is read before.
  void check(ObjectReader& reader, Argument& argument);
  Fill fill(ObjectReader& reader);
  /// After arguments and back ends.
  void swap(ObjectReader& root);
  /// The argument called `name` in /swap/<pair>; a fault and nullopt unless it is an array.
  std::optional<size_t> swapped(ObjectReader& root, size_t pair, const std::string& name);
  void work(ObjectReader& root);
  void traffic(ObjectReader& root);
  void wall(ObjectReader& reader);
  void tolerance(ObjectReader& root);
  void tolerances(ObjectReader& reader, Tolerance& tolerance);
  void sources(ObjectReader& root);
  /// Results in files, which stand for a reference.
  void captured_results(ObjectReader& root);
  void backend(const std::string& name, ObjectReader& reader);
  FurtherFunction further_function(ObjectReader& reader);

  /// A formula over parameters and facts; empty and a fault when missing (if `required`) or
  /// malformed.
  Expression formula(ObjectReader& reader, const std::string& key, bool required);
  Expression parsed(ObjectReader& reader, const std::string& key, const std::string& text,
                    bool check_names);
  /// A fault unless `name` can name a C++ variable and is not in `taken`, where it then goes.
  void declare(ObjectReader& reader, const std::string& key, const std::string& name,
               TextSet& taken);

  /// One fault for all unknown names: an unfinished folder has many.
  void tell_unknown();

  struct UnknownName {
    std::string name, text, where;  ///< its first formula, and where that stands
  };

  const Json& json_;
  std::string where_;
  Faults& faults_;
  Kernel kernel_;
  bool stated_relative_ = false;  ///< for all arguments
  std::vector<UnknownName> unknown_;
  TextSet names_;      ///< parameters and facts: names for formulas
  TextSet arguments_;  ///< argument names so far
};

/// The file named by a member, beside the manifest in `folder`; a fault when there is none.
fs::path read_source(ObjectReader& reader, const std::string& key, const fs::path& folder);
/// How a back end's or a peer's source is built: source, prepare, finish, flags.
Backend read_backend(ObjectReader& reader, const fs::path& folder);

/// Precisions that least work is stated in.
const Texts& least_precisions();
/// Only is_name_char(), and no - at the start.
bool is_name(const std::string& text);
/// A letter or underscore, then letters, digits and underscores; no C++ keyword.
bool is_identifier(const std::string& text);
/// Checks and converts one parameter, written in the manifest or by the user. Throws Error, without
/// a place.
Value parameter_value(const Parameter& parameter, const std::string& text);

}  // namespace rooftune::kernel
