// Libraries of the vendor: own prototypes against the toolkit's headers, and which file is taken.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "../../../kernels/spmv/peers/cusparse_api.h"
#include "../../../kernels/triad/peers/cublas_api.h"

#if __has_include(<cusparse.h>) && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#include <cusparse.h>

#include <type_traits>

namespace {

/// Passed alike: a floating-point number, a pointer, or an integer or enumeration of the same size.
template <class A, class B>
constexpr bool is_passed_alike =
    sizeof(A) == sizeof(B) && std::is_floating_point_v<A> ==
                                  std::is_floating_point_v<B>&& std::is_pointer_v<A> ==
                                  std::is_pointer_v<B>;

template <class R, class... A, class S, class... B>
constexpr bool is_called_alike(R (*)(A...), S (*)(B...)) {
  if constexpr (sizeof...(A) != sizeof...(B))
    return false;
  else
    return is_passed_alike<R, S> && (is_passed_alike<A, B> && ...);
}

// Calls through a null pointer of the function's type: no library is linked.
#define ROOFTUNE_CALLED_ALIKE(library, member, function)                    \
  static_assert(is_called_alike(decltype(library::Library::member){},       \
                                static_cast<decltype(&function)>(nullptr)), \
                #function)

ROOFTUNE_CALLED_ALIKE(cusparse, GetProperty, cusparseGetProperty);
ROOFTUNE_CALLED_ALIKE(cusparse, Create, cusparseCreate);
ROOFTUNE_CALLED_ALIKE(cusparse, Destroy, cusparseDestroy);
ROOFTUNE_CALLED_ALIKE(cusparse, GetErrorName, cusparseGetErrorName);
ROOFTUNE_CALLED_ALIKE(cusparse, SetStream, cusparseSetStream);
ROOFTUNE_CALLED_ALIKE(cusparse, CreateCsr, cusparseCreateCsr);
ROOFTUNE_CALLED_ALIKE(cusparse, DestroySpMat, cusparseDestroySpMat);
ROOFTUNE_CALLED_ALIKE(cusparse, CreateDnVec, cusparseCreateDnVec);
ROOFTUNE_CALLED_ALIKE(cusparse, DestroyDnVec, cusparseDestroyDnVec);
ROOFTUNE_CALLED_ALIKE(cusparse, SpMV_bufferSize, cusparseSpMV_bufferSize);
ROOFTUNE_CALLED_ALIKE(cusparse, SpMV, cusparseSpMV);
#if CUSPARSE_VERSION >= 12400
ROOFTUNE_CALLED_ALIKE(cusparse, SpMV_preprocess, cusparseSpMV_preprocess);
#endif
static_assert(cusparse::alloc_failed == CUSPARSE_STATUS_ALLOC_FAILED);
static_assert(cusparse::not_transposed == CUSPARSE_OPERATION_NON_TRANSPOSE);
static_assert(cusparse::index_int32 == CUSPARSE_INDEX_32I);
static_assert(cusparse::base_zero == CUSPARSE_INDEX_BASE_ZERO);
static_assert(cusparse::real_double == CUDA_R_64F);
static_assert(cusparse::csr_alg1 == CUSPARSE_SPMV_CSR_ALG1);
static_assert(cusparse::csr_alg2 == CUSPARSE_SPMV_CSR_ALG2);
static_assert(cusparse::major_version == MAJOR_VERSION);

// cublas_v2.h gives the functions their names without _v2.
ROOFTUNE_CALLED_ALIKE(cublas, GetProperty, cublasGetProperty);
ROOFTUNE_CALLED_ALIKE(cublas, Create, cublasCreate_v2);
ROOFTUNE_CALLED_ALIKE(cublas, Destroy, cublasDestroy_v2);
ROOFTUNE_CALLED_ALIKE(cublas, SetStream, cublasSetStream_v2);
ROOFTUNE_CALLED_ALIKE(cublas, Dcopy, cublasDcopy_v2);
ROOFTUNE_CALLED_ALIKE(cublas, Daxpy, cublasDaxpy_v2);
ROOFTUNE_CALLED_ALIKE(cublas, Dgeam, cublasDgeam);
#if CUBLAS_VERSION >= 110402
ROOFTUNE_CALLED_ALIKE(cublas, GetStatusName, cublasGetStatusName);
#endif
static_assert(cublas::alloc_failed == CUBLAS_STATUS_ALLOC_FAILED);
static_assert(cublas::not_transposed == CUBLAS_OP_N);
static_assert(cublas::major_version == MAJOR_VERSION);

}  // namespace
#endif

using Catch::Contains;
using rooftune::candidates;
using rooftune::started;
using rooftune::VendorFault;
using rooftune::VendorNames;

namespace {

constexpr const char* variable = "ROOFTUNE_TEST_VENDOR";

/// Files stand for themselves: one that needs a newer driver, one that works, and others.
struct Named {
  explicit Named(const std::string& file) : name(file) {
    if (file.rfind("/", 0) == 0 || file == "absent.so.3")
      throw VendorFault(VendorFault::Kind::missing, file + ": cannot open shared object file");
    if (file == "new.so.2") throw VendorFault(VendorFault::Kind::failed, "create: NO_DRIVER (1)");
  }
  std::string name;
};

}  // namespace

TEST_CASE("the newest library that starts is taken") {
  unsetenv(variable);
  CHECK(started<Named>({"X", variable, {"absent.so.3", "new.so.2", "old.so.1"}})->name ==
        "old.so.1");
  CHECK_THROWS_WITH(started<Named>({"X", variable, {"absent.so.3", "new.so.2"}}),
                    "create: NO_DRIVER (1)");
  CHECK_THROWS_WITH(started<Named>({"X", variable, {"absent.so.3"}}),
                    "there is no X here (absent.so.3)");
}

TEST_CASE(
    "a library that is named is the only candidate, and the toolkit's folders are looked at") {
  setenv(variable, "/opt/x.so", 1);
  CHECK(candidates({"X", variable, {"x.so.1"}}) == std::vector<std::string>{"/opt/x.so"});
  CHECK_THROWS_WITH(started<Named>({"X", variable, {"x.so.1"}}),
                    Contains("ROOFTUNE_TEST_VENDOR=/opt/x.so"));
  unsetenv(variable);
  const auto all = candidates({"X", variable, {"x.so.2", "x.so.1"}});
  CHECK(all.front() == "x.so.2");
  CHECK(all.back() == "/usr/local/cuda/lib64/x.so.1");
}
