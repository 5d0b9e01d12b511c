// Eigen, CXSparse and librsb behind one shape; each is left out where it is not installed.
#include "sparse_peers.h"

#ifdef PEER_EIGEN
#include <Eigen/SparseCore>
#endif
#ifdef PEER_CXSPARSE
#include <cs.h>
#endif
#ifdef PEER_RSB
#include <rsb.h>
#endif

#include <algorithm>

namespace rooftune::testing {
namespace {

#ifdef PEER_EIGEN
Peer eigen(const Sparse& a, int threads) {
  using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  Eigen::setNbThreads(threads);
  const Eigen::Map<const Matrix> matrix(a.rows, a.cols, a.entries(), a.pointer.data(),
                                        a.column.data(), a.value.data());
  return {"Eigen", [matrix, rows = a.rows, cols = a.cols](const double* x, double* y) {
            const Eigen::Map<const Eigen::VectorXd> in(x, cols);
            Eigen::Map<Eigen::VectorXd> out(y, rows);
            out.noalias() = matrix * in;
          }};
}
#endif

#ifdef PEER_CXSPARSE
/// CXSparse stores columns.
Peer cxsparse(const Sparse& a) {
  auto* triplets = cs_di_spalloc(static_cast<int>(a.rows), static_cast<int>(a.cols),
                                 static_cast<int>(a.entries()), 1, 1);
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (auto k = static_cast<std::size_t>(a.pointer[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.pointer[static_cast<std::size_t>(i) + 1]); ++k)
      cs_di_entry(triplets, static_cast<int>(i), a.column[k], a.value[k]);
  std::shared_ptr<cs_di> matrix(cs_di_compress(triplets), cs_di_spfree);
  cs_di_spfree(triplets);
  return {"CXSparse", [matrix, rows = a.rows](const double* x, double* y) {
            std::fill(y, y + rows, 0.0);
            cs_di_gaxpy(matrix.get(), x, y);
          }};
}
#endif

#ifdef PEER_RSB
/// As assembled, or after librsb's own tuner has had two seconds.
Peer rsb(const Sparse& a, int threads, bool tuned) {
  rsb_lib_init(RSB_NULL_INIT_OPTIONS);
  rsb_int_t count = threads;
  rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &count);
  std::vector<rsb_coo_idx_t> rows;
  for (std::int64_t i = 0; i < a.rows; ++i)
    rows.resize(static_cast<std::size_t>(a.pointer[static_cast<std::size_t>(i) + 1]),
                static_cast<rsb_coo_idx_t>(i));
  rsb_err_t fault = RSB_ERR_NO_ERROR;
  rsb_mtx_t* matrix = rsb_mtx_alloc_from_coo_const(
      a.value.data(), rows.data(), a.column.data(), static_cast<rsb_nnz_idx_t>(a.entries()),
      RSB_NUMERICAL_TYPE_DOUBLE, static_cast<rsb_coo_idx_t>(a.rows),
      static_cast<rsb_coo_idx_t>(a.cols), 1, 1, RSB_FLAG_NOFLAGS, &fault);
  const double one = 1, zero = 0;
  if (tuned) {
    std::vector<double> y(static_cast<std::size_t>(a.rows));
    rsb_tune_spmm(&matrix, nullptr, nullptr, 2, 2.0, RSB_TRANSPOSITION_N, &one, nullptr, 1,
                  RSB_FLAG_WANT_ROW_MAJOR_ORDER, a.x.data(), 1, &zero, y.data(), 1);
  }
  std::shared_ptr<rsb_mtx_t> kept(matrix, rsb_mtx_free);
  return {tuned ? "librsb tuned" : "librsb", [kept](const double* x, double* y) {
            const double alpha = 1, beta = 0;
            rsb_spmv(RSB_TRANSPOSITION_N, &alpha, kept.get(), x, 1, &beta, y, 1);
          }};
}
#endif

}  // namespace

std::vector<Peer> sparse_peers(const Sparse& a, int threads) {
  std::vector<Peer> peers;
  (void)a;
  (void)threads;
#ifdef PEER_EIGEN
  peers.push_back(eigen(a, threads));
#endif
#ifdef PEER_CXSPARSE
  if (threads == 1) peers.push_back(cxsparse(a));
#endif
#ifdef PEER_RSB
  peers.push_back(rsb(a, threads, false));
  peers.push_back(rsb(a, threads, true));
#endif
  return peers;
}

}  // namespace rooftune::testing
