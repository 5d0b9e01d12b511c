// A kernel, read from its folder: its computation, its data, its least work and traffic.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/expression.h"
#include "kernel/element_type.h"
#include "kernel/program.h"
#include "roofline/machine.h"
#include "roofline/roofline.h"
#include "space/search_space.h"

namespace rooftune::kernel {

/// Who makes a variant from a source. All other code asks here rather than compare names of back
/// ends.
enum class Builder { host_compiler, kokkos, gpu_compiler, own };

struct BackendRow {
  const char* name;
  Builder builder;
  /// nullopt: depends on the library at hand, or on the program.
  std::optional<MachineKind> runs_on;
};
/// The back end for programs that bring their own build (program.h).
inline constexpr const char* command_backend = "command";
std::span<const BackendRow> backend_table();
/// A name outside the table is C++ for the host's compiler.
const BackendRow& backend_row(const std::string& name);
/// The back end when nobody chooses.
const char* default_backend(MachineKind machine);
bool runs_on_gpu(const std::string& name);

/// A further function in an exported library, for a prepared problem: bool
/// <kernel>_<name>(arguments). It returns false and changes nothing where the variant's layout does
/// not fit the arguments.
struct FurtherFunction {
  struct Parameter {
    std::string name;  ///< an array that the kernel holds: this argument takes its place
    ElementType type = Element::float64;
    bool pointer = false, written = false;
  };
  std::string name, doc;
  std::vector<Parameter> parameters;
};

struct Backend {
  std::string name;  ///< "openmp"
  fs::path source;
  bool prepare = false, finish = false;  ///< <function>_prepare / _finish with the same arguments
  /// Arrays that prepare may keep for later calls; any others may change at every call. Without the
  /// list all are kept.
  std::optional<Texts> holds;
  std::vector<FurtherFunction> functions;
  /// The launching half of a cuda.cu reads no array itself, so an application's arrays may lie on
  /// the card.
  bool device_arrays = false;
  Texts flags;                           ///< extra compiler flags (allow-listed)
  Texts include_directories, libraries;  ///< for peers: absolute; "z" is libz

