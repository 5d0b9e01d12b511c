// An exported library: what it asks of applications, and its file texts, mostly generated from the
// kernel's arguments.
#pragma once
#include <string>
#include <vector>

#include "core/list.h"
#include "exports/kernel_library.h"
#include "exports/spelling.h"
#include "os/paths.h"

namespace rooftune::exports {

/// An instruction set that a variant is compiled for.
struct Level {
  const char* name;  ///< stands in its namespace and, on x86-64, in -march
  int bits;          ///< vector length [bit]; 0: any CPU
};
/// The level of the machine that timed the variant and the levels below it, widest first; the
/// untuned form has all levels.
std::vector<Level> levels_of(const LibraryVariant& variant);

/// A list that a template goes through.
using Rows = std::vector<Fillings>;

class Library : public LibrarySource {
 public:
  explicit Library(const LibrarySource& source) : LibrarySource(source) {}

  /// "tuned_spmv", "tuned_spmv_cuda": the name that library, header and functions share.
  std::string library_name() const;
  /// "TUNED_SPMV_VARIANT": names a variant at run time.
  std::string variant_variable() const;
  /// The kernel's sources have their own LICENSE, or belong to somebody else; so does the code made
  /// from them.
  bool has_own_licence() const;
  /// Whether some argument's type has several spellings in sources.
  bool has_own_types() const;

  /// Whether the application gives the argument: constants and knobs decide the others.
  bool is_given(const Argument& argument) const;
  /// Whether an integer measures the data; a step count does not, and has no influence on the
  /// choice between variants.
  bool is_size(const Argument& argument) const;
  /// Whether each call to run must pass the argument that was prepared: a layout may keep it, or it
  /// changes roles.
  bool is_held(const Argument& argument) const;
  /// What the application has to promise for some variant, ordered by bit.
  Conditions promises() const;
  /// "TUNED_SPMV_PROMISE_SYMMETRIC": the same in every export of the kernel, whichever bit the
  /// promise has.
  std::string promise_name(size_t promise) const;

  /// Fills in a template from kernels/include/rooftune/library. The library adds NAME, TITLE and
  /// the like, and rows for ARGUMENTS (also split into SCALARS and ARRAYS), VARIANTS, PROMISES,
  /// FUNCTIONS and PAIRS.
  std::string filled(const std::string& file, Fillings fillings) const;
  std::string header_text() const;
  std::string dispatch_text() const;
  std::string variants_header_text() const;
  std::string variant_text(const LibraryVariant& variant) const;
  /// A CUDA variant's kernels, for NVRTC.
  std::string cuda_kernels_text(const LibraryVariant& variant) const;
  /// A Fortran module with an interface for each function.
  std::string fortran_text() const;
  /// A Python module, for buffers such as NumPy's.
  std::string python_text() const;
  std::string self_test_text() const;
  std::string build_text() const;  ///< CMakeLists.txt
  std::string readme_text() const;
  std::string licence_text() const;
  std::string provenance_text() const;

 private:
  /// Texts that only the launching half of a CUDA variant needs.
  Fillings cuda_fillings(const LibraryVariant& variant) const;
  /// What the header says about the arguments that run takes.
  std::string takes_text() const;
  /// Adds the lists that every template may use, and the words joined from them.
  void add_lists(Fillings& all) const;
  /// The given arguments, for C, C++, Fortran and Python.
  Rows argument_rows() const;
  Rows promise_rows() const;
  Rows variant_rows() const;
  /// The kernel's further functions on a problem.
  Rows function_rows() const;
  /// The self-test's arguments, for its problem.
  Rows slot_rows() const;
};

}  // namespace rooftune::exports
