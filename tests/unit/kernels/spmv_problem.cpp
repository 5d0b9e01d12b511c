// The problem of a test in memory, and kernels/spmv/problem.cpp and reference.cpp called on it.
// The caller links both sources.
#include "spmv_problem.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

void spmv(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const std::int32_t* row_pointer,
          const std::int32_t* column, const double* value, const double* x, double* y);

namespace rooftune::testing {

MemoryProblem::MemoryProblem(std::map<std::string, std::string> parameters)
    : parameters_(std::move(parameters)) {
  parameters_.insert({{"matrix", ""}, {"kind", "fem3d"}, {"n", "0"}, {"seed", "1"}});
}

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
void MemoryProblem::set(const char*, const char*) {
  throw std::logic_error("spmv has no fact that is text");
}
double* MemoryProblem::float64(const char* name, std::int64_t count) {
  return reals.insert_or_assign(name, std::vector<double>(static_cast<std::size_t>(count)))
      .first->second.data();
}
float* MemoryProblem::float32(const char*, std::int64_t) {
  throw std::logic_error("spmv has no array of float");
}
std::int32_t* MemoryProblem::int32(const char* name, std::int64_t count) {
  return integers.insert_or_assign(name, std::vector<std::int32_t>(static_cast<std::size_t>(count)))
      .first->second.data();
}
std::int64_t* MemoryProblem::int64(const char*, std::int64_t) {
  throw std::logic_error("spmv has no array of int64");
}
void MemoryProblem::fail(const char* message, const char* where, const char* hint) {
  throw Refusal{message, where, hint};
}

std::vector<double> Sparse::dense() const {
  std::vector<double> all(static_cast<std::size_t>(rows * cols), 0.0);
  for (std::int64_t i = 0; i < rows; ++i)
    for (auto k = static_cast<std::size_t>(pointer[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(pointer[static_cast<std::size_t>(i) + 1]); ++k)
      all[static_cast<std::size_t>(i * cols + column[k])] += value[k];
  return all;
}

std::vector<double> Sparse::product() const {
  std::vector<double> y(static_cast<std::size_t>(rows), -1.0);
  spmv(rows, cols, entries(), pointer.data(), column.data(), value.data(), x.data(), y.data());
  return y;
}

Sparse loaded(const MemoryProblem& problem) {
  Sparse a;
  a.rows = static_cast<std::int64_t>(problem.facts.at("rows"));
  a.cols = static_cast<std::int64_t>(problem.facts.at("cols"));
  a.pointer = problem.integers.at("row_pointer");
  a.column = problem.integers.at("column");
  a.value = problem.reals.at("value");
  a.x = problem.reals.at("x");
  return a;
}

MemoryProblem solved(std::map<std::string, std::string> parameters) {
  MemoryProblem problem(std::move(parameters));
  ::problem(problem);
  return problem;
}

MemoryProblem solved_text(const std::string& text) {
  std::string path = (std::filesystem::temp_directory_path() / "rooftune-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) throw std::runtime_error("mkstemp failed");
  close(file);
  std::ofstream(path, std::ios::binary) << text;
  try {
    MemoryProblem problem = solved({{"matrix", path}});
    std::filesystem::remove(path);
    return problem;
  } catch (Refusal& refusal) {
    std::filesystem::remove(path);
    if (refusal.where.rfind(path, 0) == 0)
      refusal.where = "file" + refusal.where.substr(path.size());
    throw;
  }
}

}  // namespace rooftune::testing
