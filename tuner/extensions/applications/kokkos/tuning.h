// The tuning half of the connector: answers Kokkos' questions with the chosen values, and keeps
// Kokkos from asking where its own choice is to stay.
//
// There is no answer "your own choice": a tool present for answers replaces it. Only taking the
// tool away for a kernel keeps Kokkos from asking; a shared Kokkos allows this.
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

/// A variable with a choice.
struct Tunable {
  std::string variable, knob;
  Candidates candidates;
  Place place;
  std::optional<tools::Value> answer;  ///< nullopt: nothing is chosen
};

class Tuning {
 public:
  /// `ask`: the answering function, as Kokkos found it in this tool.
  explicit Tuning(tools::RequestValues ask);
  void set_version(const std::string& version) { version_ = version; }
  void begin_kernel(const char* label, std::uint32_t device);
  void end_kernel();
  /// Outside of kernels an application may ask for variables of its own.
  void begin_context();
  void declare(std::size_t id, const std::string& variable, const tools::Declaration& info);
  void answer(std::size_t count, tools::Variable* variables);
  /// In Kokkos' order of naming them.
  std::vector<Tunable> tunables() const;
  /// Kernels with a chosen value, and all with a possible one.
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
