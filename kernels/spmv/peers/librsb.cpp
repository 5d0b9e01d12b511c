// librsb as assembled.
#define RSB_TUNER_SECONDS 0.0
#include "rsb_product.h"
