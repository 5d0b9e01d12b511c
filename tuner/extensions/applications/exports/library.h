// An exported library: what it asks of applications, and the texts of its files, most of them
// generated from the arguments of its kernel.
#pragma once
#include <string>
#include <vector>

#include "core/list.h"
#include "exports/kernel_library.h"
#include "exports/spelling.h"
#include "os/paths.h"

namespace rooftune::exports {

/// A set of instructions that a variant is compiled for.
struct Level {
  const char* name;  ///< in its namespace and, on x86-64, in -march
  int bits;          ///< in a vector; 0: any CPU
};
/// That of the machine where it was timed and those below it; the untuned form has all.
std::vector<Level> levels_of(const LibraryVariant& variant);

/// A list of a template.
using Rows = std::vector<Fillings>;

class Library : public LibrarySource {
 public:
  explicit Library(const LibrarySource& source) : LibrarySource(source) {}

  /// "tuned_spmv", "tuned_spmv_cuda": the name of library, header and functions.
  std::string library_name() const;
  /// "TUNED_SPMV_VARIANT": names a variant at run time.
  std::string variant_variable() const;
  /// The kernel's sources are under a LICENSE of their own, or somebody else's, and so is what is
  /// made of them.
  bool has_own_licence() const;
  /// Whether sources may declare some argument in several ways.
  bool has_own_types() const;

  /// Whether the application gives it: knobs alone decide the others.
  bool is_given(const Argument& argument) const;
  /// An integer for the amount of data: not the number of steps, without influence on the choice of
  /// a variant.
  bool is_size(const Argument& argument) const;
  /// A call of run takes the argument that was prepared: a layout may keep it, or it changes roles.
  bool is_held(const Argument& argument) const;
  /// Assurances of the application for some variant, in the order of their bits.
  std::vector<Condition> promises() const;
  /// "TUNED_SPMV_PROMISE_SYMMETRIC": the same in every export of a kernel, for any bit.
  std::string promise_name(size_t promise) const;

  /// A template of kernels/include/rooftune/library; NAME, TITLE and the like are the library's,
  /// and so are the rows of ARGUMENTS (SCALARS and ARRAYS of them), VARIANTS, PROMISES, FUNCTIONS,
  /// PAIRS.
  std::string filled(const std::string& file, Fillings fillings) const;
  std::string header_text() const;
  std::string dispatch_text() const;
  std::string variants_header_text() const;
  std::string variant_text(const LibraryVariant& variant) const;
  /// The kernels of a CUDA variant, for NVRTC.
  std::string cuda_kernels_text(const LibraryVariant& variant) const;
  /// A module of Fortran with an interface of each function.
  std::string fortran_text() const;
  /// A module of Python, for buffers as those of NumPy.
  std::string python_text() const;
  std::string self_test_text() const;
  std::string build_text() const;  ///< CMakeLists.txt
  std::string readme_text() const;
  std::string licence_text() const;
  std::string provenance_text() const;

 private:
  /// Texts of the launching half of a CUDA variant only.
  Fillings cuda_fillings(const LibraryVariant& variant) const;
  /// Words of the header about the arguments that run takes.
  std::string takes_text() const;
  /// The lists of every template, and the words that are joined of them.
  void add_lists(Fillings& all) const;
  /// The given arguments, for C, C++, Fortran and Python.
  Rows argument_rows() const;
  Rows promise_rows() const;
  Rows variant_rows() const;
  /// Its functions of a problem besides.
  Rows function_rows() const;
  /// The arguments of the self-test, on the problem.
  Rows slot_rows() const;
};

}  // namespace rooftune::exports
