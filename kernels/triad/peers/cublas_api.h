// cuBLAS as far as a triad needs it, by prototypes of its own, which hold from CUDA 11 to 13. The
// caller checks every result.
#pragma once
#include "rooftune/vendor_library.h"

namespace cublas {

using Status = int;  ///< cublasStatus_t; 0 is success
using Handle = struct OpaqueHandle*;
using Stream = void*;  ///< cudaStream_t, a CUstream

constexpr Status alloc_failed = 3;  ///< CUBLAS_STATUS_ALLOC_FAILED
constexpr int not_transposed = 0;   ///< CUBLAS_OP_N
constexpr int major_version = 0;    ///< MAJOR_VERSION of libraryPropertyType

inline rooftune::VendorNames names() {
  return {"cuBLAS", "ROOFTUNE_CUBLAS", {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"}};
}

/// The library with a handle of its own, in the context that is current; scalars are the host's.
class Library : public rooftune::VendorLibrary {
 public:
  /// Throws VendorFault.
  explicit Library(const std::string& file) : VendorLibrary(file) {
    bind(GetProperty, "cublasGetProperty");
    int major = 0;
    GetProperty(major_version, &major);
    require_version(major);
    bind(Create, "cublasCreate_v2");
    bind(Destroy, "cublasDestroy_v2");
    bind(SetStream, "cublasSetStream_v2");
    bind(Dcopy, "cublasDcopy_v2");
    bind(Daxpy, "cublasDaxpy_v2");
    bind(Dgeam, "cublasDgeam");
    // Of CUDA 11.4 and later.
    find(GetStatusName, "cublasGetStatusName");
    check(Create(&handle), "cublasCreate");
  }
  ~Library() {
    if (handle) Destroy(handle);
  }
  /// Throws VendorFault with the name of a status that is none of success.
  void check(Status status, const char* what) const {
    if (status != 0)
      fail(what, GetStatusName ? GetStatusName(status) : nullptr, status, alloc_failed);
  }

  Handle handle = nullptr;
  // Members named as the library's functions without "cublas".
  Status (*GetProperty)(int, int*) = nullptr;
  Status (*Create)(Handle*) = nullptr;
  Status (*Destroy)(Handle) = nullptr;
  const char* (*GetStatusName)(Status) = nullptr;  ///< null in older versions
  Status (*SetStream)(Handle, Stream) = nullptr;
  Status (*Dcopy)(Handle, int n, const double* x, int incx, double* y, int incy) = nullptr;
  Status (*Daxpy)(Handle, int n, const double* alpha, const double* x, int incx, double* y,
                  int incy) = nullptr;
  Status (*Dgeam)(Handle, int transa, int transb, int m, int n, const double* alpha,
                  const double* a, int lda, const double* beta, const double* b, int ldb, double* c,
                  int ldc) = nullptr;
};

}  // namespace cublas
