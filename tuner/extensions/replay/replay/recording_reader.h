// What all readers of recorded spaces share.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "core/modules.h"
#include "core/object_reader.h"
#include "core/unique.h"
#include "replay/recording.h"

struct gzFile_s;

namespace rooftune::replay {

/// A file with thousands of results may repeat a fault thousands of times: reading stops after so
/// many.
inline constexpr size_t most_recording_faults = 20;

/// T4's words for outcomes.
inline constexpr std::pair<const char*, Outcome> t4_outcomes[]{
    {"correct", Outcome::ok},           {"timeout", Outcome::timed_out},
    {"compile", Outcome::build_failed}, {"correctness", Outcome::wrong_result},
    {"runtime", Outcome::crashed},      {"constraints", Outcome::pruned}};
/// Kernel Tuner's words for failures.
inline constexpr std::pair<const char*, Outcome> cachefile_failures[]{
    {"CompilationFailedConfig", Outcome::build_failed},
    {"InvalidConfig", Outcome::pruned},
    {"RuntimeFailedConfig", Outcome::crashed}};

/// Reads one format: first the file's head, then its results one by one. Collects the knobs with
/// their values, and reports bad times and repeated configurations.
class RecordingReader : Unique {
 public:
  /// `memory`: limit for the results [B].
  RecordingReader(std::string format, std::string where, Faults& faults, size_t memory);
  virtual ~RecordingReader() = default;
  virtual void head(ObjectReader&) {}
  virtual void result(ObjectReader&) {}
  void add(RecordedResult result, const std::string& where);
  /// Throws Error when there was any fault.
  Recording finish();

  Recording recording;

 protected:
  /// A positive, finite time in the file's unit, as seconds; anything else is a fault.
  std::optional<double> seconds(const Json& json, const std::string& where);
  /// A member that is a time in the file's unit, possibly 0, as seconds; absent and null give
  /// nothing.
  std::optional<double> cost(ObjectReader& object, const std::string& key);
  /// Every repeat; empty when absent.
  Numbers runtimes(ObjectReader& object, const std::string& key);

  Faults& faults_;
  double unit_ = 1e-3;  ///< unit of the file's times [s]
  Texts names_;         ///< the knobs' names, in order; empty: as in the first configuration
  Json values_;         ///< value lists by knob: unused values stay

 private:
  void collect_values();
  std::string where_;
  size_t memory_, taken_ = 0;  ///< [bytes]
  /// Results by configuration; values are equal as in Python: 0, 0.0 and False are one.
  std::set<size_t, std::function<bool(size_t, size_t)>> seen_;
};

/// Seconds per unit: "ms", "milliseconds", "miliseconds", "Microseconds", "us", "ns", "s", ...
std::optional<double> time_unit(const std::string& word);

/// The readers, one for each format.
using NewRecordingReader = std::unique_ptr<RecordingReader>(const std::string& where,
                                                            Faults& faults, size_t memory);
NewRecordingReader t4_reader, cachefile_reader, ktt_reader;

/// A file's bytes, expanded when it begins as gzip files do (under any name). Throws Error:
/// unreadable, damaged or truncated, more than `limit` bytes, or expanding as only a bomb does.
/// Bytes after the last gzip member are ignored, as by zlib.
class CompressedFile : public ByteSource {
 public:
  explicit CompressedFile(const fs::path& file, size_t limit = size_t{1} << 31);
  std::string_view next() override;
  /// Reads the rest, so a damaged file is reported as damaged, not as what its contents look like.
  void drain();

 private:
  struct Close {
    void operator()(gzFile_s* stream) const;
  };
  /// Throws Error for the stream's latest fault, if any.
  void check() const;

  std::string where_;
  size_t limit_, given_ = 0;
  std::unique_ptr<gzFile_s, Close> stream_;
  std::array<char, 1 << 16> block_;
};

}  // namespace rooftune::replay
