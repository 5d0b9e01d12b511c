// What the test of an exported library is made of: the kernel's own problem, its arrays, and the
// comparison with its reference.
// SPDX-License-Identifier: MIT-0
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "elements.h"

namespace rooftune_library {

/// Parameters in, arrays out; `Problem` is the interface of rooftune/problem.h.
template <class Problem>
class TestProblem final : public Problem {
 public:
  explicit TestProblem(std::map<std::string, std::string> parameters)
      : parameters_(std::move(parameters)) {}
  const char* text(const char* name) const override { return parameters_.at(name).c_str(); }
  std::int64_t integer(const char* name) const override {
    return std::strtoll(parameters_.at(name).c_str(), nullptr, 10);
  }
  double real(const char* name) const override {
    return std::strtod(parameters_.at(name).c_str(), nullptr);
  }
  void set(const char*, double) override {}
  void set(const char*, std::int64_t) override {}
  void set(const char*, const char*) override {}
  void* elements(const char* name, const char*, std::size_t size, std::int64_t count) override {
    std::vector<char>& bytes = arrays_[name];
    bytes.assign(static_cast<std::size_t>(count) * size, 0);
    return bytes.data();
  }
  [[noreturn]] void fail(const char* message, const char* where, const char*) override {
    std::fprintf(stderr, "%s: %s\n", where, message);
    std::exit(2);
  }
  template <class T>
  std::vector<T> taken(const std::string& name) const {
    const std::vector<char>& bytes = arrays_.at(name);
    const T* const first = reinterpret_cast<const T*>(bytes.data());
    return {first, first + bytes.size() / sizeof(T)};
  }

 private:
  std::map<std::string, std::string> parameters_;
  std::map<std::string, std::vector<char>> arrays_;
};

/// What the library says of a variant: its name, and where it was timed if elsewhere.
inline bool is_named(const std::string& said, const std::string& variant) {
  return said.substr(0, said.find(',')) == variant;
}

/// Says that it is not where it is not.
inline bool is_there(const char* file) {
  std::FILE* const opened = std::fopen(file, "r");
  if (opened) return std::fclose(opened) == 0;
  std::printf("skipped: there is no file %s\n", file);
  return false;
}

/// The elements that follow `offset` bytes of a file.
template <class T>
std::vector<T> contents(const char* file, long offset, std::int64_t count) {
  std::vector<T> elements(static_cast<std::size_t>(count));
  std::FILE* const opened = std::fopen(file, "rb");
  const bool read =
      opened && std::fseek(opened, offset, SEEK_SET) == 0 &&
      std::fread(elements.data(), sizeof(T), elements.size(), opened) == elements.size();
  if (opened) std::fclose(opened);
  if (read) return elements;
  std::fprintf(stderr, "%s: has other elements than the export saw\n", file);
  std::exit(2);
}

template <class T>
std::vector<T> uniform(std::int64_t count, double low, double high, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> values(low, high);
  std::vector<T> result(static_cast<std::size_t>(count));
  for (T& one : result) one = rooftune::element_from<T>(values(random));
  return result;
}

/// The elements value(i, count).
template <class T, class Value>
std::vector<T> made(std::int64_t count, const Value& value) {
  std::vector<T> result(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] =
        rooftune::element_from<T>(value(static_cast<double>(i), static_cast<double>(count)));
  return result;
}

/// Elements beyond absolute + relative * scale + per_size * size: scale of each, of the largest, or
/// the given ones.
struct Tolerance {
  double relative, absolute;
  enum class Scale { element, largest, given } scale;
  double per_size;
  bool nan;  ///< a right value where the reference has it
};

template <class T>
bool equal(const char* variant, const char* name, const std::vector<T>& got,
           const std::vector<T>& expected, const Tolerance& tolerance,
           const std::vector<double>& given) {
  const auto size_of = [](auto value) { return static_cast<double>(std::abs(value)); };
  double largest = 0;
  for (const T one : expected) largest = std::fmax(largest, size_of(rooftune::exact(one)));
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto have = rooftune::exact(got[i]), want = rooftune::exact(expected[i]);
    if (tolerance.nan && have != have && want != want) continue;
    const double size = size_of(want);
    const double scale = tolerance.scale == Tolerance::Scale::element   ? size
                         : tolerance.scale == Tolerance::Scale::largest ? largest
                                                                        : given[i];
    const double allowed =
        tolerance.absolute + tolerance.relative * scale + tolerance.per_size * size;
    if (size_of(have - want) <= allowed) continue;
    std::ostringstream text;
    text << std::setprecision(17) << have << ", the reference says " << want;
    std::printf("%s: %s[%zu] is %s\n", variant, name, i, text.str().c_str());
    return false;
  }
  return true;
}

/// Structures: byte by byte.
template <std::size_t size>
bool equal(const char* variant, const char* name, const std::vector<rooftune::Structure<size>>& got,
           const std::vector<rooftune::Structure<size>>& expected, const Tolerance&,
           const std::vector<double>&) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::memcmp(&got[i], &expected[i], size) == 0) continue;
    std::printf("%s: %s[%zu] has other bytes than the reference's\n", variant, name, i);
    return false;
  }
  return true;
}

}  // namespace rooftune_library
