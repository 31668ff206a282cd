/* elementwise_0.cu: a share of the elementwise operators' kernels. */
#define SHARD 0
#include "pointwise/elementwise.h"
