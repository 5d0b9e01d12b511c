// User errors, with message, place and cure. They are thrown for files, options and the environment
// only; a failing variant is a trial::Outcome. And the words that a user may write.
#pragma once
#include <boost/preprocessor/seq/for_each.hpp>
#include <boost/preprocessor/stringize.hpp>
#include <boost/preprocessor/variadic/to_seq.hpp>
#include <concepts>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::core {

/// How `tune` exits (`tune --help` lists the codes).
enum class ExitCode : int {
  ok = 0,
  failure = 1,      ///< the work was done and a study, kernel or check failed
  usage = 2,        ///< option or input file at fault
  unavailable = 3,  ///< the machine, device or service asked for is not here
  io = 74,          ///< results cannot be written or a file system fails (EX_IOERR in sysexits.h)
  busy = 75,        ///< another process runs this study: the same command later (EX_TEMPFAIL)
  interrupted = 130,
};

/// A fault in the user's input or environment. `what()` is "where: message\nhint: ...". Its parts
/// are plain_text, so no name or foreign message in them reaches a terminal as it came.
class Error : public std::runtime_error {
 public:
  /// `where`: a file, a place in one, or an option; its text is kept as it is.
  Error(std::string message, const fs::path& where = {}, std::string hint = {},
        ExitCode code = ExitCode::usage);
  const std::string& message() const { return message_; }
  const std::string& where() const { return where_; }
  const std::string& hint() const { return hint_; }
  ExitCode code() const { return code_; }

 private:
  std::string message_, where_, hint_;
  ExitCode code_;
};

/// The machine, device or service asked for is not here.
struct Unavailable : Error {
  explicit Unavailable(std::string message, const fs::path& where = {}, std::string hint = {})
      : Error(std::move(message), where, std::move(hint), ExitCode::unavailable) {}
};

/// Returns what `make` returns; an Error that it throws gets `where` as its place.
auto located(const fs::path& where, const auto& make) {
  try {
    return make();
  } catch (const Error& error) {
    throw Error(error.message(), where, error.hint(), error.code());
  }
}

/// A caught fault, in words for the user: an Error as it is, a file system's fault with its path
/// (ExitCode::io), lack of memory; any other is reported as this program's own fault.
Error as_error(const std::exception& fault);

/// Collects all faults in one input, so the user sees them at once. The owner calls `raise()` when
/// reading is done; it throws one Error if any fault was added.
class Faults {
 public:
  void add(std::string where, std::string message, std::string hint = {});
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  void raise() const;

 private:
  struct Entry {
    std::string where, message, hint;
  };
  std::vector<Entry> entries_;
};

/// The user's request to end (Ctrl-C): the work at hand has no result. A handler records nothing.
/// It is no std::exception, so code that turns faults into results does not take it for a fault.
struct Interrupted {};

/// A user's text as messages quote it: printable, valid UTF-8, at most about 60 bytes.
std::string excerpt(std::string_view text, size_t limit = 60);

/// The candidate closest to `word` by edit distance, for "did you mean"; empty when none is near.
std::string nearest_word(const std::string& word, const Texts& candidates);
/// As a hint: `did you mean "simd"?`, or "one of ..." when none is near.
std::string did_you_mean(const std::string& word, const Texts& candidates);
/// The same with another hint when none is near.
std::string did_you_mean(const std::string& word, const Texts& candidates,
                         const std::string& otherwise);

/// An enum's words, written once beside it, one for each enumerator from 0:
///
///   inline Words words(Color) {
///     static constexpr const char* all[] = {"red", "green"};
///     return all;
///   }
using Words = std::span<const char* const>;

/// An enum whose words are its enumerators' names, and one inside a class.
#define ROOFTUNE_ENUM(...) ROOFTUNE_WORDED_ENUM(inline, __VA_ARGS__)
#define ROOFTUNE_NESTED_ENUM(...) ROOFTUNE_WORDED_ENUM(friend, __VA_ARGS__)
#define ROOFTUNE_WORDED_ENUM(Declared, Enum, ...)                                       \
  enum class Enum { __VA_ARGS__ };                                                      \
  Declared Words words(Enum) {                                                          \
    static constexpr const char* all[] = {                                              \
        BOOST_PP_SEQ_FOR_EACH(ROOFTUNE_WORD, , BOOST_PP_VARIADIC_TO_SEQ(__VA_ARGS__))}; \
    return all;                                                                         \
  }
#define ROOFTUNE_WORD(r, unused, word) BOOST_PP_STRINGIZE(word),

template <class E>
concept HasWords = std::is_enum_v<E> && requires(E value) {
  { words(value) } -> std::same_as<Words>;
};

template <HasWords E>
const char* word(E value) {
  return words(value)[size_t(value)];
}

/// The same, for code that calls to_text() on any value.
template <HasWords E>
const char* to_text(E value) {
  return word(value);
}
/// All enumerators, in their order.
template <HasWords E>
std::vector<E> enumerators() {
  std::vector<E> all;
  for (const size_t i : indices(words(E{}))) all.push_back(E(i));
  return all;
}

std::optional<size_t> index_of(Words words, const std::string& text);
/// "did you mean "red"?", or all words where they are few.
std::string suggestion(Words words, const std::string& text);
/// Throws Error: unknown `what` "text", with a suggestion.
size_t index_or_error(Words words, const char* what, const std::string& text);

/// The enumerator for a word; throws Error: unknown `what`, with a suggestion.
template <HasWords E>
E enumerator(const char* what, const std::string& text) {
  return E(index_or_error(words(E{}), what, text));
}

}  // namespace rooftune::core
