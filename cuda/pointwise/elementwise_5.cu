/* elementwise_5.cu: a share of the elementwise operators' kernels. */
#define SHARD 5
#include "pointwise/elementwise.h"