  /// A library that starts once per process, and has its own compiler and flags.
  bool needs_kokkos() const { return backend_row(name).builder == Builder::kokkos; }
  /// Its source is CUDA text, compiled for one card and launched through the driver.
  bool needs_gpu_compiler() const { return backend_row(name).builder == Builder::gpu_compiler; }
};

/// A problem parameter that the user may set: --problem n=1000000.
struct Parameter {
  ROOFTUNE_NESTED_ENUM(Type, integer, real, text, file)
  std::string name;
  Type type = Type::integer;
  Value fallback;
  std::optional<Value> gpu_fallback;  ///< on a GPU, where `default` has both
  std::optional<double> min, max;
  Texts choices;          ///< text: allowed words; empty = any
  bool required = false;  ///< the manifest has no default: the user must choose
  std::string doc;
};

/// How an input array is filled. The worker does it; deterministic, the same for every thread
/// count.
struct Fill {
  ROOFTUNE_NESTED_ENUM(Kind, zero, constant, uniform, index, sine, permutation)
  Kind kind = Kind::zero;
  double value = 0;          ///< constant
  double low = 0, high = 1;  ///< uniform
  uint64_t seed = 1;         ///< uniform, permutation
  double scale = 1,
         offset = 0;  ///< index: offset + scale*i; sine: offset + scale*sin(2 pi waves i / n)
  double waves = 1;
};

/// How far rounded numbers may lie from the reference: |a - b| <= absolute + relative * scale_i +
/// ulp units in the last place of b. Complex numbers differ by the modulus.
struct Tolerance {
  double relative = 1e-12, absolute = 0;
  std::string
      scale;  ///< "element" (|ref_i|), "max" (largest |ref|), or the name of a problem array
  double ulp = 0;
  bool nan = false;  ///< NaN is right where the reference has it
};

/// One argument to the kernel function, in order.
struct Argument {
  using Type = Element;
  ROOFTUNE_NESTED_ENUM(Access, read, write, update)
  std::string name;
  ElementType type = Type::float64;
  bool pointer = false;
  Expression value;  ///< scalars: over parameters, facts and knobs
  Expression count;  ///< arrays: elements, over parameters and facts
  Access access = Access::read;
  Fill fill;
  Tolerance tolerance;        ///< arrays
  bool from_problem = false;  ///< arrays: allocated and filled by problem.cpp under this name
  fs::path file;    ///< arrays: a file with their contents in place of `fill`; empty: none
  fs::path result;  ///< outputs: what a call leaves, where there is no reference
  /// A whole number that the manifest fixes: presumably a size.
  bool is_constant() const { return !pointer && value.names().empty() && !type.is_rounded(); }
};

struct WallFormula {
  std::string name, level;
  Paradigm lacks{};
  Expression read, write;
  Expression when;  ///< empty = always
};

struct Kernel {
  std::string name;
  std::string title;
  std::string function;
  fs::path folder;
  std::vector<Parameter> parameters;
  Texts facts;  ///< set by problem.cpp
  /// Those facts that the arguments tell: <function>_inspect(arguments, double* facts) in this
  /// source gives them in this order, for the choice in an exported library. Empty: no inspector.
  fs::path inspector;
  Texts inspected;
  std::vector<Argument> arguments;
  ByName<Expression> least_work;  ///< precision -> flops
  bool states_part = false;       ///< see roofline::Work::partial
  /// precision -> kind (roofline/roofline.h) -> least operations
  ByName<ByName<Expression>> least_operations;
  Expression nominal_flops, items;
  std::string item;
  Expression read, write, footprint;  ///< least traffic [B]
  std::vector<WallFormula> walls;
  bool warm = true;
  /// The application calls the kernel again and again on the same input: earlier calls' results may
  /// be kept.
  bool keeps_inputs = false;
  bool evolves = false;  ///< each call goes on from the last one's update arrays: steps in time
  /// Argument pairs that change roles from call to call: one is read and the other written. The
  /// first in a pair has access update, since every second call writes it.
  std::vector<std::pair<size_t, size_t>> swap;
  Tolerance tolerance;    ///< for arguments without their own
  fs::path reference;     ///< empty: the baseline's outputs stand in for it
  bool captured() const;  ///< the default problem's outputs are known: the arguments name files
  std::optional<fs::path> problem;
  std::vector<Backend> backends;
  std::optional<Program> program;  ///< the kernel stands for a whole program and has no sources
  const Backend* backend(const std::string& name) const;
};

/// A kernel and one of its back ends.
struct ChosenKernel {
  Kernel kernel;
  Backend backend;
};

/// Reads <folder>/kernel.json ("rooftune-kernel-1"); all faults at once, missing sources included.
Kernel read_kernel(const fs::path& folder);

/// Takes the user's problem parameters, adds the defaults for this machine kind and checks all. A
/// text chosen for a number is read as people type it (2e6, 16Mi). Throws Error naming the
/// parameter, its type or range. File parameters must exist; they become absolute paths.
Facts problem_parameters(const Kernel& kernel, const Facts& chosen,
                         MachineKind on = MachineKind::cpu);
/// Unknown names in scalar argument expressions (no parameter, fact or knob in `space`), in order,
/// each once; the session refuses to start when there are any.
Texts unknown_names(const Kernel& kernel, const SearchSpace& space);
/// Evaluates least work and traffic for parameters + facts. Throws Error (negative, not finite).
Work work(const Kernel& kernel, const Facts& facts);
Traffic traffic(const Kernel& kernel, const Facts& facts);
/// Where the reference would need more than a minute on a problem (parameters and facts), returns
/// the parameters of a smaller one, the CPU defaults: a baseline right there may stand in for the
/// reference. A reference is taken to do 1 Gflop (nominal) and to move 1 GB (least) a second, fixed
/// figures, to let a continued study decide the same. nullopt where the reference is quick or
/// missing, or the kernel leaves its size to the user.
std::optional<Facts> validation_problem(const Kernel& kernel, const Facts& facts);
/// Whole numbers that the manifest fixes, "levels = 256": presumably sizes, so an exported library
/// does not take them as arguments.
Texts constants(const Kernel& kernel);
/// The size of all arrays that the manifest sizes, together [B].
double array_bytes(const Kernel& kernel, const Facts& facts);
/// The knobs whose product is the thread count of a block (a squared one twice), for a kernel with
/// scalar arguments block_x, block_y and block_z (as every kernel from a T1 file, with its
/// LocalSize). Empty where any of them is neither a product of knobs nor 1; nullopt without such
/// arguments.
std::optional<Texts> block_knobs_of_launch(const Kernel& kernel, const Knobs& knobs);

/// `name_or_path`: "spmv", "./mykernel", "/x/y". Throws Error with near names.
Kernel find_kernel(const std::string& name_or_path, const fs::path& home);
Texts kernel_names(const fs::path& home);
/// Throws Error with near names for a kernel without it.
const Backend& require_backend(const Kernel& kernel, const std::string& name);
/// The search space for this kernel and backend: <folder>/<kernel>.<backend>.json,
/// <folder>/search_spaces/..., else <home>/search_spaces/<kernel>.<backend>.json. Throws Error
/// naming the places tried.
fs::path find_space(const Kernel& kernel, const std::string& backend, const fs::path& home);

}  // namespace rooftune::kernel
