/* elementwise_1.cu: a share of the elementwise operators' kernels. */
#define SHARD 1
#include "pointwise/elementwise.h"
