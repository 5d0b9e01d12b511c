// cuSPARSE with its second algorithm for CSR, which gives the same result in every call.
#define CUSPARSE_ALGORITHM csr_alg2
#include "cusparse_csr.h"
