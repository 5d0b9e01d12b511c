// Stands in for the worker when problem.cpp runs inside a test.
// The caller links kernels/gpp/problem.cpp and reference.cpp.
#include "gpp_problem.h"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace rooftune::testing {
namespace {

class MemoryProblem final : public Problem {
 public:
  explicit MemoryProblem(std::map<std::string, std::string> parameters)
      : parameters_(std::move(parameters)) {
    parameters_.insert({{"input", ""},
                        {"nb", "32"},
                        {"ngpown", "32"},
                        {"ncouls", "2048"},
                        {"nw", "2"},
                        {"nvband", "8"},
                        {"seed", "20200826"}});
  }
  const char* text(const char* name) const override { return parameters_.at(name).c_str(); }
  std::int64_t integer(const char* name) const override { return std::stoll(parameters_.at(name)); }
  double real(const char* name) const override { return std::stod(parameters_.at(name)); }
  void set(const char* fact, double value) override { facts[fact] = value; }
  void set(const char* fact, std::int64_t value) override {
    facts[fact] = static_cast<double>(value);
  }
  void set(const char*, const char*) override { throw std::logic_error("no fact is text"); }
  double* float64(const char* name, std::int64_t count) override {
    return (reals[name] = std::vector<double>(static_cast<std::size_t>(count))).data();
  }
  float* float32(const char*, std::int64_t) override { throw std::logic_error("no float array"); }
  std::int32_t* int32(const char*, std::int64_t) override { throw std::logic_error("no int32"); }
  std::int64_t* int64(const char*, std::int64_t) override { throw std::logic_error("no int64"); }
  [[noreturn]] void fail(const char* message, const char* where, const char* hint) override {
    throw Refusal{message, where, hint};
  }

  std::map<std::string, double> facts;
  std::map<std::string, std::vector<double>> reals;

 private:
  std::map<std::string, std::string> parameters_;
};

}  // namespace

std::vector<double> Sigma::reference() const {
  std::vector<double> result(static_cast<std::size_t>(4 * nw), NAN);
  const auto at = [this](const char* name) { return arrays.at(name).data(); };
  gpp(nb, ng, nc, nw, at("wtilde"), at("i_eps"), at("aqsn"), at("aqsm"), at("vcoul"), at("occ"),
      at("wx"), result.data());
  return result;
}

Loaded load(const std::map<std::string, std::string>& parameters) {
  MemoryProblem problem(parameters);
  ::problem(problem);
  Loaded result;
  result.scale = problem.reals.at("sigma_scale");
  problem.reals.erase("sigma_scale");
  const auto size = [&](const char* fact) {
    return static_cast<std::int64_t>(problem.facts.at(fact));
  };
  result.sigma = {size("bands"), size("gprimes"), size("gvectors"), size("energy_count"),
                  std::move(problem.reals)};
  result.facts = std::move(problem.facts);
  return result;
}

Loaded load(std::int64_t nb, std::int64_t ng, std::int64_t nc, std::int64_t nw, std::int64_t nv) {
  return load({{"nb", std::to_string(nb)},
               {"ngpown", std::to_string(ng)},
               {"ncouls", std::to_string(nc)},
               {"nw", std::to_string(nw)},
               {"nvband", std::to_string(nv)}});
}

Loaded load_file(const std::string& content) {
  std::string path = (std::filesystem::temp_directory_path() / "rooftune-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) throw std::runtime_error("mkstemp failed");
  close(file);
  std::ofstream(path, std::ios::binary) << content;
  try {
    Loaded result = load({{"input", path}});
    std::filesystem::remove(path);
    return result;
  } catch (Refusal& refusal) {
    std::filesystem::remove(path);
    if (refusal.where.rfind(path, 0) == 0)
      refusal.where = "file" + refusal.where.substr(path.size());
    throw;
  }
}

double difference(const std::vector<double>& got, const std::vector<double>& wanted,
                  const std::vector<double>& scale) {
  double largest = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const double error = std::abs(got[k] - wanted[k]);
    if (error == 0) continue;
    const double relative = error / scale[k];
    if (!(relative <= largest)) largest = std::isnan(relative) ? INFINITY : relative;
  }
  return largest;
}

}  // namespace rooftune::testing
