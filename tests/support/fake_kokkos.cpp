// Plays a Kokkos that was built with tuning: loads the tool that KOKKOS_TOOLS_LIBS names and asks
// it as Kokkos does, with Kokkos' positions, sizes and mistakes. Arguments are the version that it
// says it is, and what it runs: team:LABEL, tiles:LABEL (two dimensions), own:NAME (a variable of
// the application). Prints what each ran with.
#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kokkos/tools_interface.h"

// As the C interface of Kokkos calls it: the name is part of the symbol.
struct Kokkos_Tools_VariableValue {
  rooftune::kokkos::tools::Variable one;
};

namespace {

using namespace rooftune::kokkos::tools;
using Request = void (*)(std::size_t, std::size_t, const Kokkos_Tools_VariableValue*, std::size_t,
                         Kokkos_Tools_VariableValue*);

void* tool = nullptr;
Request request = nullptr;
std::size_t last_id = 0;
std::vector<std::unique_ptr<Declaration>> infos;
constexpr std::uint32_t openmp_device = 0x1000001;

template <class Function>
Function hook(const char* name) {
  void* const found = dlsym(tool, name);
  if (!found) std::printf("no %s\n", name);
  return reinterpret_cast<Function>(found);
}

/// What an application gets for one variable; the value passed in where nobody is asked.
std::size_t declare(const std::string& name, Declaration info) {
  infos.resize(++last_id + 1);
  hook<void (*)(const char*, std::size_t, Declaration*)>("kokkosp_declare_output_type")(
      name.c_str(), last_id, &info);
  infos[last_id] = std::make_unique<Declaration>(info);
  return last_id;
}

Declaration positions(double step) {
  Declaration info{};
  info.type = type_real;
  info.category = 2;
  info.quantity = quantity_range;
  info.candidates.range = {};
  info.candidates.range.upper.real = 0.999;
  info.candidates.range.step.real = step;
  info.candidates.range.open_lower = info.candidates.range.open_upper = true;
  return info;
}

void ask(std::vector<Variable>& variables) {
  if (!request) return;
  // One that was never declared stands in front of them, and its value is its own.
  std::vector<Kokkos_Tools_VariableValue> all(1);
  all[0].one.id = 4711;
  all[0].one.value.integer = 42;
  for (const Variable& variable : variables) all.push_back({variable});
  request(0, 0, nullptr, all.size(), all.data());
  if (all[0].one.value.integer != 42) std::puts("an undeclared variable was changed");
  for (std::size_t i = 0; i < variables.size(); ++i) variables[i] = all[i + 1].one;
}

/// Kokkos' rule: the size at count * position.
int size_at(const std::vector<int>& sizes, double position) {
  return sizes.at(static_cast<std::size_t>(static_cast<double>(sizes.size()) * position));
}

std::vector<int> tile_sizes(int product) {
  std::vector<int> sizes;
  for (int size = 1; size < product; size *= 2) sizes.push_back(size);
  return sizes;
}

void team(const std::string& label, Variable& vector, Variable& size) {
  std::vector<Variable> asked{vector, size};
  const bool asks = request != nullptr;
  if (asks) ask(asked);
  const int members = asks ? size_at({4, 2, 1}, asked[1].value.real) : 1;
  std::printf("%s: team of %d%s\n", label.c_str(), members, asks ? "" : ", its own");
  // More members, less time, beyond what a busy machine or a sanitizer's start and end add.
#ifdef __SANITIZE_ADDRESS__
  constexpr int one_member = 512;
#else
  constexpr int one_member = 32;
#endif
  std::this_thread::sleep_for(std::chrono::milliseconds(one_member / members / members));
}

/// Once a tool sets the tile, versions before 5.1 visit each element as often as there were tiles.
void tiles(const std::string& label, bool broken, Variable& first, Variable& second) {
  std::vector<Variable> asked{first, second};
  const bool asks = request != nullptr;
  int x = 2, y = 2, old_tiles = 64 * 64 / 4;
  if (asks) {
    ask(asked);
    x = size_at(tile_sizes(1024), asked[0].value.real);
    y = size_at(tile_sizes(1024 / x), asked[1].value.real);
  }
  const int sum = 64 * 64 * (asks && broken ? old_tiles : 1);
  std::printf("%s: tile %dx%d%s, sum %s\n", label.c_str(), x, y, asks ? "" : ", its own",
              sum == 64 * 64 ? "right" : "wrong");
}

}  // namespace

extern "C" int omp_get_max_threads() { return 4; }

#ifdef ROOFTUNE_SHARED_KOKKOS
namespace Kokkos::Tools::Experimental {
void set_request_output_values_callback(Request callback) { request = callback; }
}  // namespace Kokkos::Tools::Experimental
#endif

int main(int count, char** words) {
  const char* const file = std::getenv("KOKKOS_TOOLS_LIBS");
  tool = file ? dlopen(file, RTLD_NOW | RTLD_GLOBAL) : nullptr;
  if (!tool) {
    std::printf("no tool: %s\n", file ? dlerror() : "none is named");
    return 0;
  }
  request = hook<Request>("kokkosp_request_values");
  hook<void (*)(const char*, const char*)>("kokkosp_declare_metadata")("Kokkos Version", words[1]);
  const bool broken = std::atof(words[1]) < 5.1;
  std::uint64_t id = 0;
  const auto begin = [&](const std::string& label) {
    hook<void (*)(const char*, std::uint32_t, std::uint64_t*)>("kokkosp_begin_parallel_for")(
        label.c_str(), openmp_device, &id);
  };
  const auto end = [&] { hook<void (*)(std::uint64_t)>("kokkosp_end_parallel_for")(id); };
  for (int i = 2; i < count; ++i) {
    const std::string word = words[i], kind = word.substr(0, word.find(':'));
    const std::string label = word.substr(kind.size() + 1);
    if (kind == "team") {
      Variable vector{}, size{};
      for (int call = 0; call < 2; ++call) {
        begin(label);
        if (call == 0) {
          vector.id = declare(label + "_vector_length", positions(0.999 / 20));
          size.id = declare(label + "_team_size", positions(0.999 / 20));
        }
        team(label, vector, size);
        end();
      }
    } else if (kind == "tiles") {
      begin(label);
      Variable first{}, second{};
      first.id = declare(label + "_tile_size_0", positions(0.999 / 15));
      second.id = declare(label + "_tile_size_1", positions(0.999 / 15));
      tiles(label, broken, first, second);
      end();
    } else {
      Declaration info{};
      info.type = 1;      // whole numbers
      info.quantity = 2;  // without bounds
      std::vector<Variable> asked(1);
      asked[0].id = declare(label, info);
      asked[0].value.integer = 3;
      ask(asked);
      std::printf("%s: %lld\n", label.c_str(), static_cast<long long>(asked[0].value.integer));
    }
  }
  hook<void (*)()>("kokkosp_finalize_library")();
  return 0;
}
