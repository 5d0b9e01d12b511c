// cuSPARSE's generic interface as far as a product of CSR needs it, by prototypes of its own, which
// hold from CUDA 11 to 13. The caller checks every result.
#pragma once
#include <cstddef>
#include <cstdint>

#include "rooftune/vendor_library.h"

namespace cusparse {

using Status = int;  ///< cusparseStatus_t; 0 is success
using Handle = struct OpaqueHandle*;
using Matrix = struct OpaqueMatrix*;  ///< cusparseSpMatDescr_t
using Vector = struct OpaqueVector*;  ///< cusparseDnVecDescr_t
using Stream = void*;                 ///< cudaStream_t, a CUstream

constexpr Status alloc_failed = 2;  ///< CUSPARSE_STATUS_ALLOC_FAILED
constexpr int not_transposed = 0;   ///< CUSPARSE_OPERATION_NON_TRANSPOSE
constexpr int index_int32 = 2;      ///< CUSPARSE_INDEX_32I
constexpr int base_zero = 0;        ///< CUSPARSE_INDEX_BASE_ZERO
constexpr int real_double = 1;      ///< CUDA_R_64F
constexpr int csr_alg1 = 2;         ///< CUSPARSE_SPMV_CSR_ALG1
constexpr int csr_alg2 = 3;         ///< CUSPARSE_SPMV_CSR_ALG2
constexpr int major_version = 0;    ///< MAJOR_VERSION of libraryPropertyType

/// The names under which CUDA 13 (it has cuSPARSE 12), 12 and 11 install it.
inline rooftune::VendorNames names() {
  return {"cuSPARSE",
          "ROOFTUNE_CUSPARSE",
          {"libcusparse.so.13", "libcusparse.so.12", "libcusparse.so.11"}};
}

/// The library with a handle of its own, in the context that is current.
class Library : public rooftune::VendorLibrary {
 public:
  /// Throws VendorFault.
  explicit Library(const std::string& file) : VendorLibrary(file) {
    bind(GetProperty, "cusparseGetProperty");
    int major = 0;
    GetProperty(major_version, &major);
    require_version(major);
    bind(Create, "cusparseCreate");
    bind(Destroy, "cusparseDestroy");
    bind(GetErrorName, "cusparseGetErrorName");
    bind(SetStream, "cusparseSetStream");
    bind(CreateCsr, "cusparseCreateCsr");
    bind(DestroySpMat, "cusparseDestroySpMat");
    bind(CreateDnVec, "cusparseCreateDnVec");
    bind(DestroyDnVec, "cusparseDestroyDnVec");
    bind(SpMV_bufferSize, "cusparseSpMV_bufferSize");
    bind(SpMV, "cusparseSpMV");
    // Of CUDA 12.4 and later.
    find(SpMV_preprocess, "cusparseSpMV_preprocess");
    check(Create(&handle), "cusparseCreate");
  }
  ~Library() {
    if (handle) Destroy(handle);
  }
  /// Throws VendorFault with the name of a status that is none of success.
  void check(Status status, const char* what) const {
    if (status != 0) fail(what, GetErrorName(status), status, alloc_failed);
  }

  Handle handle = nullptr;
  // Members named as the library's functions without "cusparse".
  Status (*GetProperty)(int, int*) = nullptr;
  Status (*Create)(Handle*) = nullptr;
  Status (*Destroy)(Handle) = nullptr;
  const char* (*GetErrorName)(Status) = nullptr;
  Status (*SetStream)(Handle, Stream) = nullptr;
  Status (*CreateCsr)(Matrix*, std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                      void* row_offsets, void* columns, void* values, int offset_type,
                      int column_type, int base, int value_type) = nullptr;
  Status (*DestroySpMat)(Matrix) = nullptr;
  Status (*CreateDnVec)(Vector*, std::int64_t size, void* values, int value_type) = nullptr;
  Status (*DestroyDnVec)(Vector) = nullptr;
  Status (*SpMV_bufferSize)(Handle, int operation, const void* alpha, Matrix, Vector x,
                            const void* beta, Vector y, int compute_type, int algorithm,
                            std::size_t* bytes) = nullptr;
  /// Null in older versions.
  Status (*SpMV_preprocess)(Handle, int operation, const void* alpha, Matrix, Vector x,
                            const void* beta, Vector y, int compute_type, int algorithm,
                            void* buffer) = nullptr;
  Status (*SpMV)(Handle, int operation, const void* alpha, Matrix, Vector x, const void* beta,
                 Vector y, int compute_type, int algorithm, void* buffer) = nullptr;
};

}  // namespace cusparse
