// librsb after its own tuner.
#define RSB_TUNER_SECONDS 2.0
#include "rsb_product.h"
