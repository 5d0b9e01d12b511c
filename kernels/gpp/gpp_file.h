// Reads a calculation from a file: a text header, then the arrays as text or as little-endian
// doubles. Whatever is wrong with the file ends in Problem::fail with file and line or field.
#pragma once
#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "input.h"

namespace gpp_input {

class FileReader {
 public:
  FileReader(rooftune::Problem& p, const char* path) : problem_(p), path_(path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) refuse(p, std::string("cannot read the input: ") + std::strerror(errno), path, "");
    text_.assign(std::istreambuf_iterator<char>(file), {});
    if (file.bad()) refuse(p, "cannot read the input (is it a directory?)", path, "");
  }

  Input read() {
    header();
    const Input in = allocate(problem_, size_, path_ + ":" + std::to_string(line_ - 1));
    array("wtilde", in.wtilde, 2 * size_.ng * size_.nc);
    array("I_eps", in.i_eps, 2 * size_.ng * size_.nc);
    array("aqsn", in.aqsn, 2 * size_.nb * size_.nc);
    array("aqsm", in.aqsm, 2 * size_.nb * size_.ng);
    array("vcoul", in.vcoul, size_.ng);
    array("occ", in.occ, size_.nb);
    array("wx", in.wx, size_.nb * size_.nw);
    if (!binary_) skip_space();
    if (at_ != text_.size())
      fail("", "more data than the sizes of line 2 announce", "correct the sizes, or the data");
    return in;
  }

 private:
  [[noreturn]] void fail(const std::string& field, const std::string& message,
                         const std::string& hint) const {
    // In binary data a field and the number in it say more than a line.
    const std::string where = binary_ && line_ > 2 ? "" : ":" + std::to_string(line_);
    refuse(problem_, (field.empty() ? "" : field + ": ") + message, path_ + where, hint);
  }

  std::string line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string result = text_.substr(at_, end - at_);
    if (!result.empty() && result.back() == '\r') result.pop_back();
    at_ = std::min(end + 1, text_.size());
    ++line_;
    return result;
  }

  void header() {
    const std::string first = line();
    binary_ = first == "rooftune-gpp-1 binary";
    if (!binary_ && first != "rooftune-gpp-1 text") {
      line_ = 1;
      fail("", "not a file of this kernel",
           "the first line is \"rooftune-gpp-1 text\" or \"rooftune-gpp-1 binary\"");
    }
    std::istringstream words(line());
    const char* const names[] = {"bands", "ngpown", "ncouls", "nw"};
    std::int64_t* const sizes[] = {&size_.nb, &size_.ng, &size_.nc, &size_.nw};
    for (int k = 0; k < 4; ++k)
      if (!(words >> *sizes[k]) || *sizes[k] < 1 || *sizes[k] > 1000000000) {
        line_ = 2;
        fail(names[k], "a whole number of at least 1 is expected",
             "line 2 holds four numbers: bands ngpown ncouls nw");
      }
    std::string rest;
    if (words >> rest || size_.nw > 64) {
      line_ = 2;
      fail("nw", rest.empty() ? "at most 64 energies" : "unexpected text after it: " + rest, "");
    }
  }

  void array(const char* name, double* to, std::int64_t count) {
    if (binary_)
      raw(name, to, count);
    else
      numbers(name, to, count);
  }

  void raw(const char* name, double* to, std::int64_t count) {
    static_assert(std::endian::native == std::endian::little);
    const auto left = static_cast<std::int64_t>((text_.size() - at_) / sizeof(double));
    if (left < count)
      fail(name,
           "the file ends after " + std::to_string(left) + " of " + std::to_string(count) +
               " numbers",
           "the file is truncated, or the sizes of line 2 are wrong");
    std::memcpy(to, text_.data() + at_, static_cast<std::size_t>(count) * sizeof(double));
    at_ += static_cast<std::size_t>(count) * sizeof(double);
    for (std::int64_t k = 0; k < count; ++k) check(name, k, to[k]);
  }

  void skip_space() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return;
    }
  }

  std::string word() {
    skip_space();
    const std::size_t from = at_;
    while (at_ < text_.size() && !std::strchr(" \t\r\n", text_[at_])) ++at_;
    return text_.substr(from, std::min<std::size_t>(at_ - from, 40));
  }

  void numbers(const char* name, double* to, std::int64_t count) {
    const std::string title = word();
    if (title != name)
      fail(name,
           title.empty() ? "the file ends before it"
                         : "its name is expected here, found \"" + title + "\"",
           "text files hold wtilde I_eps aqsn aqsm vcoul occ wx, each name before its numbers");
    for (std::int64_t k = 0; k < count; ++k) {
      skip_space();
      const char* const from = text_.data() + at_;
      const char* const end = text_.data() + text_.size();
      const auto [rest, fault] = std::from_chars(from, end, to[k]);
      const bool ended = rest == end || std::strchr(" \t\r\n", *rest);
      if (fault != std::errc{} || !ended)
        fail(name,
             from == end ? "the file ends after " + std::to_string(k) + " of " +
                               std::to_string(count) + " numbers"
                         : "number " + std::to_string(k + 1) + " of " + std::to_string(count) +
                               " is expected here, found \"" + word() + "\"",
             "the sizes of line 2 say how many numbers each array has");
      at_ += static_cast<std::size_t>(rest - from);
      check(name, k, to[k]);
    }
  }

  void check(const std::string& name, std::int64_t k, double value) const {
    const char* fault = nullptr;
    if (!std::isfinite(value)) fault = " is not finite";
    if (std::abs(value) > 1e15) fault = " is larger than 1e15";
    if (name == "occ" && (value < 0 || value > 2)) fault = " is no occupation: 0 to 2";
    if (fault) fail(name, "number " + std::to_string(k + 1) + fault, "");
  }

  rooftune::Problem& problem_;
  std::string path_, text_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
  bool binary_ = false;
  Sizes size_{};
};

}  // namespace gpp_input
