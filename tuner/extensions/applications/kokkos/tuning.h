// The tuning half of the connector: answers what Kokkos asks for with the chosen values, and keeps
// Kokkos from asking where its own choice is to stay.
//
// There is no answer "your own choice": a tool that is there to be asked replaces it. Kokkos can be
// kept from asking only by taking the tool away for a kernel, which a shared Kokkos allows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kokkos/candidates.h"
#include "kokkos/tools_interface.h"

namespace rooftune::kokkos {

/// A variable that can be chosen.
struct Tunable {
  std::string variable, knob;
  Candidates candidates;
  Place place;
  std::optional<tools::Value> answer;  ///< nullopt: nothing is chosen
};

class Tuning {
 public:
  /// `ask`: the function that answers, as Kokkos found it in this tool.
  explicit Tuning(tools::RequestValues ask);
  void set_version(const std::string& version) { version_ = version; }
  void begin_kernel(const char* label, std::uint32_t device);
  void end_kernel();
  /// Outside of kernels an application may ask for variables of its own.
  void begin_context();
  void declare(std::size_t id, const std::string& variable, const tools::Declaration& info);
  void answer(std::size_t count, tools::Variable* variables);
  /// By the order in which Kokkos named them.
  std::vector<Tunable> tunables() const;
  /// Kernels that have a chosen value, and all that could.
  std::pair<std::size_t, std::size_t> tuned_kernels() const;

 private:
  struct OfKernel {
    bool refused = false, chosen = false;
    std::int64_t taken = 1;  ///< points of a tile so far
    std::size_t dimensions = 0;
  };
  void refuse(const std::string& kernel);
  void let_ask(bool asks);

  const tools::RequestValues ask_;
  void (*const set_ask_)(tools::RequestValues);  ///< of a shared Kokkos
  mutable std::mutex mutex_;
  std::string version_, kernel_;
  Place place_;
  int depth_ = 0;
  bool asks_ = true, said_refused_ = false;
  std::map<std::string, OfKernel> kernels_;
  std::map<std::size_t, Tunable> tunables_;
};

}  // namespace rooftune::kokkos
