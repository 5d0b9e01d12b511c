// A struct's member as its user sees it. One list gives an Option to each member; command-line
// options, the members in files and their schema follow from it:
//
//   static void fields(auto& self, auto& visit) {
//     visit("threads", self.threads, {"Most threads", "N", "all usable", 0, 65536});
//   }
#pragma once
#include <limits>

#include "core/fields.h"

namespace rooftune::core {

struct Option {
  const char* about;             ///< one sentence; for a truth it tells what true does
  const char* placeholder = "";  ///< stands for the value in the help: "KERNEL"
  const char* usual = "";        ///< shown for a default that means nothing by itself: "all usable"
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  /// Why files may not have this member; nullptr: they may.
  const char* refused_in_files = nullptr;
  char letter = 0;  ///< a short option's

  bool allows(double value) const { return value >= least && value <= most; }
};
/// "must be 1 to 9", "must be at least 1".
std::string range_text(const Option& option);

/// A type written as one text or number: `void from_text(const std::string& text, T& value)`
/// throws an Error.
template <class T>
concept ReadsText = requires(const std::string& text, T& value) {
  from_text(text, value);
};
/// A text as it is, a number as it is written; or nothing, with a fault.
std::optional<std::string> text_or_number(const Place& place);
/// For the decode() of such a type.
template <ReadsText T>
void decode_text(const Place& place, T& value) {
  try {
    if (const auto text = text_or_number(place)) from_text(*text, value);
  } catch (const Error& error) {
    place.fault(error.message(), error.hint());
  }
}

/// A part of a whole, between 0 and 1.
struct Fraction {
  double value = 0;
};
/// "5%" or "0.05". Throws Error.
void from_text(const std::string& text, Fraction& fraction);
inline void decode(const Place& place, Fraction& fraction) { decode_text(place, fraction); }

/// Reads one object; a missing member keeps its value.
class OptionReader {
 public:
  explicit OptionReader(const Place& object) : object_(object), reader_(object) {}
  template <class T>
  OptionReader& operator()(const char* name, T& member, const Option& option) {
    const size_t faults_before = object_.faults().size();
    if (refuse(name, option)) return *this;
    reader_.defaulted(name, member);
    if constexpr (std::is_arithmetic_v<T>)
      if (object_.faults().size() == faults_before && !option.allows(double(member)))
        object_.member(name).fault(range_text(option));
    return *this;
  }
  /// Reports unknown members.
  void finish() const { reader_.finish(); }

 private:
  /// Whether files have no such member; a fault where this one has it.
  bool refuse(const char* name, const Option& option);

  const Place& object_;
  FieldReader reader_;
};

template <class T>
void decode_options(const Place& place, T& value) {
  OptionReader reader(place);
  T::fields(value, reader);
  reader.finish();
}

}  // namespace rooftune::core
