// cuSPARSE with its default algorithm for CSR.
#define CUSPARSE_ALGORITHM csr_alg1
#include "cusparse_csr.h"
