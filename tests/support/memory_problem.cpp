// Stands in for the worker when problem.cpp runs inside a test.
// The caller links a problem.cpp where made() is used.
#include "support/memory_problem.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace rooftune::testing {
namespace {

template <class T>
T* zeroed(std::map<std::string, std::vector<T>>& arrays, const char* name, std::int64_t count) {
  return (arrays[name] = std::vector<T>(static_cast<std::size_t>(count))).data();
}

}  // namespace

const char* MemoryProblem::text(const char* parameter) const {
  return parameters_.at(parameter).c_str();
}
std::int64_t MemoryProblem::integer(const char* parameter) const {
  return std::stoll(parameters_.at(parameter));
}
double MemoryProblem::real(const char* parameter) const {
  return std::stod(parameters_.at(parameter));
}
void MemoryProblem::set(const char* fact, double value) { facts[fact] = value; }
void MemoryProblem::set(const char* fact, std::int64_t value) {
  facts[fact] = static_cast<double>(value);
}
void MemoryProblem::set(const char* fact, const char*) {
  throw std::logic_error(std::string(fact) + " is text");
}
void* MemoryProblem::elements(const char* name, const char* type, std::size_t, std::int64_t count) {
  if (type == element_word<double>()) return zeroed(reals, name, count);
  if (type == element_word<std::int32_t>()) return zeroed(integers, name, count);
  throw std::logic_error(std::string(name) + " is an array of " + type);
}
void MemoryProblem::fail(const char* message, const char* where, const char* hint) {
  throw Refusal{message, where, hint};
}
std::int64_t MemoryProblem::fact(const char* name) const {
  return static_cast<std::int64_t>(facts.at(name));
}

MemoryProblem made(const Parameters& chosen, const Parameters& defaults) {
  MemoryProblem problem(chosen, defaults);
  ::problem(problem);
  return problem;
}

TextFile::TextFile(const std::string& content)
    : path_((std::filesystem::temp_directory_path() / "rooftune-XXXXXX").string()) {
  const int file = mkstemp(path_.data());
  if (file < 0) throw std::runtime_error("mkstemp failed");
  close(file);
  std::ofstream(path_, std::ios::binary) << content;
}
TextFile::TextFile(TextFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
TextFile::~TextFile() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

}  // namespace rooftune::testing
