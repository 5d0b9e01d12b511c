// A cursor over the text of a numeric file that knows its line and says precisely what is wrong.
// The caller keeps the text alive and ends it with a NUL byte beyond `end`.
#pragma once
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "limits.h"
#include "rooftune/problem.h"

namespace spmv_kernel {

class TextCursor {
 public:
  TextCursor(rooftune::Problem& problem, const char* path, const char* begin, const char* end)
      : problem_(problem), path_(path), at_(begin), end_(end) {}

  [[noreturn]] void fail(const std::string& message, const std::string& hint) const {
    refuse(problem_, message, path_ + ":" + std::to_string(line_), hint);
  }

  /// Bytes that are left.
  std::int64_t left() const { return end_ - at_; }

  /// Moves to the first text of the next line that is neither blank nor a comment, starting with
  /// the line at hand when nothing of it was read; false at the end of the file.
  bool next_entry() {
    for (;;) {
      skip_blanks();
      if (at_ == end_) return false;
      if (*at_ == '%') {
        skip_line();
      } else if (*at_ == '\n') {
        ++at_;
        ++line_;
      } else {
        return true;
      }
    }
  }

  /// The rest of the line without its end.
  std::string rest_of_line() {
    const char* from = at_;
    while (at_ != end_ && *at_ != '\n') ++at_;
    std::string text(from, at_);
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ' || text.back() == '\t'))
      text.pop_back();
    end_line("the header");
    return text;
  }

  /// A whole number; `what` names it in a complaint.
  std::int64_t whole(const char* what) {
    std::int64_t value = 0;
    const auto [from, digits] = whole_word(what);
    if (std::from_chars(digits, at_, value).ec != std::errc{})
      complain(from, what, "beyond 64 bits");
    return value;
  }

  /// A whole number of any size, to the nearest of 64 bits with a fraction.
  double whole_as_real(const char* what) {
    double value = 0;
    const auto [from, digits] = whole_word(what);
    if (std::from_chars(digits, at_, value).ec != std::errc{}) complain(from, what, "not finite");
    return value;
  }

  /// A finite number, also with Fortran's exponent D.
  double real(const char* what) {
    skip_blanks();
    const char* from = at_;
    if (*at_ == '+' && at_[1] != '-') ++at_;
    double value = 0;
    const auto [rest, fault] = std::from_chars(at_, end_, value);
    at_ = rest;
    if (fault == std::errc::result_out_of_range || *at_ == 'D' || *at_ == 'd') {
      value = unusual(from);
    } else if (fault != std::errc{} || !at_word_end()) {
      complain(from, what, at_ == end_ ? "missing: the file ends" : "no number");
    }
    if (!std::isfinite(value)) complain(from, what, "not finite");
    return value;
  }

  /// Nothing but blanks is left on the line.
  bool at_line_end() {
    skip_blanks();
    return at_ == end_ || *at_ == '\n';
  }

  /// Nothing but blanks may be left on the line.
  void end_line(const char* what) {
    skip_blanks();
    if (at_ == end_) return;
    if (*at_ != '\n') fail(std::string("unexpected text after ") + what + ": " + word(at_), "");
    ++at_;
    ++line_;
  }

  /// The word at `from`, shortened for a message.
  std::string word(const char* from) const {
    std::string text = "\"";
    for (; from != end_ && *from > ' ' && text.size() < 40; ++from) text += *from;
    if (from != end_ && text.size() == 1 && *from != '\n' && *from != '\r')
      return "a byte that is no text";
    return text + "\"";
  }

 private:
  /// Moves over a whole number: where it begins, and where what std::from_chars knows of it begins.
  std::pair<const char*, const char*> whole_word(const char* what) {
    skip_blanks();
    const char* from = at_;
    if (*at_ == '-' || *at_ == '+') ++at_;
    const char* digits = at_;
    while (*at_ >= '0' && *at_ <= '9') ++at_;
    if (at_ == digits || !at_word_end()) complain(from, what, "no whole number");
    return {from, *from == '-' ? from : digits};
  }
  void skip_blanks() {
    while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') ++at_;
  }
  void skip_line() {
    while (at_ != end_ && *at_ != '\n') ++at_;
  }
  bool at_word_end() const {
    return at_ == end_ || *at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n';
  }

  [[noreturn]] void complain(const char* from, const char* what, const char* fault) const {
    const bool empty = from == end_ || *from == '\n';
    fail(std::string(what) + (empty ? " is missing" : " " + word(from) + " is " + fault),
         empty && from == end_ ? "the file is truncated" : "");
  }

  /// Exponents with D and numbers that underflow: rare, so the slow way is good enough.
  double unusual(const char* from) {
    std::string text;
    for (at_ = from; !at_word_end() && text.size() < 400; ++at_)
      text += *at_ == 'D' || *at_ == 'd' ? 'e' : *at_;
    char* rest = nullptr;
    const double value = std::strtod(text.c_str(), &rest);
    if (*rest != '\0' || text.find_first_of("xX") != std::string::npos)
      complain(from, "the value", "no number");
    return value;
  }

  rooftune::Problem& problem_;
  std::string path_;
  const char* at_;
  const char* end_;
  std::int64_t line_ = 1;
};

}  // namespace spmv_kernel
