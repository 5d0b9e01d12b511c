// Common parts of the readers of recorded spaces: their interface, and the collection of their
// results.
#pragma once
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "replay/module.h"
#include "replay/recording.h"

namespace rooftune::replay {

/// Files of thousands of results repeat one fault thousands of times: after so many reading stops.
inline constexpr std::size_t most_recording_faults = 20;

/// Members of a cachefile's entry for facts outside its form: the words of a failure other than the
/// form's, and the units of metrics by their names.
inline constexpr const char* failure_member = "rooftune_failure";
inline constexpr const char* units_member = "rooftune_units";

/// Reads one format: first the head of the file, then its results one by one.
class RecordingReader {
 public:
  RecordingReader() = default;
  RecordingReader(const RecordingReader&) = delete;
  RecordingReader& operator=(const RecordingReader&) = delete;
  virtual ~RecordingReader() = default;
  virtual void head(ObjectReader& root) = 0;
  virtual void result(ObjectReader& object) = 0;
  /// Throws Error when there was any fault.
  virtual Recording finish() = 0;
};

/// Collects from a reader: knobs with their values, faults of times, configurations twice.
class RecordingBuilder {
 public:
  /// `memory`: limit of bytes for the results.
  RecordingBuilder(std::string format, std::string where, Faults& faults, std::size_t memory);
  /// One configuration; `where` is its place. A value without JSON form as a knob is a fault.
  Configuration configuration(const Json& object, const std::string& where);
  /// A positive, finite number times `unit` [s]; anything else is a fault.
  std::optional<double> seconds(const Json& json, double unit, const std::string& where);
  /// A number, possibly 0, times `unit`; absent and null give nothing.
  std::optional<double> cost(const Json& json, double unit, const std::string& where);
  /// Every repeat; empty when absent.
  std::vector<double> runtimes(const Json& json, double unit, const std::string& where);
  void add(RecordedResult result, const std::string& where);
  /// Keeps the members of the head outside `known`; those outside `own` as well become deviations.
  void keep_others(const Json& head, const std::set<std::string>& known,
                   const std::set<std::string>& own);
  /// Knobs are those of `order` when given, else of the first configuration; unused values stay
  /// when `values` lists them.
  Recording finish(const std::vector<std::string>& order = {}, const Json& values = {});

  Recording recording;
  Faults& faults;

 private:
  void collect_values(const std::vector<std::string>& order, const Json& values);
  std::string where_;
  std::size_t memory_, taken_ = 0;                          ///< [bytes]
  std::unordered_multimap<std::size_t, std::size_t> seen_;  ///< hash of a configuration -> result
};

/// `outcome_member` of an entry, if present; an unknown word is a fault.
std::optional<Outcome> stated_outcome(ObjectReader& entry);

/// The readers of the formats, each in its own file. `memory`: limit of bytes for the results.
std::unique_ptr<RecordingReader> t4_reader(const std::string& where, Faults& faults,
                                           std::size_t memory);
std::unique_ptr<RecordingReader> cachefile_reader(const std::string& where, Faults& faults,
                                                  std::size_t memory);
std::unique_ptr<RecordingReader> ktt_reader(const std::string& where, Faults& faults,
                                            std::size_t memory);

}  // namespace rooftune::replay
