// A kernel's problem.cpp run inside a test: parameters in, arrays and facts in memory.
// The caller links that problem.cpp and names parameters as kernel.json does; a refusal is thrown.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rooftune/problem.h"

namespace rooftune::testing {

using Parameters = std::map<std::string, std::string>;

/// What Problem::fail was told.
struct Refusal {
  std::string message, where, hint;
};

/// Facts are numbers, arrays of double or int32; anything else is a std::logic_error.
class MemoryProblem final : public Problem {
 public:
  /// `defaults` stand in for parameters that are not `chosen`.
  MemoryProblem(Parameters chosen, const Parameters& defaults) : parameters_(std::move(chosen)) {
    parameters_.insert(defaults.begin(), defaults.end());
  }

  const char* text(const char* parameter) const override;
  std::int64_t integer(const char* parameter) const override;
  double real(const char* parameter) const override;
  void set(const char* fact, double value) override;
  void set(const char* fact, std::int64_t value) override;
  void set(const char* fact, const char* value) override;
  void* elements(const char* name, const char* type, std::size_t size, std::int64_t count) override;
  [[noreturn]] void fail(const char* message, const char* where, const char* hint) override;

  /// A fact that is a whole number.
  std::int64_t fact(const char* name) const;

  std::map<std::string, double> facts;
  std::map<std::string, std::vector<double>> reals;
  std::map<std::string, std::vector<std::int32_t>> integers;

 private:
  Parameters parameters_;
};

/// The problem after the linked problem.cpp has made its input. Throws Refusal.
MemoryProblem made(const Parameters& chosen, const Parameters& defaults);

/// A file with `content`, gone with its owner.
class TextFile {
 public:
  explicit TextFile(const std::string& content);
  TextFile(TextFile&& other) noexcept;
  TextFile& operator=(TextFile&&) = delete;
  ~TextFile();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// `load` called with the path of a file with `content`; in a Refusal's `where` it reads "file".
template <class Load>
auto from_file(const std::string& content, const Load& load) {
  const TextFile file(content);
  try {
    return load(file.path());
  } catch (Refusal& refusal) {
    if (refusal.where.rfind(file.path(), 0) == 0)
      refusal.where = "file" + refusal.where.substr(file.path().size());
    throw;
  }
}

/// What `load` is refused with; its message says so when it is not.
template <class Load>
Refusal refusal_of(const Load& load) {
  try {
    load();
  } catch (const Refusal& refusal) {
    return refusal;
  }
  return {"nothing was refused", "", ""};
}

}  // namespace rooftune::testing
