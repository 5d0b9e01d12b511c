// Gives a C++ application, at its run time, a kernel's tuned configuration: <rooftune/rooftune.h>
// in C++17. Only C crosses the library's border, so any compiler can use it.
#pragma once
#include <rooftune/rooftune.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

namespace rooftune {
inline namespace runtime {

/// A problem's parameter by its name. Texts are not copied.
struct ProblemParameter : rooftune_value {
  ProblemParameter(const char* called, bool value)
      : rooftune_value(rooftune_truth(called, value)) {}
  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  ProblemParameter(const char* called, Number value) : rooftune_value(to_value(called, value)) {}
  ProblemParameter(const char* called, const char* value)
      : rooftune_value(rooftune_text(called, value)) {}
  ProblemParameter(const char* called, const std::string& value)
      : ProblemParameter(called, value.c_str()) {}

 private:
  template <class Number>
  static rooftune_value to_value(const char* called, Number value) {
    if constexpr (std::is_integral_v<Number>)
      return rooftune_integer(called, static_cast<std::int64_t>(value));
    else
      return rooftune_real(called, static_cast<double>(value));
  }
};

/// A configuration and how well it fits the question; lives as long as its TunedConfigurations.
class TunedConfiguration {
 public:
  /// From the best fit to the worst; see rooftune_match.
  enum class Match {
    exact = ROOFTUNE_EXACT,
    other_problem = ROOFTUNE_OTHER_PROBLEM,
    other_machine = ROOFTUNE_OTHER_MACHINE,
    defaults = ROOFTUNE_DEFAULTS
  };
  explicit TunedConfiguration(const rooftune_answer& answer) : answer_(answer) {}

  Match match() const { return static_cast<Match>(answer_.match); }
  /// See rooftune_answer; never null.
  const char* reason() const { return answer_.reason; }
  const char* machine() const { return answer_.machine; }
  const char* study() const { return answer_.study; }
  const char* verdict() const { return answer_.verdict; }

  /// The knob as a number, truth or text; `fallback` when it is absent or has another type.
  std::int64_t integer(const char* knob, std::int64_t fallback) const {
    return rooftune_knob_integer(&answer_, knob, fallback);
  }
  double real(const char* knob, double fallback) const {
    return rooftune_knob_real(&answer_, knob, fallback);
  }
  bool truth(const char* knob, bool fallback) const {
    return rooftune_knob_truth(&answer_, knob, fallback) != 0;
  }
  const char* text(const char* knob, const char* fallback) const {
    return rooftune_knob_text(&answer_, knob, fallback);
  }
  /// All knobs, sorted by name.
  std::size_t size() const { return rooftune_knob_count(&answer_); }
  rooftune_value operator[](std::size_t index) const { return rooftune_knob(&answer_, index); }

 private:
  rooftune_answer answer_;
};
inline const char* to_text(TunedConfiguration::Match match) {
  return rooftune_match_text(static_cast<int>(match));
}

/// An application's exports. Look-ups and add() may run side by side.
class TunedConfigurations {
 public:
  /// No exports, or those from a file, a folder or, for nullptr, ROOFTUNE_EXPORTS; see
  /// rooftune_load().
  TunedConfigurations() : TunedConfigurations("") {}
  explicit TunedConfigurations(const char* path) : exports_(rooftune_load(path)) {
    if (!exports_) throw std::bad_alloc();
  }

  /// Returns false, and adds to `faults()`, for any unusable part; usable ones are kept.
  bool add(const std::string& path) { return rooftune_add(exports_.get(), path.c_str()) == 0; }
  /// Keeps only what is there now, at a path or in ROOFTUNE_EXPORTS; see rooftune_reload(). Returns
  /// as add().
  bool reload(const char* path = nullptr) { return rooftune_reload(exports_.get(), path) == 0; }
  /// Unreadable parts, one sentence each.
  std::vector<std::string> faults() const {
    std::vector<std::string> all(rooftune_fault_count(exports_.get()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = rooftune_fault(exports_.get(), i);
    return all;
  }
  std::size_t size() const { return rooftune_count(exports_.get()); }

  /// See rooftune_look_up(). `machine`: nullptr is this host.
  TunedConfiguration find(const char* kernel, const ProblemParameter* problem,
                          std::size_t parameters, const char* machine = nullptr) const noexcept {
    static_assert(sizeof(ProblemParameter) == sizeof(rooftune_value));
    return TunedConfiguration(
        rooftune_look_up(exports_.get(), kernel, machine, problem, parameters));
  }
  TunedConfiguration find(const char* kernel, std::initializer_list<ProblemParameter> problem,
                          const char* machine = nullptr) const noexcept {
    return find(kernel, problem.begin(), problem.size(), machine);
  }

 private:
  struct Free {
    void operator()(rooftune_exports* exports) const { rooftune_free(exports); }
  };
  std::unique_ptr<rooftune_exports, Free> exports_;
};

/// This host; see rooftune_this_machine().
inline const rooftune_machine& this_machine() { return *rooftune_this_machine(); }

}  // namespace runtime
}  // namespace rooftune
